// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_STREAM_ENGINE_HPP
#define ASIO_RDMA_SRC_SOCKET_STREAM_ENGINE_HPP

#include "io/stream_queues.hpp"
#include "options/settings.hpp"
#include "socket/stall_clock.hpp"
#include "transfer/handshake.hpp"
#include "transfer/message_ends.hpp"
#include "transfer/own_adverts.hpp"
#include "transfer/peer_adverts.hpp"
#include "transfer/receive_window.hpp"
#include "transfer/send_queue.hpp"
#include "transfer/send_window.hpp"
#include "transfer/staging.hpp"

#include <asio_rdma/detail/core/statistics.hpp>

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// Moves the bytes of one connection, and in message mode says which of them are of one message: joins the state
/// machines of transfer/ to the queues of io/. It knows neither threads nor the connection manager. Guarded by its
/// connection's mutex.
class stream_engine {
public:
  /// mode is stream or message.
  explicit stream_engine(transfer::mode mode) noexcept : mode_(mode) {}
  transfer::mode mode() const noexcept { return mode_; }
  /// Makes the queues on the id's device. Messages of the peer are taken from now on.
  error create(verbs::cm_id& id, const settings& s);
  void destroy(verbs::cm_id& id) noexcept;

  /// What the peer has to know of this end.
  transfer::handshake describe() const noexcept;
  /// Brings the queue pair to where it sends; see stream_queues::make_ready().
  error make_ready(const verbs::cm_id& id, const settings& s);
  /// What the device has granted for an option that was a wish; false for other options.
  bool granted(option name, int& value) const noexcept;
  /// What the peer told us; may be sent to from now on.
  void start(const transfer::handshake& peer, const transfer::agreement& agreed);

  /// Takes all completions, posts receives again, sends what can be sent. True if there was any completion.
  bool progress() noexcept;
  /// Sends what can be sent: staged bytes, fin, credits.
  void flush() noexcept;

  /// Bytes that one read() can have.
  std::size_t readable() const noexcept { return incoming_ ? incoming_->readable_of_message() : 0; }
  /// Whether there is anything to read, be it a message of no bytes.
  bool has_input() const noexcept {
    return incoming_ && (incoming_->readable() > 0 || incoming_->message_is_complete());
  }
  /// Copies out at most readable() bytes. at_end: they are the last ones of their message.
  std::size_t read(const iovec* buffers, std::size_t count, bool peek, bool& at_end) noexcept;
  /// Takes all that has arrived as read, where nobody will read it.
  void discard_input() noexcept;
  std::size_t writable() const noexcept { return staging_ ? staging_->free() : 0; }
  /// Whether write() can take anything.
  bool is_writable() const noexcept {
    return staging_ && staging_->free() > 0 && (!keeps_messages() || !to_end_->full());
  }
  /// The same, after more memory was taken for it where that helps.
  bool make_room() noexcept;
  /// Copies in what there is room for and sends what can be sent, unless more is said to come before flush(). ends: in
  /// message mode, the last byte is the last one of its message.
  std::size_t write(const iovec* buffers, std::size_t count, bool ends, bool more) noexcept;
  /// Posts what there is room for now, of memory that the device knows by a key; gives the number of bytes. They follow
  /// all that was staged: 0 also while that has not been posted. In message mode, the last byte is the last one of its
  /// message. If any were posted, the memory is the device's until holds(hold) is false.
  /// more: there may be more to write behind it; it becomes true if the peer's reader was left to wait for that, until
  /// end_writes().
  std::size_t write_direct(const std::byte* data, std::size_t size, std::uint32_t key, bool& more,
                           std::uint64_t& hold) noexcept;
  /// There was no more.
  void end_writes() noexcept;
  bool is_last_hold(std::uint64_t hold) const noexcept { return hold == last_hold_; }
  bool has_open_end() const noexcept { return peer_adverts_.is_open() && !keeps_messages(); }
  /// Nobody will come again with the bytes that the last write_direct() did not take.
  void forget_direct() noexcept;
  /// The device may still touch memory of that hold or of one before it.
  bool holds(std::uint64_t hold) const noexcept { return queues_ && std::min(hold, requests_posted_) > requests_over_; }
  /// The device may still touch memory of the program, or the peer.
  bool holds_memory() const noexcept { return device_holds_memory() || has_windows_open(); }
  bool device_holds_memory() const noexcept { return holds(last_hold_); }

