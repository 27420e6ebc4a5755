// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_STAGING_HPP
#define ASIO_RDMA_TRANSFER_STAGING_HPP

#include "transfer/growing_ring.hpp"

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
      : ring_(size), staged_(start), posted_(start), completed_(start) {}

  std::size_t size() const noexcept { return ring_.size(); }
  /// What is staged from now on goes into a larger ring; not while there is a former one.
  void grow(std::size_t size) noexcept { ring_.grow(staged_, size); }
  /// There was a smaller ring, which was not forgotten yet.
  bool has_former() const noexcept { return ring_.has_former(); }
  /// The device needs nothing of the former ring any more.
  bool former_is_done() const noexcept { return ring_.former_is_before(completed_); }
  void forget_former() noexcept { ring_.forget_former(); }

  /// Bytes that can be staged.
  std::size_t free() const noexcept { return size() - static_cast<std::size_t>(staged_ - completed_); }
  /// Where to copy the next bytes. Two runs hold all that is free.
  extent free_extent() const noexcept { return ring_.at(staged_, free()); }
  /// length bytes were copied to the front of free_extent(); length <= free_extent().length.
  void stage(std::size_t length) noexcept {
    assert(length <= free_extent().length);
    staged_ += length;
  }

  /// Bytes staged and not posted.
  std::size_t unposted() const noexcept { return static_cast<std::size_t>(staged_ - posted_); }
  /// Where the next bytes to post lie. Two runs hold all of them, four while there is a former ring.
  extent unposted_extent() const noexcept { return ring_.at(posted_, unposted()); }
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
  growing_ring ring_;
  std::uint64_t staged_;
  std::uint64_t posted_;
  std::uint64_t completed_;
};

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
