// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "socket/stream_engine.hpp"

#include "log/log.hpp"
#include "socket/path_wish.hpp"
#include "socket/stream_burst.hpp"
#include "transfer/message.hpp"
#include "transfer/piece.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace core {

using transfer::extent;
using transfer::message_kind;

namespace {

/// Sends in flight at once. More than a ring of chunks needs; small, since each connection has one.
constexpr unsigned send_depth = 64;

/// Longest message. Past the knee of every device's curve, and four of them fit into the default ring.
constexpr std::uint32_t longest_chunk = 64 * 1024;

/// Messages that may wait to be sent; more of them have to be large to fill the staging memory.
constexpr std::size_t most_staged_messages = 256;

}  // namespace

error stream_engine::create(verbs::cm_id& id, const settings& s) {
  io::stream_queues::sizes sizes;
  // A message that the buffer can hold arrives as a whole, so that a ring of messages has its size from the beginning.
  const int least = keeps_messages() ? INT_MAX : s[option::initial_buffer_size];
  sizes.ring = static_cast<std::uint32_t>(std::min(least, s[option::receive_buffer_size]));
  sizes.staging = static_cast<std::uint32_t>(std::min(least, s[option::send_buffer_size]));
  largest_ring_ = static_cast<std::size_t>(s[option::receive_buffer_size]);
  largest_staging_ = static_cast<std::size_t>(s[option::send_buffer_size]);
  sizes.mirror = transfer::mirror_size;
  sizes.control_texts = transfer::mirror_size;
  sizes.receive_depth = static_cast<unsigned>(s[option::queue_depth]);
  sizes.send_depth = send_depth;
  sizes.inline_size = static_cast<unsigned>(s[option::inline_size]);
  sizes.own_domain = s[option::own_protection_domain] != 0;
  if (const error e = queues_.create(id, sizes, wish_of(s))) return e;
  incoming_.emplace(sizes.ring, queues_.receive_depth(), transfer::default_control_report, transfer::start_position{},
                    mode_);
  staging_.emplace(sizes.staging);
  to_end_.emplace(keeps_messages() ? most_staged_messages : 0);
  slots_.emplace(queues_.send_depth());
  return {};
}

error stream_engine::make_ready(const verbs::cm_id& id, const settings& s) {
  return queues_.make_ready(id, wish_of(s));
}

bool stream_engine::granted(option name, int& value) const noexcept {
  const io::connection_path& path = queues_.path();
  switch (name) {
    case option::queue_depth:
      value = static_cast<int>(queues_.receive_depth());
      return true;
    case option::inline_size:
      value = static_cast<int>(queues_.inline_size());
      return true;
    case option::ack_timeout:
      value = path.ack_timeout;
      return true;
    case option::retry_count:
      value = path.retry_count;
      return true;
    case option::rnr_retry:
      value = path.rnr_retry;
      return true;
    case option::traffic_class:
      value = path.traffic_class;
      return true;
    case option::service_level:
      value = path.service_level;
      return true;
    case option::hop_limit:
      value = path.hop_limit;
      return true;
    case option::pkey:
      value = path.pkey;
      return true;
    case option::gid_index:
      value = path.gid_index;
      return true;
    default:
      return false;
  }
}

void stream_engine::destroy(verbs::cm_id& id) noexcept {
  end_stalls();
  queues_.destroy(id);
  end_offers();  // without a queue pair, the peer reaches nothing
}

transfer::handshake stream_engine::describe() const noexcept {
  transfer::handshake h;
  h.mode = mode_;
  h.features = transfer::feature_ring;
  if (queues_.device()->has_windows()) h.features |= transfer::feature_direct;
  h.ring_size = queues_.first_ring_size();
  h.queue_depth = static_cast<std::uint16_t>(queues_.receive_depth());
  h.max_chunk = longest_chunk;
  h.ring_address = address_of(queues_.ring().data());
  h.ring_key = queues_.ring().remote_key();
  h.mirror_address = address_of(queues_.mirror());
  h.mirror_key = queues_.mirror_key();
  return h;
}

void stream_engine::start(const transfer::handshake& peer, const transfer::agreement& agreed) {
  peer_ = peer;
  features_ = agreed.features;
  agreed_chunk_ = agreed.max_chunk;
  window_.emplace(peer.ring_size, peer.queue_depth);
  fit_chunk();
}

void stream_engine::fit_chunk() noexcept {
  // A chunk of a quarter lets the receiver give credit while the next ones are on their way.
  max_chunk_ = std::max(std::min(agreed_chunk_, window_->ring_size() / 4), transfer::min_chunk);
}

