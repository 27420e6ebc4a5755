// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_HISTOGRAM_HPP
#define ASIO_RDMA_PERF_COMMON_HISTOGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perf {

/// Counts measurements in buckets whose width grows with the value, so that any number of them needs the same memory
/// and every percentile is exact to one part in 2,048. Smallest, largest, mean and deviation are exact.
class histogram {
public:
  histogram();

  void add(std::uint64_t value) noexcept {
    ++counts_[index_of(value)];
    ++count_;
    if (value < minimum_) minimum_ = value;
    if (value > maximum_) maximum_ = value;
    const double v = static_cast<double>(value);
    sum_ += v;
    squares_ += v * v;
  }
  void add(const histogram& other) noexcept;
  void clear() noexcept;

  std::uint64_t count() const noexcept { return count_; }
  /// Zero without measurements, as the others.
  std::uint64_t minimum() const noexcept { return count_ == 0 ? 0 : minimum_; }
  std::uint64_t maximum() const noexcept { return maximum_; }
  double mean() const noexcept;
  double deviation() const noexcept;
  /// The smallest value that @p percent of the measurements do not exceed (0 to 100).
  std::uint64_t percentile(double percent) const noexcept;

  struct bucket {
    std::uint64_t low;   ///< the smallest value that belongs to it
    std::uint64_t high;  ///< the largest
    std::uint64_t count;
  };
  /// What was counted, in buckets that double their width @p per_doubling times coarser than what is kept, empty ones
  /// left out.
  std::vector<bucket> buckets(unsigned per_doubling = 4) const;

private:
  static constexpr unsigned precision = 11;  // bits
  static std::size_t index_of(std::uint64_t value) noexcept {
    if (value < (std::uint64_t{1} << precision)) return static_cast<std::size_t>(value);
    const unsigned shift = 63u - static_cast<unsigned>(__builtin_clzll(value)) - (precision - 1);
    return (static_cast<std::size_t>(shift) << (precision - 1)) + static_cast<std::size_t>(value >> shift);
  }
  static std::uint64_t low_of(std::size_t index) noexcept;

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t minimum_ = ~std::uint64_t{0};
  std::uint64_t maximum_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

}  // namespace perf

#endif
