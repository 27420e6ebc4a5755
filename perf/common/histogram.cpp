// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "histogram.hpp"

#include <algorithm>
#include <cmath>

namespace perf {

// Values below 2^11 have an index each; every doubling above that has 2^10 buckets.
histogram::histogram()
    : counts_((std::size_t{1} << precision) + (64 - precision) * (std::size_t{1} << (precision - 1))) {}

std::uint64_t histogram::low_of(std::size_t index) noexcept {
  if (index < (std::size_t{1} << precision)) return index;
  const std::size_t shift = (index >> (precision - 1)) - 1;
  const std::uint64_t mantissa = index - (shift << (precision - 1));
  return mantissa << shift;
}

void histogram::add(const histogram& other) noexcept {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  minimum_ = std::min(minimum_, other.minimum_);
  maximum_ = std::max(maximum_, other.maximum_);
  sum_ += other.sum_;
  squares_ += other.squares_;
}

void histogram::clear() noexcept {
  std::fill(counts_.begin(), counts_.end(), 0);
  count_ = 0;
  minimum_ = ~std::uint64_t{0};
  maximum_ = 0;
  sum_ = squares_ = 0;
}

double histogram::mean() const noexcept {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

double histogram::deviation() const noexcept {
  if (count_ == 0) return 0;
  const double m = mean();
  return std::sqrt(std::max(0.0, squares_ / static_cast<double>(count_) - m * m));
}

std::uint64_t histogram::percentile(double percent) const noexcept {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(percent / 100 * static_cast<double>(count_) - 1e-9);
  const std::uint64_t rank = std::min(count_, std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted)));
  if (rank == count_) return maximum_;
  std::uint64_t passed = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    passed += counts_[i];
    if (passed >= rank) return std::min(maximum_, std::max(minimum_, (low_of(i) + low_of(i + 1) - 1) / 2));
  }
  return maximum_;
}

std::vector<histogram::bucket> histogram::buckets(unsigned per_doubling) const {
  std::vector<bucket> result;
  const std::size_t width = (std::size_t{1} << (precision - 1)) / per_doubling;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    // Below 2^11 a bucket of ours is one value wide, and those of a doubling fewer: joined as those above are.
    std::size_t first = i;
    std::size_t last = i;
    if (i >= (std::size_t{1} << precision)) {
      first = i / width * width;
      last = first + width - 1;
    } else if (i >= per_doubling) {
      std::size_t doubling = 1;
      while (doubling * 2 <= i) doubling *= 2;
      const std::size_t step = std::max<std::size_t>(1, doubling / per_doubling);
      first = doubling + (i - doubling) / step * step;
      last = first + step - 1;
    }
    if (!result.empty() && result.back().low == low_of(first)) {
      result.back().count += counts_[i];
    } else {
      result.push_back(
          {low_of(first), last + 1 < counts_.size() ? low_of(last + 1) - 1 : ~std::uint64_t{0}, counts_[i]});
    }
  }
  return result;
}

}  // namespace perf
