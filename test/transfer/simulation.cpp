// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "simulation.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace transfer_test {
namespace {

using transfer::extent;
using transfer::message_kind;

// The byte at each stream position; the period has no common factor with any ring.
unsigned char pattern(std::uint64_t position) {
  static const std::vector<unsigned char> bytes = [] {
    std::vector<unsigned char> b(65521);
    std::mt19937 random(1);
    for (unsigned char& x : b) x = static_cast<unsigned char>(random());
    return b;
  }();
  return bytes[position % bytes.size()];
}

}  // namespace

simulation::end::end(const settings& s, std::uint64_t bytes)
    : out(s.ring_size, s.queue_depth, s.control_reserve, s.start),
      in(s.ring_size, s.queue_depth, s.control_report, s.start, s.mode),
      staged(s.staging_size, s.start.bytes),
      to_end(s.mode == transfer::mode::message ? s.message_ends : 0),
      queue(s.send_queue_depth, transfer::default_send_queue_reserve, s.send_index_start),
      rings(1, std::vector<unsigned char>(s.ring_size)),
      staging_memory(1, std::vector<unsigned char>(s.staging_size)),
      mirror(transfer::mirror_size),
      to_write(bytes),
      consumed(s.start.bytes) {}

simulation::simulation(const settings& s, std::uint32_t seed)
    : settings_(s), random_(seed), ends_{end(s, s.bytes[0]), end(s, s.bytes[1])}, weights_{}, small_(seed % 2 != 0) {
  // Each run has a fast and a slow place of its own: what only a lopsided schedule shows is found that way.
  constexpr unsigned choices[] = {1, 1, 5, 20};
  for (auto& of_end : weights_) {
    for (unsigned& w : of_end) w = choices[between(0, 3)];
    of_end[post_credit] = 50;
  }
}

std::uint64_t simulation::between(std::uint64_t low, std::uint64_t high) {
  return low + random_() % (high - low + 1);
}

outcome simulation::run() {
  for (;;) {
    unsigned total = 0;
    std::array<unsigned, 2 * action_count> upto{};
    for (std::size_t k = 0; k != upto.size(); ++k) {
      const auto a = static_cast<action>(k % action_count);
      const std::size_t i = k / action_count;
      if (possible(a, i)) total += weights_[i][a];
      upto[k] = total;
    }
    if (total == 0) return is_finished() ? outcome::finished : outcome::deadlock;
    const auto chosen = static_cast<std::size_t>(
        std::upper_bound(upto.begin(), upto.end(), static_cast<unsigned>(between(0, total - 1))) - upto.begin());
    const outcome o = perform(static_cast<action>(chosen % action_count), chosen / action_count);
    if (o != outcome::finished) return o;
  }
}

bool simulation::can_post_data(const end& e) const {
  const transfer::piece next = next_piece(e.staged, e.to_end);
  if (next.bytes.length != 0 && !e.peers.empty() && e.out.empty_room() && e.queue.data_room()) return true;
  return next.exists() && e.queue.data_room() &&
         (next.bytes.length == 0 ? e.out.empty_room() : e.out.data_room(1, 1) != 0);
}

bool simulation::possible(action a, std::size_t i) const {
  const end& e = ends_[i];
  const bool control = e.out.control_room() && e.queue.control_room();
  switch (a) {
    case user_write:
      return e.to_write != 0 && e.staged.free() != 0 && !(keeps_messages() && e.to_end.full());
    case post_data:
      return can_post_data(e);
    case post_credit:
      return control && e.in.credit_due();
    case post_fin:
      return control && !e.fin_posted && e.to_write == 0 && !next_piece(e.staged, e.to_end).exists();
    case offer_ring:
      return control && e.in.growth_due() && e.in.ring_size() < settings_.largest_ring;
    case take_ring:
      return control && e.may_take;
    case grow_staging:
      return !e.staged.has_former() && e.staged.size() * 2 <= settings_.largest_staging && e.to_write != 0;
    case arrive:
      return !e.wire.empty();
    case reap:
      return !e.arrived.empty();
    case user_read:
      return e.own.begin() == e.own.end() && (e.in.readable() != 0 || e.in.message_is_complete());
    case offer_memory:
      return settings_.direct && e.offers > 0 && e.own.may_offer() && e.in.readable() == 0 &&
             !e.in.message_is_complete() && !e.in.fin() && e.out.optional_room() && e.queue.control_room();
    case ask_back:
      return e.own.has_open() && !e.own.is_asked_back() && e.out.optional_room() && e.queue.control_room();
    case give_back:
      return e.was_asked_back && e.out.optional_room() && e.queue.control_room();
    case end_direct:
      return e.peers.is_open() && !keeps_messages() && !next_piece(e.staged, e.to_end).exists() && e.out.empty_room() &&
             e.queue.data_room();
    case take_offered:
      return e.own.begin() != e.own.end() && e.own.at(e.own.begin()).is_over;
    case complete:
      return !e.acks.empty();
    case action_count:
      break;
  }
  return false;
}