bool stream_engine::progress() noexcept {
  constexpr int batch = 32;
  ibv_wc wcs[batch];
  bool any = false;
  for (;;) {
    const int count = queues_ ? queues_.poll(wcs, batch) : 0;
    if (count < 0) broken(error(EIO));
    if (count <= 0) break;
    any = true;
    counters_.completions += static_cast<unsigned>(count);
    unsigned reaped = 0;
    for (int i = 0; i < count; ++i) {
      reaped += wcs[i].wr_id == io::stream_queues::receive_id ? 1 : 0;
      completed(wcs[i]);
    }
    // Before any credit tells of them: flush() comes later.
    if (!dead_ && reaped > 0) {
      if (const int e = queues_.post_receives(reaped)) broken(error(e));
    }
  }
  if (any) flush();
  return any;
}

void stream_engine::completed(const ibv_wc& wc) noexcept {
  // In order, and each of a queue pair that failed has one.
  if (wc.wr_id != io::stream_queues::receive_id) requests_over_ = wc.wr_id / 2 + 1;
  if (wc.status != IBV_WC_SUCCESS) {
    // Only wr_id, status, qp_num and vendor_err of such a completion mean anything (ibv_poll_cq(3)). The first one that
    // is no flush is the cause.
    if (wc.status != IBV_WC_WR_FLUSH_ERR && failed_status_ == IBV_WC_SUCCESS) {
      failed_status_ = wc.status;
      vendor_error_ = wc.vendor_err;
    }
    dead_ = true;
    end_offers();
  } else if (wc.wr_id == io::stream_queues::receive_id) {
    arrived(wc);
  } else {
    sent(wc);
  }
}

void stream_engine::sent(const ibv_wc& wc) noexcept {
  const std::uint64_t index = wc.wr_id / 2;
  if (const auto position = slots_->completed(index)) {
    staging_->complete(*position);
    if (staging_->former_is_done()) {
      staging_->forget_former();
      queues_.release_former_staging();
    }
  }
  if (fin_index_ && index >= *fin_index_) fin_acknowledged_ = true;
  if (life_index_ && index >= *life_index_) life_index_.reset();
}

void stream_engine::arrived(const ibv_wc& wc) noexcept {
  if (violation_ || aborted_) return;
  if (wc.opcode != IBV_WC_RECV_RDMA_WITH_IMM) return violated("a message that is no write with immediate");
  auto immediate = transfer::decode_immediate(ntohl(wc.imm_data));
  if (!immediate || !transfer::is_permitted(immediate->kind, mode_, features_)) {
    return violated("a message of a kind that was not agreed on");
  }
  const bool is_data = immediate->kind == message_kind::data || immediate->kind == message_kind::end;
  if (is_data && grows_rings() && (immediate->length & transfer::room_was_short) != 0) {
    immediate->length &= ~transfer::room_was_short;
    incoming_->peer_was_short_of_room();
  }
  if (is_data || immediate->kind == message_kind::fin) own_adverts_.passed_over();
  switch (immediate->kind) {
    case message_kind::data:
      if (!incoming_->data_arrived(immediate->length)) violated("data beyond the credit given");
      break;
    case message_kind::end:
      if (!incoming_->end_arrived(immediate->length)) violated("a message beyond the credit given");
      break;
    case message_kind::fin:
      if (!incoming_->fin_arrived()) violated("a fin out of place");
      break;
    case message_kind::ring:
      if (immediate->length == 0) return ring_taken();
      ring_was_offered(*immediate);
      break;
    case message_kind::direct:
      direct_arrived(immediate->length);
      break;
    case message_kind::advert:
      advert_arrived(*immediate);
      break;
    case message_kind::withdraw:
      withdraw_arrived();
      break;
    case message_kind::withdrawn:
      withdrawn_arrived();
      break;
    case message_kind::credit:
    case message_kind::abort:
    default:
      if (const auto slot = incoming_->control_arrived()) {
        if (immediate->kind == message_kind::credit) return credit_arrived(*slot);
        aborted_ = static_cast<transfer::abort_reason>(immediate->length);
      } else {
        violated("control messages beyond the credit given");
      }
  }
}

void stream_engine::credit_arrived(unsigned slot) noexcept {
  const auto text = text_in<transfer::credit_size>(slot);
  if (!window_ || !window_->apply(transfer::decode_credit(text.data()))) violated("a credit that cannot be");
}

