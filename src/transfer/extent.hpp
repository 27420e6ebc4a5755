// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_EXTENT_HPP
#define ASIO_RDMA_TRANSFER_EXTENT_HPP

#include <cstddef>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

/// A run of bytes without a wrap in some ring; offset counts from the ring's first byte.
struct extent {
  std::size_t offset = 0;
  std::size_t length = 0;
  bool in_former = false;  ///< of a growing_ring: it lies in the ring that the present one took the place of
};

/// Rings are powers of two, so that a 64-bit position maps to the same offset before and after it wraps.
constexpr bool is_power_of_two(std::uint64_t n) noexcept {
  return n != 0 && (n & (n - 1)) == 0;
}

/// The run that begins at a stream position and has at most length bytes.
constexpr extent extent_at(std::uint64_t position, std::uint64_t length, std::size_t ring_size) noexcept {
  const std::size_t offset = static_cast<std::size_t>(position & (ring_size - 1));
  const std::size_t to_end = ring_size - offset;
  return {offset, length < to_end ? static_cast<std::size_t>(length) : to_end};
}

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