outcome simulation::perform(action a, std::size_t i) {
  end& e = ends_[i];
  switch (a) {
    case user_write:
      write(e);
      break;
    case post_data:
      burst(e);
      break;
    case post_credit: {
      // Credit and data share a doorbell where there is data.
      const bool followed = can_post_data(e) && between(0, 1) != 0;
      post_control(e, message_kind::credit, !followed);
      if (followed && can_post_data(e)) burst(e);
      break;
    }
    case post_fin:
      post_control(e, message_kind::fin, true);
      e.peers.clear();
      e.fin_posted = true;
      break;
    case offer_ring:
      e.rings.emplace_back(
          std::min<std::size_t>(e.in.ring_size() * (between(0, 1) == 0 ? 2 : 4), settings_.largest_ring));
      e.in.ring_offered(e.rings.back().size());
      post_control(e, message_kind::ring, true, transfer::ring_offer_size);
      break;
    case take_ring:
      e.may_take = false;
      post_control(e, message_kind::ring, true);
      ++e.peers_ring;
      e.out.grow(static_cast<std::uint32_t>(ends_[1 - i].rings[e.peers_ring].size()));
      break;
    case grow_staging:
      e.staged.grow(e.staged.size() * 2);
      e.staging_memory.emplace_back(e.staged.size());
      break;
    case arrive:
      return deliver(e, ends_[1 - i]);
    case reap:
      return reap_one(e, ends_[1 - i]);
    case user_read:
      return read(e, ends_[1 - i]);
    case offer_memory:
      offer(e);
      break;
    case ask_back:
      post_control(e, message_kind::withdraw, true);
      e.own.ask_back();
      break;
    case give_back:
      e.was_asked_back = false;
      post_control(e, message_kind::withdrawn, true);
      break;
    case end_direct:
      post_direct(e, {}, true);
      break;
    case take_offered:
      return take(e, ends_[1 - i]);
    case complete:
      complete_one(e);
      break;
    case action_count:
      break;
  }
  return outcome::finished;
}

void simulation::write(end& e) {
  const extent free = e.staged.free_extent();
  const auto length = static_cast<std::size_t>(
      between(keeps_messages() ? 0 : 1, std::min<std::uint64_t>(e.to_write, small_ ? 1 : free.length)));
  for (std::size_t k = 0; k != length; ++k) e.staging_memory.back()[free.offset + k] = pattern(e.staged.staged() + k);
  e.staged.stage(length);
  e.to_write -= length;
  if (keeps_messages() && (e.to_write == 0 || between(0, 2) != 0)) {
    e.to_end.add(e.staged.staged());
    e.ends.push_back(e.staged.staged());
  }
}

void simulation::burst(end& e) {
  for (std::uint64_t left = between(1, 4); left != 0 && can_post_data(e); --left) {
    const transfer::piece next = next_piece(e.staged, e.to_end);
    const bool fits_ring = next.bytes.length == 0 || e.out.data_room(1, 1) != 0;
    if (next.bytes.length != 0 && !e.peers.empty() && (!fits_ring || between(0, 7) != 0)) {
      post_direct(e, next, left == 1);
      continue;
    }
    const std::uint64_t want = next.bytes.length == 0 ? 0 : small_ ? 1 : between(1, next.bytes.length);
    message m{};
    m.head = {message_kind::data, e.out.data_room(want, settings_.max_chunk)};
    m.from = next.bytes.offset;
    m.memory = e.staging_memory.size() - (next.bytes.in_former ? 2 : 1);
    m.to = e.out.remote_offset();
    m.ring = e.peers_ring;
    if (next.ends_with(m.head.length)) {
      m.head.kind = message_kind::end;
      e.to_end.pop();
    }
    e.peers.clear();
    e.out.sent_data(m.head.length);
    e.staged.post(m.head.length);
    const bool last = left == 1 || !can_post_data(e);
    m.signalled = last || e.queue.signal_due();
    m.work_request = e.queue.posted(e.staged.posted(), m.signalled);
    if (std::exchange(e.room_was_short, false)) m.head.length |= transfer::room_was_short;
    e.wire.push_back(m);
  }
  e.room_was_short = e.out.ring_is_full();
}

