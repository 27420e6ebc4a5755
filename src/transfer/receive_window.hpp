// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_RECEIVE_WINDOW_HPP
#define ASIO_RDMA_TRANSFER_RECEIVE_WINDOW_HPP

#include "transfer/growing_ring.hpp"
#include "transfer/message.hpp"
#include "transfer/message_ends.hpp"
#include "transfer/send_window.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

/// Control messages after which their reaping is reported, so that a peer that sends nothing else gets its mirror slots
/// back while there are others to use.
inline constexpr unsigned default_control_report = 8;

/// What the peer has sent and what it is to be told: our own ring, posted receives and mirror. Call *_arrived() in the
/// order of the completions, each after its receive was posted again.
///
/// Nothing is believed: what a peer that keeps to the protocol could not have sent gives false and changes nothing.
class receive_window {
public:
  /// ring_size is a power of two, at least 4; queue_depth, at least 8, is the number of receives kept posted. of is
  /// stream or message.
  receive_window(std::uint32_t ring_size, std::uint32_t queue_depth, unsigned control_report = default_control_report,
                 start_position start = {}, mode of = mode::stream)
      : ring_(ring_size),
        queue_depth_(queue_depth),
        control_report_(control_report),
        received_(start.bytes),
        consumed_(start.bytes),
        consumed_reported_(start.bytes),
        reaped_(start.messages),
        reaped_reported_(start.messages),
        controls_(start.controls),
        controls_reported_(start.controls),
        mode_(of),
        ends_(of == mode::message ? queue_depth : 0) {
    assert(ring_size >= 4 && queue_depth >= 8);
  }

  /// A message of kind data was reaped. False if it is empty, comes after fin, wraps in the ring, or exceeds the credit
  /// given in bytes or messages.
  bool data_arrived(std::uint32_t length) noexcept {
    if (length == 0 || !bytes_arrived(length)) return false;
    within_message_ = true;
    return true;
  }

  /// The peer had to wait for room in the ring before it sent what arrived last.
  void peer_was_short_of_room() noexcept { room_is_short_ = true; }

  /// The peer had to wait for room, and may be offered a larger ring: nothing of the last change is left to be done.
  bool growth_due() const noexcept { return room_is_short_ && offered_ == 0 && !ring_.has_former() && !fin_; }
  /// The peer is being told of a ring of that size, which it may_grow_to(). Credits are for that size from now on, so
  /// that they do not become more.
  void ring_offered(std::size_t size) noexcept {
    assert(offered_ == 0 && !ring_.has_former());
    offered_ = size;
  }
  /// The peer tells, which is a control message also, that what it sends from now on goes into the ring offered. False
  /// if none is, or if it exceeds the credit given.
  bool ring_taken() noexcept {
    if (offered_ == 0 || !control_arrived()) return false;
    ring_.grow(received_, offered_);
    offered_ = 0;
    room_is_short_ = false;
    return true;
  }
  std::size_t ring_size() const noexcept { return ring_.size(); }
  /// The user has taken all that lay in the ring before the last change.
  bool former_is_done() const noexcept { return ring_.former_is_before(consumed_); }
  void forget_former() noexcept { ring_.forget_former(); }

  /// A message of kind end was reaped. As data_arrived(), but it may be empty.
  bool end_arrived(std::uint32_t length) noexcept {
    if (!bytes_arrived(length)) return false;
    within_message_ = false;
    ends_.add(received_);
    return true;
  }

  /// A message of kind direct was reaped, whose bytes are not in the ring. ends: in message mode, of a message. False
  /// if it comes after fin or exceeds the credit given.
  bool direct_arrived(bool ends) noexcept {
    if (fin_ || !message_arrived()) return false;
    within_message_ = !ends;
    return true;
  }
  /// Data messages that came into the ring since the connection began.
  std::uint64_t ring_messages() const noexcept { return ring_messages_; }

  /// A control message was reaped. Gives its mirror slot, or nothing if it exceeds the credit given. Read the slot's
  /// text before the next take_credit(): from then on the peer may write the slot again.
  std::optional<unsigned> control_arrived() noexcept {
    if (!message_arrived()) return std::nullopt;
    return static_cast<unsigned>(controls_++ % mirror_slots);
  }

