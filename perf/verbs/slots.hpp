// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_VERBS_SLOTS_HPP
#define ASIO_RDMA_PERF_VERBS_SLOTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace perf::verbs {

inline std::uint64_t round_up_to_power(std::uint64_t value) noexcept {
  std::uint64_t power = 1;
  while (power < value) power *= 2;
  return power;
}

/// Where in a piece of memory message number n lies. Small messages share a page in turns and large ones lie all in one
/// place, as perftest has it: a benchmark whose memory outgrew the caches would measure those. Where messages are
/// looked at, each of those that are outstanding has a place of its own.
struct slots {
  std::uint64_t stride = 64;  ///< bytes, a power of two
  std::uint64_t mask = 0;     ///< number of slots, a power of two, less one

  slots() noexcept = default;
  /// @param own 0, or how many messages need a place of their own; there may be fewer where they are large
  slots(std::uint64_t size, std::uint64_t own) noexcept : stride(round_up_to_power(std::max<std::uint64_t>(size, 64))) {
    constexpr std::uint64_t page = 4096;
    constexpr std::uint64_t most = 64 << 20;
    const std::uint64_t wanted = own == 0 ? page / stride : std::min(round_up_to_power(own), most / stride);
    mask = std::max<std::uint64_t>(1, wanted) - 1;
  }
  std::uint64_t count() const noexcept { return mask + 1; }
  std::uint64_t bytes() const noexcept { return stride * count(); }
  std::uint64_t offset(std::uint64_t number) const noexcept { return (number & mask) * stride; }
};

}  // namespace perf::verbs

#endif