  /// Offers memory to the peer, for what is to be read next; everything that was offered before comes first. Gives a
  /// ticket: until read_offered() says otherwise the memory is the peer's. False if there is something to read, it is
  /// not worthwhile, or it cannot be done now.
  bool offer(std::byte* data, std::size_t size, std::uint64_t& ticket) noexcept;
  /// Asks the peer to write no more into what was offered, unless it is being asked already. A ticket of 0 means all.
  /// False if nothing is to be asked.
  bool ask_back(std::uint64_t ticket) noexcept;
  /// It has not answered.
  bool is_asked_back() const noexcept { return withdraw_due_ || own_adverts_.is_asked_back(); }
  /// The peer has not answered: takes the memory away from it. A peer that does nothing will have read what it was
  /// asked before it writes again; one that writes all the same loses the connection.
  void revoke() noexcept;
  /// False if the peer may still write. Otherwise the ticket is taken, and this many bytes have come, which may be
  /// none; at_end: they are the last ones of their message.
  bool read_offered(std::uint64_t ticket, std::size_t& bytes, bool& at_end) noexcept;
  /// Data waits for memory that the peer may offer.
  bool is_holding() const noexcept { return peer_adverts_.is_holding(); }
  /// It has waited long enough.
  void stop_holding() noexcept;

  /// The peer's device has acknowledged all bytes up to those of that hold.
  bool acknowledged_hold(std::uint64_t hold) const noexcept {
    return slots_ && slots_->retired() >= hold;
  }
  /// A message was begun and not ended.
  bool is_within_message() const noexcept { return within_message_; }

  std::uint64_t staged() const noexcept { return staging_ ? staging_->staged() : 0; }
  bool acknowledged(std::uint64_t position) const noexcept {
    return !staging_ || staging_->completed() - position < ~std::uint64_t{0} / 2;
  }

  /// Ends our direction: fin follows the last staged byte.
  void end_sending() noexcept;
  bool sending_ended() const noexcept { return sending_ended_; }
  /// Everything, fin included, is acknowledged by the peer's device.
  bool all_acknowledged() const noexcept { return fin_acknowledged_; }
  /// The peer has ended its direction and everything was read.
  bool eof() const noexcept { return incoming_ && incoming_->eof(); }
  bool peer_ended() const noexcept { return incoming_ && incoming_->fin(); }

  /// Asks the peer's device for a sign of life: unless requests wait for an acknowledgement anyway, it gets a write of
  /// no bytes, which only its device notices. waits_for_peer() until it has answered; if it does not, the device gives
  /// up.
  void ask_for_life() noexcept;

  /// Something can only be sent once the peer has made room: staged bytes, fin, a credit. Or it was asked for life.
  bool waits_for_peer() const noexcept;

  /// Something of the queue pair has failed: nothing more will arrive or be sent.
  bool dead() const noexcept { return dead_; }
  /// Why, if a work completion says it; IBV_WC_SUCCESS if the requests were only flushed.
  ibv_wc_status failed_status() const noexcept { return failed_status_; }
  std::uint32_t vendor_error() const noexcept { return vendor_error_; }
  /// Why, if the device refused a call.
  const error& call_error() const noexcept { return broken_; }
  /// The peer broke the protocol; then why, for the log.
  const char* violation() const noexcept { return violation_; }
  /// The peer has given the connection up.
  std::optional<transfer::abort_reason> aborted() const noexcept { return aborted_; }

  /// Nothing is sent any more; every outstanding request is flushed, or else it has to be called again.
  error stop() noexcept;

  /// Everything counted since the connection began. Those of the counters that follow from positions and the like are
  /// filled in here; the others are counted where they happen, here or by the connection.
  stream_counters count() const noexcept;
  stream_counters& counters() noexcept { return counters_; }
  stream_levels levels() const noexcept;

  io::stream_queues& queues() noexcept { return queues_; }
  const io::stream_queues& queues() const noexcept { return queues_; }

private:
  class burst;