void stream_engine::ring_was_offered(const transfer::immediate& message) noexcept {
  const auto slot = incoming_->control_arrived();
  if (!slot) return violated("control messages beyond the credit given");
  const auto offer = transfer::decode_ring_offer(text_in<transfer::ring_offer_size>(*slot).data());
  const bool good = message.length == transfer::ring_offer_size && window_ && !offered_ring_ &&
                    window_->may_grow_to(offer.size) && transfer::is_possible(offer);
  if (!good) return violated("a ring that cannot be");
  offered_ring_ = offer;
}

void stream_engine::ring_taken() noexcept {
  if (!incoming_->ring_taken()) return violated("a ring taken that was not offered");
  queues_.use_prepared_ring();
  release_read_ring();
}

void stream_engine::release_read_ring() noexcept {
  if (!incoming_->former_is_done()) return;
  incoming_->forget_former();
  queues_.release_former_ring();
}

void stream_engine::broken(const error& why) noexcept {
  if (!broken_) broken_ = why;
  dead_ = true;
}

void stream_engine::violated(const char* why) noexcept {
  if (!violation_) violation_ = why;
}

void stream_engine::flush() noexcept {
  if (!window_ || dead_ || violation_ || aborted_) return;
  burst b(*this);
  if (offered_ring_) take_offered_ring(b);
  const bool moved = add_data(b);
  if (has_direct()) {
    if (end_due_) end_direct(b);
    add_answers(b);
    shut_windows(b);
  }
  add_controls(b);
  b.post();
  note_stalls(moved);
}

/// What is posted from here on goes into the ring that the peer has offered.
void stream_engine::take_offered_ring(burst& b) noexcept {
  if (!control_room()) return;
  window_->sent_control();
  b.add(message_kind::ring, 0, nullptr, 0, peer_.ring_address, peer_.ring_key);
  window_->grow(offered_ring_->size);
  peer_.ring_address = offered_ring_->address;
  peer_.ring_key = offered_ring_->key;
  offered_ring_.reset();
  fit_chunk();
}

void stream_engine::offer_ring(burst& b) noexcept {
  const std::size_t present = incoming_->ring_size();
  const std::size_t size = std::min(present * 4, largest_ring_);
  if (size <= present) return;
  verbs::error_code ec;
  queues_.prepare_ring(size, ec);
  if (ec) {
    log(log_level::warning, "receive buffer stays at %zu bytes: %s", present, ec.message().c_str());
    largest_ring_ = present;
    return;
  }
  const io::registered_block& made = queues_.prepared_ring();
  incoming_->ring_offered(size);
  b.add_text(message_kind::ring, transfer::encode_ring_offer(
                                     {address_of(made.data()), made.remote_key(), static_cast<std::uint32_t>(size)}));
}

/// At once to the size that it may have: while the peer's ring is full, the former memory is not given up.
bool stream_engine::grow_staging() noexcept {
  const std::size_t size = largest_staging_;
  if (size <= staging_->size() || staging_->has_former() || dead_) return false;
  verbs::error_code ec;
  queues_.grow_staging(size, ec);
  if (ec) {
    log(log_level::warning, "send buffer stays at %zu bytes: %s", staging_->size(), ec.message().c_str());
    largest_staging_ = staging_->size();
    return false;
  }
  staging_->grow(size);
  return true;
}

void stream_engine::note_stalls(bool moved) noexcept {
  if (is_unposted() || direct_waits_ || credit_stall_.is_running() || device_stall_.is_running()) watch_stalls(moved);
}

void stream_engine::watch_stalls(bool moved) noexcept {
  if (dead_) return end_stalls();
  const bool held_up = is_unposted() || direct_waits_;
  const bool by_credit = held_up && slots_->data_room();
  credit_stall_.update(by_credit, moved);
  device_stall_.update(held_up && !by_credit, moved);
}

void stream_engine::end_stalls() noexcept {
  credit_stall_.update(false, false);
  device_stall_.update(false, false);
}

bool stream_engine::add_data(burst& b) noexcept {
  bool moved = false;
  if (!is_unposted()) return moved;
  while (slots_->data_room()) {
    const transfer::piece next = transfer::next_piece(*staging_, *to_end_);
    const io::registered_block& from = queues_.staging(next.bytes.in_former);
    if (next.bytes.length != 0 && may_go_direct(staging_->unposted())) {
      const std::uint32_t some = direct_room(next.bytes.length);
      if (some == 0) break;
      const bool is_end = next.ends_with(some);
      staging_->post(some);
      if (is_end) to_end_->pop();
      moved = true;
      add_direct(b, from.data() + next.bytes.offset, some, from.local_key(),
                 keeps_messages() ? is_end : staging_->unposted() == 0);
      continue;
    }
    if (is_held_back(staging_->unposted())) break;
    const std::uint32_t length = window_->data_room(next.bytes.length, max_chunk_);
    if (length == 0 && (next.bytes.length != 0 || !next.exists() || !window_->empty_room())) {
      note_full_ring(next.bytes.length);
      break;
    }
    const bool ends = next.ends_with(length);
    const std::uint64_t to = peer_.ring_address + window_->remote_offset();
    window_->sent_data(length);
    staging_->post(length);
    if (ends) to_end_->pop();
    moved = true;
    went_into_ring();
    b.add(ends ? message_kind::end : message_kind::data, mark_shortage(length), from.data() + next.bytes.offset, length,
          to, peer_.ring_key, from.local_key());
  }
  return moved;
}

