// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_STAGING_HPP
#define ASIO_RDMA_TRANSFER_STAGING_HPP

#include "transfer/extent.hpp"

#include <cassert>
#include <cstddef>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

/// The positions in the sender's own ring of bytes copied from the user: free, staged, posted, completed, free again.
/// A byte's place is not used again before the device has acknowledged it: until then the device may read it once more.
class staging {
public:
  /// size is a power of two, and need not be that of the peer's ring.
  explicit staging(std::size_t size, std::uint64_t start = 0) noexcept
      : size_(size), staged_(start), posted_(start), completed_(start) {
    assert(is_power_of_two(size));
  }

  /// Bytes that can be staged.
  std::size_t free() const noexcept { return size_ - static_cast<std::size_t>(staged_ - completed_); }
  /// Where to copy the next bytes. Two runs hold all that is free.
  extent free_extent() const noexcept { return extent_at(staged_, free(), size_); }
  /// length bytes were copied to the front of free_extent(); length <= free_extent().length.
  void stage(std::size_t length) noexcept {
    assert(length <= free_extent().length);
    staged_ += length;
  }

  /// Bytes staged and not posted.
  std::size_t unposted() const noexcept { return static_cast<std::size_t>(staged_ - posted_); }
  /// Where the next bytes to post lie. Two runs hold all of them.
  extent unposted_extent() const noexcept { return extent_at(posted_, unposted(), size_); }
  /// The first length bytes of unposted_extent() were posted; length <= unposted_extent().length.
  void post(std::size_t length) noexcept {
    assert(length <= unposted_extent().length);
    posted_ += length;
  }

  /// Every byte before position is acknowledged; completed() <= position <= posted().
  void complete(std::uint64_t position) noexcept {
    assert(position - completed_ <= posted_ - completed_);
    completed_ = position;
  }

  /// Stream position behind the last byte taken over from the user.
  std::uint64_t staged() const noexcept { return staged_; }
  /// Stream position behind the last byte posted.
  std::uint64_t posted() const noexcept { return posted_; }
  /// Stream position behind the last byte acknowledged.
  std::uint64_t completed() const noexcept { return completed_; }

private:
  std::size_t size_;
  std::uint64_t staged_;
  std::uint64_t posted_;
  std::uint64_t completed_;
};

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