  /// A message of kind fin was reaped, which is a control message also. False if it exceeds the credit given, is the
  /// second one, or comes within a message.
  bool fin_arrived() noexcept {
    if (fin_ || (mode_ == mode::message && within_message_) || !control_arrived()) return false;
    fin_ = true;
    return true;
  }

  /// Bytes that wait in the ring.
  std::size_t readable() const noexcept { return static_cast<std::size_t>(received_ - consumed_); }

  /// Message mode: how many of them belong to the oldest message.
  std::size_t readable_of_message() const noexcept {
    return ends_.empty() ? readable() : static_cast<std::size_t>(ends_.front() - consumed_);
  }
  /// Message mode: all of the oldest message has arrived.
  bool message_is_complete() const noexcept { return !ends_.empty(); }
  /// Message mode: the user has taken the oldest message, of which nothing is left. Only now does what ended it count
  /// as reaped, so that no more than queue_depth messages wait to be read.
  void consume_end() noexcept {
    assert(!ends_.empty() && ends_.front() == consumed_);
    ends_.pop();
  }

  /// Where they lie: the run that begins skip bytes behind the first one; skip <= readable(). Two runs hold them all,
  /// four while some are in the former ring.
  extent readable_extent(std::size_t skip = 0) const noexcept {
    assert(skip <= readable());
    return ring_.at(consumed_ + skip, readable() - skip);
  }

  /// The user has taken the first length bytes; length <= readable().
  void consume(std::size_t length) noexcept {
    assert(length <= readable());
    consumed_ += length;
  }

  /// True once the peer has ended its direction and everything was consumed.
  bool eof() const noexcept { return fin_ && received_ == consumed_ && ends_.empty(); }
  /// True once the peer has ended its direction.
  bool fin() const noexcept { return fin_; }

  /// Stream position behind the last byte that arrived.
  std::uint64_t received() const noexcept { return received_; }
  /// Stream position behind the last byte that the user has taken.
  std::uint64_t consumed() const noexcept { return consumed_; }
  /// Messages that arrived since the connection began, control messages included.
  std::uint64_t messages() const noexcept { return reaped_; }
  /// Control messages that arrived since the connection began.
  std::uint64_t controls() const noexcept { return controls_; }

  /// True if the peer should be told now: it may be waiting for it.
  bool credit_due() const noexcept {
    return (!fin_ && consumed_ - consumed_reported_ >= std::max(ring_.size(), offered_) / 4) ||
           counted() - reaped_reported_ >= queue_depth_ / 4 || controls_ - controls_reported_ >= control_report_;
  }

  /// The credit to send, which counts as reported from now on. Every receive reaped so far must be posted again.
  credit take_credit() noexcept {
    consumed_reported_ = consumed_;
    reaped_reported_ = counted();
    controls_reported_ = controls_;
    return {consumed_, reaped_reported_};
  }

private:
  /// Messages that are reported as reaped.
  std::uint64_t counted() const noexcept { return reaped_ - ends_.size(); }

  bool bytes_arrived(std::uint32_t length) noexcept {
    const std::uint64_t room = ring_.size() - (received_ - consumed_reported_);
    if (fin_ || length > ring_.at(received_, room).length || !message_arrived()) return false;
    received_ += length;
    ++ring_messages_;
    return true;
  }
  bool message_arrived() noexcept {
    if (reaped_ - reaped_reported_ >= queue_depth_) return false;
    ++reaped_;
    return true;
  }

  growing_ring ring_;
  std::uint32_t queue_depth_;
  unsigned control_report_;
  bool fin_ = false;
  std::uint64_t received_;
  std::uint64_t consumed_;
  std::uint64_t consumed_reported_;
  std::uint64_t reaped_;
  std::uint64_t reaped_reported_;
  std::uint64_t controls_;
  std::uint64_t controls_reported_;
  mode mode_;
  bool within_message_ = false;
  std::uint64_t ring_messages_ = 0;
  message_ends ends_;
  std::size_t offered_ = 0;  // size of the ring that the peer was told of and has not taken
  bool room_is_short_ = false;
};

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