void stream_engine::add_controls(burst& b) noexcept {
  if (sending_ended_ && !fin_index_ && !is_unposted() && control_room()) {
    fin_index_ = slots_->next_index();
    peer_adverts_.clear();  // it says that nothing follows
    window_->sent_control();
    b.add(message_kind::fin, 0, nullptr, 0, peer_.ring_address, peer_.ring_key);
  }
  if (incoming_->credit_due() && control_room()) {
    b.add_text(message_kind::credit, encode_credit(incoming_->take_credit()));
  }
  if (grows_rings() && incoming_->growth_due() && control_room()) offer_ring(b);
}

std::size_t stream_engine::read(const iovec* buffers, std::size_t count, bool peek, bool& at_end) noexcept {
  const std::size_t there = incoming_->readable_of_message();
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    auto* to = static_cast<std::byte*>(buffers[i].iov_base);
    std::size_t wanted = buffers[i].iov_len;
    while (wanted > 0) {
      const extent run = incoming_->readable_extent(peek ? total : 0);
      const std::size_t length = std::min({run.length, wanted, there - total});
      if (length == 0) break;
      std::memcpy(to, queues_.ring(run.in_former).data() + run.offset, length);
      if (!peek) incoming_->consume(length);
      to += length;
      wanted -= length;
      total += length;
    }
  }
  counters_.read_bytes_copied += total;
  at_end = total == there && incoming_->message_is_complete();
  if (at_end && !peek) incoming_->consume_end();
  if (peek) return total;
  release_read_ring();
  if (incoming_->credit_due()) flush();
  return total;
}

void stream_engine::discard_input() noexcept {
  while (has_input()) {
    const bool is_end = incoming_->message_is_complete();
    incoming_->consume(incoming_->readable_of_message());
    if (is_end) incoming_->consume_end();
  }
  if (incoming_) release_read_ring();
  if (incoming_ && incoming_->credit_due()) flush();
}

bool stream_engine::make_room() noexcept {
  return is_writable() || (staging_ && staging_->free() == 0 && grow_staging());
}

std::size_t stream_engine::write(const iovec* buffers, std::size_t count, bool ends, bool more) noexcept {
  std::size_t total = 0;
  bool is_all = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto* from = static_cast<const std::byte*>(buffers[i].iov_base);
    std::size_t left = buffers[i].iov_len;
    while (left > 0) {
      const extent run = staging_->free_extent();
      const std::size_t length = std::min(run.length, left);
      if (length == 0) {
        if (grow_staging()) continue;
        is_all = false;
        break;
      }
      std::memcpy(queues_.staging(run.in_former).data() + run.offset, from, length);
      staging_->stage(length);
      from += length;
      left -= length;
      total += length;
    }
  }
  counters_.write_bytes_copied += total;
  if (keeps_messages()) {
    within_message_ = !(is_all && ends);
    if (!within_message_) to_end_->add(staging_->staged());
  }
  if (!more && is_unposted()) flush();
  return total;
}

std::size_t stream_engine::write_direct(const std::byte* data, std::size_t size, std::uint32_t key,
                                        bool& more, std::uint64_t& hold) noexcept {
  const bool may_follow = std::exchange(more, false) && !keeps_messages();
  if (!window_ || dead_ || violation_ || aborted_) return 0;
  if (is_unposted()) flush();
  if (is_unposted()) return 0;
  burst b(*this);
  std::size_t total = 0;
  while (total < size && slots_->data_room()) {
    if (may_go_direct(size - total)) {
      const std::uint32_t some = direct_room(size - total);
      if (some == 0) break;
      direct_posted_ += some;
      hold = last_hold_ = slots_->next_index() + 1;
      const bool is_end = total + some == size && !may_follow;
      add_direct(b, data + total, some, key, is_end);
      total += some;
      continue;
    }
    if (is_held_back(size - total)) break;
    const std::uint32_t length = window_->data_room(size - total, max_chunk_);
    if (length == 0) {
      note_full_ring(size - total);
      break;
    }
    const bool ends = keeps_messages() && total + length == size;
    const std::uint64_t to = peer_.ring_address + window_->remote_offset();
    window_->sent_data(length);
    direct_posted_ += length;
    hold = last_hold_ = slots_->next_index() + 1;
    went_into_ring();
    b.add(ends ? message_kind::end : message_kind::data, mark_shortage(length), data + total, length, to,
          peer_.ring_key, key);
    total += length;
  }
  if (keeps_messages() && total > 0) within_message_ = total < size;
  add_controls(b);
  b.post();
  direct_waits_ = total < size;
  more = has_open_end();
  note_stalls(total > 0);
  return total;
}

