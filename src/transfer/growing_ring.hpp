// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_GROWING_RING_HPP
#define ASIO_RDMA_TRANSFER_GROWING_RING_HPP

#include "transfer/extent.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

/// Where the bytes of a stream lie in a ring that a larger one may take the place of: from some position on they lie in
/// the new ring, and those before it stay in the former one until nobody needs them.
class growing_ring {
public:
  /// size is a power of two.
  explicit growing_ring(std::size_t size) noexcept : size_(size) { assert(is_power_of_two(size)); }

  std::size_t size() const noexcept { return size_; }
  /// Bytes may lie in the former ring.
  bool has_former() const noexcept { return former_size_ != 0; }

  /// From that position on, bytes lie in a new ring; not while there is a former one.
  void grow(std::uint64_t position, std::size_t size) noexcept {
    assert(!has_former() && is_power_of_two(size) && size >= size_);
    begin_ = position;
    former_size_ = size_;
    size_ = size;
  }

  /// Whether everything that may lie in the former ring is before that position.
  bool former_is_before(std::uint64_t position) const noexcept { return has_former() && !is_before_begin(position); }
  /// The former ring is no more.
  void forget_former() noexcept { former_size_ = 0; }

  /// The run that begins at a position and has at most length bytes.
  extent at(std::uint64_t position, std::uint64_t length) const noexcept {
    if (!has_former() || !is_before_begin(position)) return extent_at(position, length, size_);
    extent result = extent_at(position, std::min(length, begin_ - position), former_size_);
    result.in_former = true;
    return result;
  }

private:
  bool is_before_begin(std::uint64_t position) const noexcept {
    return position != begin_ && begin_ - position <= former_size_;
  }

  std::size_t size_;
  std::size_t former_size_ = 0;
  std::uint64_t begin_ = 0;  // of the present ring, with a former one
};

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