// Into the memory that the peer has offered; next may be empty, to say that nothing follows.
void simulation::post_direct(end& e, const transfer::piece& next, bool last) {
  const transfer::advert to = e.peers.front();
  message m{};
  const std::uint64_t most = std::min<std::uint64_t>({next.bytes.length, to.length, settings_.max_chunk});
  m.head = {message_kind::direct, static_cast<std::uint32_t>(most == 0 ? 0 : small_ ? 1 : between(1, most))};
  m.from = next.bytes.offset;
  m.memory = e.staging_memory.size() - (next.bytes.in_former ? 2 : 1);
  m.to = static_cast<std::size_t>(to.address);
  m.ring = to.key;
  e.out.sent_direct();
  e.staged.post(m.head.length);
  const bool is_end = keeps_messages() ? next.ends_with(m.head.length) : m.head.length == 0 || between(0, 2) == 0;
  if (keeps_messages() && is_end) e.to_end.pop();
  e.peers.sent(m.head.length, is_end);
  e.direct += m.head.length;
  if (is_end) m.head.length |= transfer::direct_ends;
  m.signalled = last || !can_post_data(e) || e.queue.signal_due();
  m.work_request = e.queue.posted(e.staged.posted(), m.signalled);
  e.wire.push_back(m);
}

void simulation::offer(end& e) {
  --e.offers;
  const auto length = static_cast<std::uint32_t>(between(1, 64));
  const std::uint64_t ticket = e.own.offer(length);
  e.offered[transfer::own_adverts::slot(ticket)].assign(length, 0);
  transfer::advert a;
  a.credit = e.in.take_credit();
  a.ring_messages = e.in.ring_messages();
  a.key = transfer::own_adverts::slot(ticket);
  a.length = length;
  post_control(e, message_kind::advert, true, transfer::advert_size, a);
}

void simulation::post_control(end& e, message_kind kind, bool last, std::uint32_t length, const transfer::advert& a) {
  message m{};
  m.head = {kind, length};
  if (kind == message_kind::credit) {
    m.head.length = transfer::credit_size;
    const auto text = encode_credit(e.in.take_credit());
    std::copy(text.begin(), text.end(), m.text.begin());
  } else if (kind == message_kind::advert) {
    m.text = encode_advert(a);
  }
  m.to = e.out.next_slot();
  e.out.sent_control();
  // What follows may find no slot left in the send queue or the window; then this one was the last after all.
  m.signalled = last || e.queue.signal_due() || e.out.data_room(1, 1) == 0;
  m.work_request = e.queue.posted(e.staged.posted(), m.signalled);
  e.wire.push_back(m);
}

outcome simulation::deliver(end& from, end& to) {
  const message m = from.wire.front();
  from.wire.pop_front();
  if (to.arrived.size() == settings_.queue_depth) return outcome::receiver_not_ready;
  if (m.head.kind == message_kind::data || m.head.kind == message_kind::end) {
    const std::size_t length = m.head.length & ~transfer::room_was_short;
    std::vector<unsigned char>& ring = to.rings[m.ring];
    const std::vector<unsigned char>& memory = from.staging_memory[m.memory];
    if (length > 0) {
      if (ring.size() < m.to + length || memory.size() < m.from + length) return outcome::corrupt;
      std::memcpy(ring.data() + m.to, memory.data() + m.from, length);
    }
  } else if (m.head.kind == message_kind::direct) {
    const std::size_t length = m.head.length & ~transfer::direct_ends;
    std::vector<unsigned char>& memory = to.offered[m.ring];
    if (memory.size() < m.to + length) return outcome::corrupt;  // its owner may have it back
    if (length > 0) std::memcpy(memory.data() + m.to, from.staging_memory[m.memory].data() + m.from, length);
  } else if (m.head.kind == message_kind::credit || m.head.kind == message_kind::advert) {
    std::memcpy(to.mirror.data() + m.to * transfer::mirror_slot_size, m.text.data(), m.text.size());
  }
  to.arrived.push_back(m);
  most_arrived_ = std::max(most_arrived_, to.arrived.size());
  from.acks.push_back(m);
  return outcome::finished;
}

