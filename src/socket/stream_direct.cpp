// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Data that goes into memory that its reader has offered, and not through the ring: both ends of it.

#include "io/program_memory.hpp"
#include "socket/stream_burst.hpp"
#include "socket/stream_engine.hpp"

#include <algorithm>

namespace asio_rdma {
inline namespace v1 {
namespace core {

using transfer::message_kind;

namespace {

/// Less than this goes through the ring: a copy is cheaper than another offer.
constexpr std::size_t least_direct = 8 * 1024;

}  // namespace

// The end that reads.

bool stream_engine::offer(std::byte* data, std::size_t size, std::uint64_t& ticket) noexcept {
  if (!has_direct() || !window_ || dead_ || violation_ || aborted_) return false;
  if (has_input() || incoming_->fin() || withdraw_due_ || !own_adverts_.may_offer()) return false;
  if (!window_->optional_room() || !slots_->data_room()) return false;
  const auto length = static_cast<std::uint32_t>(std::min<std::size_t>(size, transfer::longest_advert));
  io::program_memory::known known;
  if (io::program_memory::find(queues_.device(), data, length, known) || !known.region) return false;
  window& w = windows_[transfer::own_adverts::slot(own_adverts_.end())];
  if (!w.handle) {
    w.handle = queues_.window(transfer::own_adverts::slot(own_adverts_.end()));
    if (!w.handle) return false;
    w.key = w.handle->rkey;
  }
  if (!own_adverts_.is_worthwhile()) return false;

  w.key = ::ibv_inc_rkey(w.key);
  w.data = data;
  w.shut_by = 0;
  w.is_open = true;
  ticket = own_adverts_.offer(length);
  transfer::advert a;
  a.credit = incoming_->take_credit();
  a.ring_messages = incoming_->ring_messages();
  a.address = address_of(data);
  a.key = w.key;
  a.length = length;
  burst b(*this);
  b.add_open(w.handle, w.key, known.region, data, length);
  b.add_text(message_kind::advert, transfer::encode_advert(a));
  b.post();
  w.handle->rkey = w.key;  // from which the provider knows what to bind the next time
  return true;
}

void stream_engine::direct_arrived(std::uint32_t field) noexcept {
  const bool ends = (field & transfer::direct_ends) != 0;
  const std::uint32_t length = field & ~transfer::direct_ends;
  if (!incoming_->direct_arrived(ends) || !own_adverts_.direct_arrived(length, ends)) {
    return violated("data beyond the memory that was offered");
  }
  direct_received_ += length;
}

void stream_engine::withdrawn_arrived() noexcept {
  if (!incoming_->control_arrived() || !own_adverts_.given_back()) violated("memory given back that nobody asked for");
}

bool stream_engine::ask_back(std::uint64_t ticket) noexcept {
  const bool is_needed = ticket == 0 ? own_adverts_.has_open() : !own_adverts_.at(ticket).is_over;
  if (!is_needed || is_asked_back()) return false;
  withdraw_due_ = true;
  flush();
  return true;
}

void stream_engine::revoke() noexcept {
  own_adverts_.end_all();
  flush();
}

bool stream_engine::is_shut(std::uint64_t ticket) const noexcept {
  const window& w = windows_[transfer::own_adverts::slot(ticket)];
  return !w.is_open || (w.shut_by != 0 && requests_over_ >= w.shut_by);
}

bool stream_engine::has_windows_open() const noexcept {
  for (std::uint64_t t = own_adverts_.begin(); t != own_adverts_.end(); ++t) {
    if (queues_ && !own_adverts_.at(t).is_taken && !is_shut(t)) return true;
  }
  return false;
}

void stream_engine::shut_windows(burst& b) noexcept {
  for (std::uint64_t t = own_adverts_.begin(); t != own_adverts_.end() && slots_->data_room(); ++t) {
    window& w = windows_[transfer::own_adverts::slot(t)];
    if (!own_adverts_.at(t).is_over || !w.is_open || w.shut_by != 0) continue;
    b.add_shut(w.key);
    w.shut_by = slots_->next_index();
  }
}

/// The peer reaches nothing any more, and no request of ours is done. A window that is open would keep the program's
/// memory from being deregistered (ibv_reg_mr(3)).
void stream_engine::end_offers() noexcept {
  own_adverts_.end_all();
  queues_.drop_windows();
  windows_ = {};
}

bool stream_engine::read_offered(std::uint64_t ticket, std::size_t& bytes, bool& at_end) noexcept {
  const transfer::own_adverts::entry& e = own_adverts_.at(ticket);
  if (!e.is_over || !is_shut(ticket)) return false;
  bytes = e.filled;
  at_end = e.ends && keeps_messages();
  direct_read_ += e.filled;
  windows_[transfer::own_adverts::slot(ticket)].is_open = false;
  own_adverts_.take(ticket);
  return true;
}

// The end that writes.

void stream_engine::advert_arrived(const transfer::immediate& message) noexcept {
  const auto slot = incoming_->control_arrived();
  if (!slot) return violated("control messages beyond the credit given");
  const auto a = transfer::decode_advert(text_in<transfer::advert_size>(*slot).data());
  const bool good = message.length == transfer::advert_size && window_ && window_->apply(a.credit) &&
                    window_->ring_messages() - a.ring_messages <= window_->messages() &&
                    peer_adverts_.offered(a, a.ring_messages == window_->ring_messages());
  if (!good) violated("an offer of memory that cannot be");
}

void stream_engine::withdraw_arrived() noexcept {
  if (!incoming_->control_arrived() || withdrawn_due_) return violated("memory asked for twice");
  peer_adverts_.clear();
  withdrawn_due_ = true;
}

bool stream_engine::may_go_direct(std::size_t pending) const noexcept {
  return !peer_adverts_.empty() && (peer_adverts_.is_open() || pending >= least_direct);
}

bool stream_engine::is_held_back(std::size_t pending) const noexcept {
  return peer_adverts_.is_holding() && pending >= least_direct;
}

std::uint32_t stream_engine::direct_room(std::size_t want) const noexcept {
  if (!window_->empty_room()) return 0;
  return static_cast<std::uint32_t>(std::min<std::size_t>({want, peer_adverts_.front().length, agreed_chunk_}));
}

void stream_engine::add_direct(burst& b, const std::byte* from, std::uint32_t length, std::uint32_t key,
                               bool ends) noexcept {
  const transfer::advert to = peer_adverts_.front();
  window_->sent_direct();
  peer_adverts_.sent(length, ends);
  b.add(message_kind::direct, ends ? length | transfer::direct_ends : length, from, length, to.address, to.key, key);
}

void stream_engine::end_writes() noexcept {
  if (!has_open_end() || direct_waits_) return;
  end_due_ = true;
  flush();
}

void stream_engine::end_direct(burst& b) noexcept {
  if (has_open_end() && (is_unposted() || direct_waits_ || !window_->empty_room() || !slots_->data_room())) return;
  end_due_ = false;
  if (has_open_end()) add_direct(b, nullptr, 0, 0, true);
}

void stream_engine::stop_holding() noexcept {
  if (!peer_adverts_.is_holding()) return;
  peer_adverts_.stop_holding();
  flush();
  // Whoever sleeps until there is room for the memory of his is woken by completions alone.
  if (direct_waits_ && slots_->outstanding() == 0 && !dead_) {
    burst b(*this);
    b.add_silent();
    b.post();
  }
}

/// What was asked of the peer, or by it.
void stream_engine::add_answers(burst& b) noexcept {
  if (withdraw_due_ && slots_->control_room() && window_->optional_room()) {
    withdraw_due_ = false;
    own_adverts_.ask_back();
    window_->sent_control();
    b.add(message_kind::withdraw, 0, nullptr, 0, peer_.ring_address, peer_.ring_key);
  }
  if (withdrawn_due_ && slots_->control_room() && window_->optional_room()) {
    withdrawn_due_ = false;
    window_->sent_control();
    b.add(message_kind::withdrawn, 0, nullptr, 0, peer_.ring_address, peer_.ring_key);
  }
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