void stream_engine::forget_direct() noexcept {
  if (!std::exchange(direct_waits_, false)) return;
  note_stalls(false);
  end_writes();
}

void stream_engine::end_sending() noexcept {
  if (sending_ended_) return;
  sending_ended_ = true;
  direct_waits_ = false;
  flush();
}

void stream_engine::ask_for_life() noexcept {
  if (!window_ || dead_ || violation_ || aborted_) return;
  if (slots_->outstanding() == 0) {
    burst b(*this);
    b.add_silent();
    b.post();
  }
  life_index_ = slots_->next_index() - 1;
}

bool stream_engine::waits_for_peer() const noexcept {
  if (!window_ || dead_ || violation_ || aborted_) return false;
  return life_index_ || (end_due_ && peer_adverts_.is_open()) || withdraw_due_ || withdrawn_due_ || is_unposted() ||
         (sending_ended_ && !fin_index_) || incoming_->credit_due();
}

/// A request that is flushed behind those that would not be heard of: then they are over.
error stream_engine::end_tail() noexcept {
  ibv_send_wr request{}, *bad = nullptr;
  request.wr_id = (requests_posted_ - 1) * 2;
  request.opcode = IBV_WR_RDMA_WRITE;
  request.send_flags = IBV_SEND_SIGNALED;
  request.wr.rdma.remote_addr = peer_.ring_address;
  request.wr.rdma.rkey = peer_.ring_key;
  if (const int e = queues_.post_sends(&request, bad)) return error(e);
  tail_is_silent_ = false;
  return {};
}

error stream_engine::stop() noexcept {
  dead_ = true;
  end_stalls();
  error e = queues_.to_error();
  if (!e) end_offers();
  if (!e && tail_is_silent_) e = end_tail();
  return e;
}

stream_counters stream_engine::count() const noexcept {
  stream_counters c = counters_;
  c.events_armed = queues_.events_armed();
  c.events_taken = queues_.events_taken();
  c.credit_stalls = credit_stall_.count();
  c.credit_stall_time = credit_stall_.time();
  c.device_stalls = device_stall_.count();
  c.device_stall_time = device_stall_.time();
  if (staging_) {
    c.bytes_written = staging_->staged() + direct_posted_;
    c.bytes_sent = staging_->posted() + direct_posted_;
    c.bytes_acknowledged = staging_->completed() + slots_->direct_completed();
    c.write_bytes_direct = direct_posted_;
  }
  if (incoming_) {
    c.bytes_received = incoming_->received() + direct_received_;
    c.bytes_read = incoming_->consumed() + direct_read_;
    c.read_bytes_direct = direct_read_;
    c.control_messages_received = incoming_->controls();
    c.messages_received = incoming_->messages() - incoming_->controls();
  }
  if (window_) {
    c.control_messages_sent = window_->controls();
    c.messages_sent = window_->messages() - window_->controls();
  }
  return c;
}

stream_levels stream_engine::levels() const noexcept {
  stream_levels l;
  if (!queues_) return l;
  l.registered_memory = queues_.registered();
  l.receive_buffer_size = incoming_ ? incoming_->ring_size() : 0;
  l.receive_buffer_used = readable();
  l.receive_queue_depth = queues_.receive_depth();
  l.send_buffer_size = staging_ ? staging_->size() : 0;
  l.send_queue_depth = queues_.send_depth();
  if (staging_) {
    l.send_buffer_used = staging_->staged() - staging_->completed();
    l.send_buffer_unsent = staging_->unposted();
  }
  if (slots_) l.send_queue_used = slots_->outstanding();
  if (window_) {
    l.peer_buffer_size = window_->ring_size();
    l.peer_buffer_used = window_->unconsumed();
    l.peer_queue_depth = window_->queue_depth();
    l.credit_bytes = l.peer_buffer_size - l.peer_buffer_used;
    l.credit_messages = l.peer_queue_depth - window_->outstanding();
  }
  return l;
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
