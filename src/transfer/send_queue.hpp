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
  explicit send_queue(unsigned depth, unsigned reserve = default_send_queue_reserve, std::uint64_t start_index = 0,
                      std::uint64_t start_position = 0)
      : positions_(depth), reserve_(reserve), posted_(start_index), retired_(start_index), position_(start_position) {
    assert(depth >= 4 && reserve < depth);
  }

  bool data_room() const noexcept { return outstanding() + reserve_ < positions_.size(); }
  bool control_room() const noexcept { return outstanding() < positions_.size(); }

  /// True if the next work request must ask for a completion, last of a burst or not: enough before it asked for none,
  /// or it takes the last slot that data may have.
  bool signal_due() const noexcept {
    return unsignalled_ + 1 >= positions_.size() / 4 || outstanding() + reserve_ + 1 >= positions_.size();
  }

  /// A work request was posted, after which the stream has been posted up to position. Gives the index that its
  /// completion will name (put it into wr_id).
  std::uint64_t posted(std::uint64_t position, bool signalled) noexcept {
    assert(control_room());
    positions_[slot(posted_)] = position;
    unsignalled_ = signalled ? 0 : unsignalled_ + 1;
    return posted_++;
  }

  /// The index that the next work request gets.
  std::uint64_t next_index() const noexcept { return posted_; }

  /// The request with this index has completed. Gives the position up to which the stream is complete, or nothing if no
  /// such request is outstanding.
  std::optional<std::uint64_t> completed(std::uint64_t index) noexcept {
    if (index - retired_ >= outstanding()) return std::nullopt;
    retired_ = index + 1;
    position_ = positions_[slot(index)];
    return position_;
  }

  /// Work requests posted and not known to be complete.
  std::uint64_t outstanding() const noexcept { return posted_ - retired_; }
  /// True if no completion will tell about the last work requests: post nothing more, and they never retire.
  bool tail_unsignalled() const noexcept { return unsignalled_ != 0; }

private:
  std::size_t slot(std::uint64_t index) const noexcept { return static_cast<std::size_t>(index % positions_.size()); }

  std::vector<std::uint64_t> positions_;
  unsigned reserve_;
  std::size_t unsignalled_ = 0;  // since the last request that asked for a completion
  std::uint64_t posted_;
  std::uint64_t retired_;
  std::uint64_t position_;
};

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