outcome simulation::reap_one(end& e, const end& peer) {
  // Only what the immediate says and what lies in memory is known here.
  const std::uint32_t word = encode_immediate(e.arrived.front().head.kind, e.arrived.front().head.length);
  e.arrived.pop_front();
  auto head = transfer::decode_immediate(word);
  bool good = false;
  if (head->kind == message_kind::data || head->kind == message_kind::end) {
    if ((head->length & transfer::room_was_short) != 0) e.in.peer_was_short_of_room();
    head->length &= ~transfer::room_was_short;
  }
  if (head->kind == message_kind::data || head->kind == message_kind::end || head->kind == message_kind::fin) {
    e.own.passed_over();
  }
  if (head->kind == message_kind::direct) {
    const bool ends = (head->length & transfer::direct_ends) != 0;
    good = e.in.direct_arrived(ends) && e.own.direct_arrived(head->length & ~transfer::direct_ends, ends);
  } else if (head->kind == message_kind::data) {
    good = e.in.data_arrived(head->length);
  } else if (head->kind == message_kind::end) {
    good = e.in.end_arrived(head->length);
  } else if (head->kind == message_kind::fin) {
    good = e.in.fin_arrived();
  } else if (head->kind == message_kind::ring && head->length == 0) {
    good = e.in.ring_taken();
    ++e.ring_in_use;
    if (e.in.former_is_done()) forget_ring(e);
  } else if (head->kind == message_kind::ring) {
    good = e.in.control_arrived() && !e.may_take &&
           e.out.may_grow_to(static_cast<std::uint32_t>(peer.rings.back().size()));
    e.may_take = true;
  } else if (head->kind == message_kind::withdraw) {
    good = e.in.control_arrived() && !e.was_asked_back;
    e.peers.clear();
    e.was_asked_back = true;
  } else if (head->kind == message_kind::withdrawn) {
    good = e.in.control_arrived() && e.own.given_back();
  } else if (const auto slot = e.in.control_arrived(); head->kind == message_kind::advert) {
    const auto a = transfer::decode_advert(e.mirror.data() + *slot * transfer::mirror_slot_size);
    good = e.out.apply(a.credit) && e.peers.offered(a, a.ring_messages == e.out.ring_messages());
  } else if (slot) {
    good = e.out.apply(transfer::decode_credit(e.mirror.data() + *slot * transfer::mirror_slot_size));
  }
  return good ? outcome::finished : outcome::violation;
}

outcome simulation::read(end& e, end& peer) {
  const std::size_t there = keeps_messages() ? e.in.readable_of_message() : e.in.readable();
  const auto length = static_cast<std::size_t>(between(std::min<std::size_t>(there, 1), there));
  // In two runs where the bytes wrap, as a read into several buffers does it.
  std::size_t checked = 0;
  while (checked != length) {
    const extent run = e.in.readable_extent(checked);
    const std::vector<unsigned char>& ring = e.rings[e.ring_in_use - (run.in_former ? 1 : 0)];
    if (run.offset + run.length > ring.size()) return outcome::corrupt;
    const std::size_t n = std::min(run.length, length - checked);
    for (std::size_t k = 0; k != n; ++k) {
      if (ring[run.offset + k] != pattern(e.consumed + checked + k)) return outcome::corrupt;
    }
    checked += n;
  }
  e.in.consume(length);
  e.consumed += length;
  if (e.in.former_is_done()) forget_ring(e);
  if (length == there && e.in.message_is_complete()) {
    e.in.consume_end();
    return next_message(e, peer);
  }
  return outcome::finished;
}

outcome simulation::next_message(end& e, end& peer) {
  if (peer.ends.empty() || peer.ends.front() != e.consumed) return outcome::corrupt;
  peer.ends.pop_front();
  return outcome::finished;
}

/// The reader has the memory back that it offered first.
outcome simulation::take(end& e, end& peer) {
  const std::uint64_t ticket = e.own.begin();
  const transfer::own_adverts::entry got = e.own.at(ticket);
  std::vector<unsigned char>& memory = e.offered[transfer::own_adverts::slot(ticket)];
  for (std::size_t k = 0; k != got.filled; ++k) {
    if (memory[k] != pattern(e.consumed + k)) return outcome::corrupt;
  }
  memory.clear();
  e.consumed += got.filled;
  e.own.take(ticket);
  return keeps_messages() && got.ends ? next_message(e, peer) : outcome::finished;
}

void simulation::forget_ring(end& e) {
  e.in.forget_former();
  e.rings[e.ring_in_use - 1].clear();
}

void simulation::complete_one(end& e) {
  const message m = e.acks.front();
  e.acks.pop_front();
  if (!m.signalled) return;
  const auto position = e.queue.completed(m.work_request);
  if (!position) return;
  e.staged.complete(*position);
  if (!e.staged.former_is_done()) return;
  e.staged.forget_former();
  e.staging_memory[e.staging_memory.size() - 2].clear();
}

bool simulation::is_finished() const {
  for (std::size_t i = 0; i != 2; ++i) {
    const end& e = ends_[i];
    const std::uint64_t all_sent = settings_.start.bytes + settings_.bytes[i];
    const std::uint64_t all_read = settings_.start.bytes + settings_.bytes[1 - i];
    if (e.to_write != 0 || e.staged.completed() != all_sent || e.out.tail() + e.direct != all_sent ||
        e.consumed != all_read || !e.in.eof() || !e.fin_posted || !e.ends.empty() || e.own.begin() != e.own.end() ||
        e.queue.outstanding() != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace transfer_test