  void completed(const ibv_wc& wc) noexcept;
  void sent(const ibv_wc& wc) noexcept;
  void arrived(const ibv_wc& wc) noexcept;
  void credit_arrived(unsigned slot) noexcept;
  void ring_was_offered(const transfer::immediate& message) noexcept;
  void ring_taken() noexcept;
  void release_read_ring() noexcept;
  // What goes into memory that was offered (stream_direct.cpp).
  bool has_direct() const noexcept { return (features_ & transfer::feature_direct) != 0; }
  void direct_arrived(std::uint32_t field) noexcept;
  void advert_arrived(const transfer::immediate& message) noexcept;
  void withdraw_arrived() noexcept;
  void withdrawn_arrived() noexcept;
  bool may_go_direct(std::size_t pending) const noexcept;
  bool is_held_back(std::size_t pending) const noexcept;
  std::uint32_t direct_room(std::size_t want) const noexcept;
  void add_direct(burst& b, const std::byte* from, std::uint32_t length, std::uint32_t key, bool ends) noexcept;
  void end_direct(burst& b) noexcept;
  void add_answers(burst& b) noexcept;
  void shut_windows(burst& b) noexcept;
  void end_offers() noexcept;
  bool has_windows_open() const noexcept;
  bool is_shut(std::uint64_t ticket) const noexcept;
  void went_into_ring() noexcept {
    if (!peer_adverts_.empty() || peer_adverts_.is_holding()) peer_adverts_.clear();
  }
  void take_offered_ring(burst& b) noexcept;
  void offer_ring(burst& b) noexcept;
  bool grow_staging() noexcept;
  void fit_chunk() noexcept;
  bool grows_rings() const noexcept { return (features_ & transfer::feature_ring) != 0; }
  void note_full_ring(std::size_t waiting) noexcept { short_of_room_ |= waiting > 0 && window_->ring_is_full(); }
  /// The length field of a data message.
  std::uint32_t mark_shortage(std::uint32_t length) noexcept {
    return std::exchange(short_of_room_, false) && grows_rings() ? length | transfer::room_was_short : length;
  }
  /// What the peer has written for a control message.
  template <std::size_t Size>
  std::array<unsigned char, Size> text_in(unsigned slot) const noexcept {
    std::array<unsigned char, Size> text;
    std::memcpy(text.data(), queues_.mirror() + slot * transfer::mirror_slot_size, Size);
    return text;
  }
  void broken(const error& why) noexcept;
  error end_tail() noexcept;
  void violated(const char* why) noexcept;
  bool add_data(burst& b) noexcept;
  void add_controls(burst& b) noexcept;
  void note_stalls(bool moved) noexcept;
  void watch_stalls(bool moved) noexcept;
  void end_stalls() noexcept;
  bool keeps_messages() const noexcept { return mode_ == transfer::mode::message; }
  /// Staged data, or the end of a message, was not posted.
  bool is_unposted() const noexcept { return staging_->unposted() > 0 || !to_end_->empty(); }
  bool control_room() const noexcept { return slots_->control_room() && window_->control_room(); }

  const transfer::mode mode_;
  io::stream_queues queues_;
  transfer::handshake peer_;
  std::uint32_t agreed_chunk_ = 0;
  std::uint32_t max_chunk_ = 0;
  std::size_t largest_ring_ = 0;
  std::size_t largest_staging_ = 0;
  std::optional<transfer::ring_offer> offered_ring_;  // by the peer, and not used yet
  bool short_of_room_ = false;                        // what was sent last left the peer's ring full
  std::uint32_t features_ = 0;
  std::optional<transfer::receive_window> incoming_;
  std::optional<transfer::send_window> window_;
  std::optional<transfer::staging> staging_;
  std::optional<transfer::message_ends> to_end_;  // messages staged and not posted
  std::optional<transfer::send_queue> slots_;
  bool within_message_ = false;
  bool sending_ended_ = false;
  std::optional<std::uint64_t> fin_index_;  // of the work request that carries fin
  bool fin_acknowledged_ = false;
  std::optional<std::uint64_t> life_index_;  // of the work request whose completion is the sign of life
  std::uint64_t requests_posted_ = 0;  // index behind the last request that the device took
  bool tail_is_silent_ = false;        // the last ones that it took may not have asked for a completion
  std::uint64_t requests_over_ = 0;    // index behind the last request that the device has given back, done or not
  std::uint64_t last_hold_ = 0;        // index behind the last request that uses the program's memory
  std::uint64_t direct_posted_ = 0;    // bytes that were not staged
  bool direct_waits_ = false;          // write_direct() did not take all
  /// A window to memory of the program, of the ticket in its place.
  struct window {
    ibv_mw* handle = nullptr;
    std::uint32_t key = 0;
    std::byte* data = nullptr;
    std::uint64_t shut_by = 0;  // index behind the request that shuts it; 0: not posted yet
    bool is_open = false;       // it was opened, and is not known to be shut
  };
  transfer::own_adverts own_adverts_;
  transfer::peer_adverts peer_adverts_;
  static_assert(io::stream_queues::windows == transfer::max_adverts, "each offer that is open has a window");
  std::array<window, io::stream_queues::windows> windows_;
  bool withdraw_due_ = false;   // the peer is to be asked for what it was offered
  bool withdrawn_due_ = false;  // the peer has asked
  bool end_due_ = false;        // the peer's reader is to be told that nothing follows
  std::uint64_t direct_received_ = 0;
  std::uint64_t direct_read_ = 0;
  bool dead_ = false;
  error broken_;
  ibv_wc_status failed_status_ = IBV_WC_SUCCESS;
  std::uint32_t vendor_error_ = 0;
  const char* violation_ = nullptr;
  std::optional<transfer::abort_reason> aborted_;
  stream_counters counters_;
  stall_clock credit_stall_;
  stall_clock device_stall_;
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
