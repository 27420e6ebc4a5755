// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_SEND_QUEUE_HPP
#define ASIO_RDMA_TRANSFER_SEND_QUEUE_HPP

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

/// Work requests that data may not use, so that a control message never waits behind data for a slot.
inline constexpr unsigned default_send_queue_reserve = 4;

/// Which work requests still hold a slot of the send queue, and what their completion completes. A send queue completes
/// in order, so one completion retires all requests before it that asked for none.
class send_queue {
public:
  /// depth is the queue pair's max_send_wr, at least 4 and more than reserve. Allocates; may throw std::bad_alloc.
  explicit send_queue(unsigned depth, unsigned reserve = default_send_queue_reserve, std::uint64_t start_index = 0)
      : positions_(round_up(depth)), depth_(depth), reserve_(reserve), posted_(start_index), retired_(start_index) {
    assert(depth >= 4 && reserve < depth);
  }

  bool data_room() const noexcept { return outstanding() + reserve_ < depth_; }
  bool control_room() const noexcept { return outstanding() < depth_; }

  /// True if the next work request must ask for a completion, last of a burst or not: enough before it asked for none,
  /// or it takes the last slot that data may have.
  bool signal_due() const noexcept { return unsignalled_ + 1 >= depth_ / 4 || outstanding() + reserve_ + 1 >= depth_; }

  /// A work request was posted, after which staged bytes have been posted up to position, and so many others in all
  /// that were not staged. Gives the index that its completion will name (put it into wr_id).
  std::uint64_t posted(std::uint64_t position, bool signalled, std::uint64_t direct = 0) noexcept {
    assert(control_room());
    positions_[slot(posted_)] = {position, direct};
    unsignalled_ = signalled ? 0 : unsignalled_ + 1;
    return posted_++;
  }

  /// The last request posted asks for a completion after all, since a burst ended with it.
  void signal_last() noexcept { unsignalled_ = 0; }

  /// The index that the next work request gets.
  std::uint64_t next_index() const noexcept { return posted_; }

  /// The request with this index has completed. Gives the position up to which staged bytes are complete, or nothing if
  /// no such request is outstanding.
  std::optional<std::uint64_t> completed(std::uint64_t index) noexcept {
    if (index - retired_ >= outstanding()) return std::nullopt;
    retired_ = index + 1;
    direct_completed_ = positions_[slot(index)].direct;
    return positions_[slot(index)].staged;
  }

  /// The index behind the last request that is known to be complete.
  std::uint64_t retired() const noexcept { return retired_; }
  /// Bytes that were not staged and are complete.
  std::uint64_t direct_completed() const noexcept { return direct_completed_; }

  /// Work requests posted and not known to be complete.
  std::uint64_t outstanding() const noexcept { return posted_ - retired_; }
  /// True if no completion will tell about the last work requests: post nothing more, and they never retire.
  bool tail_unsignalled() const noexcept { return unsignalled_ != 0; }

private:
  // A power of two, so that indices may wrap.
  static std::size_t round_up(unsigned depth) noexcept {
    std::size_t size = 4;
    while (size < depth) size *= 2;
    return size;
  }
  std::size_t slot(std::uint64_t index) const noexcept {
    return static_cast<std::size_t>(index & (positions_.size() - 1));
  }

  struct mark {
    std::uint64_t staged = 0;
    std::uint64_t direct = 0;
  };

  std::vector<mark> positions_;
  unsigned depth_;
  unsigned reserve_;
  unsigned unsignalled_ = 0;  // since the last request that asked for a completion
  std::uint64_t posted_;
  std::uint64_t retired_;
  std::uint64_t direct_completed_ = 0;
};

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
