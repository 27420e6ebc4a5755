// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_SEND_WINDOW_HPP
#define ASIO_RDMA_TRANSFER_SEND_WINDOW_HPP

#include "transfer/extent.hpp"
#include "transfer/message.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

/// Receives that data may not use, so that control messages get through where data does not. doc/wire.md says why
/// eight.
inline constexpr unsigned default_control_reserve = 8;

/// Control messages without which the connection goes on as well, such as adverts, are sent only while so few are not
/// reported as reaped: the slots that are left are for those that it needs. doc/wire.md counts them.
inline constexpr unsigned optional_controls = 12;

/// Where a direction's counters begin: at zero on the wire; tests begin near a wrap.
struct start_position {
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
  std::uint64_t controls = 0;
};

/// What may be sent now: the sender's picture of the peer's ring, posted receives and mirror. All arithmetic is on
/// differences of 64-bit counters, which may wrap.
class send_window {
public:
  /// ring_size is the peer's, a power of two; queue_depth is the number of receives the peer keeps posted, more than
  /// control_reserve.
  send_window(std::uint32_t ring_size, std::uint32_t queue_depth, unsigned control_reserve = default_control_reserve,
              start_position start = {}) noexcept
      : ring_size_(ring_size),
        queue_depth_(queue_depth),
        data_depth_(queue_depth - control_reserve),
        tail_(start.bytes),
        consumed_(start.bytes),
        sent_(start.messages),
        reaped_(start.messages),
        controls_(start.controls) {
    assert(is_power_of_two(ring_size) && control_reserve < queue_depth);
    // Slots never used are free: as if the messages just before the first one had used them, all reaped.
    for (std::uint64_t& user : slot_user_) user = start.messages - 1;
  }

  /// How many of want bytes may go as one data message: at most max_chunk, within the room in the ring and without a
  /// wrap in it. 0 while the ring is full or the receives left are held back for control messages.
  std::uint32_t data_room(std::uint64_t want, std::uint32_t max_chunk) const noexcept {
    if (!empty_room()) return 0;
    const std::uint64_t room = ring_size_ - (tail_ - consumed_);
    const std::uint64_t fits = extent_at(tail_, room, ring_size_).length;
    return static_cast<std::uint32_t>(std::min({want, fits, std::uint64_t{max_chunk}}));
  }

  /// What keeps data back is the peer's ring, which is full.
  bool ring_is_full() const noexcept { return empty_room() && tail_ - consumed_ == ring_size_; }

  /// From now on data goes into a larger ring, whose size the peer has told; it may_grow_to() that.
  void grow(std::uint32_t size) noexcept {
    assert(may_grow_to(size));
    ring_size_ = size;
  }
  /// No more than fourfold, so that a quarter of the new ring is not beyond the one in use: credits are for that much
  /// from the offer on.
  bool may_grow_to(std::uint32_t size) const noexcept {
    return size > ring_size_ && size / 4 <= ring_size_ && is_power_of_two(size);
  }

  /// True if a message of no bytes may be sent: only receives bound it.
  bool empty_room() const noexcept { return outstanding() < data_depth_; }

  /// Where in the peer's ring the next data goes, from the ring's first byte.
  std::uint32_t remote_offset() const noexcept { return static_cast<std::uint32_t>(tail_ & (ring_size_ - 1)); }

  /// A data message of length bytes was posted; length <= data_room(), or empty_room() if it is 0.
  void sent_data(std::uint32_t length) noexcept {
    assert(length == 0 ? empty_room() : length <= data_room(length, length));
    tail_ += length;
    ++sent_;
    ++ring_messages_;
  }

  /// A data message was posted whose bytes do not go into the ring; empty_room() was true.
  void sent_direct() noexcept {
    assert(empty_room());
    ++sent_;
  }

  /// Data messages that went into the ring since the connection began.
  std::uint64_t ring_messages() const noexcept { return ring_messages_; }

  /// True if a control message of any kind may be sent: the peer has a receive for it, and its mirror slot was read.
  bool control_room() const noexcept {
    return outstanding() < queue_depth_ && outstanding() <= sent_ - 1 - slot_user_[next_slot()];
  }

  /// True if a control message may be sent that is of use, and not needed.
  bool optional_room() const noexcept {
    const std::uint64_t earlier = slot_user_[static_cast<std::size_t>((controls_ - optional_controls) % mirror_slots)];
    return empty_room() && control_room() && outstanding() <= sent_ - 1 - earlier;
  }

  /// The mirror slot for the text of the next control message.
  unsigned next_slot() const noexcept { return static_cast<unsigned>(controls_ % mirror_slots); }

  /// The next control message was posted; control_room() was true. Kinds without text take their slot all the same.
  void sent_control() noexcept {
    assert(control_room());
    slot_user_[next_slot()] = sent_;
    ++controls_;
    ++sent_;
  }

  /// Takes in what the peer reports. False, and nothing changed, if that cannot be true: a count that went back, or
  /// ran ahead of what was sent. Then the peer broke the protocol.
  bool apply(credit c) noexcept {
    if (c.consumed - consumed_ > tail_ - consumed_ || c.reaped - reaped_ > outstanding()) return false;
    consumed_ = c.consumed;
    reaped_ = c.reaped;
    return true;
  }

  /// Stream position behind the last byte sent.
  std::uint64_t tail() const noexcept { return tail_; }
  /// Bytes sent that the peer's user has not read, as far as known here.
  std::uint64_t unconsumed() const noexcept { return tail_ - consumed_; }
  /// Messages sent whose receives the peer has not posted again, as far as known here.
  std::uint64_t outstanding() const noexcept { return sent_ - reaped_; }

  /// Messages sent since the connection began, control messages included.
  std::uint64_t messages() const noexcept { return sent_; }
  /// Control messages sent since the connection began.
  std::uint64_t controls() const noexcept { return controls_; }

  std::uint32_t ring_size() const noexcept { return ring_size_; }
  std::uint32_t queue_depth() const noexcept { return queue_depth_; }

private:
  std::uint32_t ring_size_;
  std::uint32_t queue_depth_;
  std::uint32_t data_depth_;
  std::uint64_t tail_;
  std::uint64_t consumed_;
  std::uint64_t sent_;
  std::uint64_t reaped_;
  std::uint64_t controls_;
  std::uint64_t ring_messages_ = 0;
  std::array<std::uint64_t, mirror_slots> slot_user_{};  // number of the message that used the slot last
};

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
