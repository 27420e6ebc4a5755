// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What a datagram socket sends and receives.

#include "io/verbs_error.hpp"
#include "log/log.hpp"
#include "socket/address.hpp"
#include "socket/carrier.hpp"
#include "socket/datagram_socket.hpp"
#include "verbs/local_addresses.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace core {

using transfer::datagram_header;
using transfer::loopback;
using verbs::error_code;

namespace {

/// What may wait while its peer is looked for: of one peer, and of all together. As the kernel has it for a neighbour's
/// link address (neigh/default/unres_qlen_bytes), so that a peer that does not answer costs no more.
constexpr std::size_t most_waiting = 128;
constexpr std::size_t most_waiting_bytes = 1024 * 1024;

std::size_t size_of(const iovec* buffers, std::size_t count) noexcept {
  std::size_t result = 0;
  for (std::size_t i = 0; i != count; ++i) result += buffers[i].iov_len;
  return result;
}

void gather(std::byte* to, const iovec* buffers, std::size_t count) noexcept {
  for (std::size_t i = 0; i != count; ++i) {
    if (buffers[i].iov_len == 0) continue;
    std::memcpy(to, buffers[i].iov_base, buffers[i].iov_len);
    to += buffers[i].iov_len;
  }
}

/// As much as fits.
std::size_t scatter(const iovec* buffers, std::size_t count, const std::byte* from, std::size_t size) noexcept {
  const std::byte* const begin = from;
  for (std::size_t i = 0; i != count && size != 0; ++i) {
    const std::size_t n = std::min(size, buffers[i].iov_len);
    if (n == 0) continue;
    std::memcpy(buffers[i].iov_base, from, n);
    from += n;
    size -= n;
  }
  return static_cast<std::size_t>(from - begin);
}

sockaddr_storage address_of(const ibv_gid& gid, std::uint16_t port) noexcept {
  sockaddr_storage result{};
  auto& v6 = reinterpret_cast<sockaddr_in6&>(result);
  v6.sin6_family = AF_INET6;
  std::memcpy(&v6.sin6_addr, gid.raw, sizeof v6.sin6_addr);
  set_port(result, port);
  return unmapped(result);
}

bool is_same(const ibv_gid& a, const ibv_gid& b) noexcept {
  return std::memcmp(a.raw, b.raw, sizeof a.raw) == 0;
}

}  // namespace

// --- sending

error datagram_socket::send_to(const iovec* buffers, std::size_t count, const sockaddr* address, socklen_t size,
                               std::size_t& bytes) {
  const lock_type lock(mutex_);
  bytes = 0;
  if (const error e = state()) return e;
  if (sending_ended_) return error(EPIPE);
  if (pending_error_) return take_pending_error();
  sockaddr_storage to;
  if (address) {
    if (const error e = normalise(address, size, to)) return e;
  } else if (is_connected_) {
    to = remote_;
  } else {
    return error(EDESTADDRREQ);
  }
  now_ = clock::now();
  const error e = send_one(buffers, count, to, bytes);
  post_sends();
  return e;
}

error datagram_socket::send_many(socket::datagram* datagrams, std::size_t count, std::size_t& done) {
  const lock_type lock(mutex_);
  done = 0;
  if (const error e = state()) return e;
  if (sending_ended_) return error(EPIPE);
  if (pending_error_) return take_pending_error();
  now_ = clock::now();
  error e;
  for (; done != count; ++done) {
    socket::datagram& d = datagrams[done];
    sockaddr_storage to = remote_;
    if (d.address.ss_family != 0) {
      e = normalise(as_sockaddr(d.address), sizeof d.address, to);
    } else if (!is_connected_) {
      e = error(EDESTADDRREQ);
    }
    if (!e) e = send_one(d.buffers, d.buffer_count, to, d.bytes);
    if (e) break;
  }
  post_sends();
  return done != 0 ? error() : e;
}

error datagram_socket::send_one(const iovec* buffers, std::size_t count, const sockaddr_storage& to,
                                std::size_t& bytes) {
  if (const error e = bind_if_unbound()) return e;
  const std::size_t size = size_of(buffers, count);
  datagram_peer* p = peers_.find(to);
  if (!p || !p->is_found()) {
    // The device by which it is reached is not known yet.
    std::size_t most = 0;
    if (const error e = largest_payload(most)) return e;
    if (size > most) return error(EMSGSIZE);
  }
  if (!p) {
    if (const error e = add_peer(to, p)) return e;
  } else {
    peers_.touch(*p);
    // The old answer holds until there is a new one.
    const std::chrono::seconds lifetime(settings_[option::peer_lifetime]);
    if (p->is_found() && !p->lookup && now_ - p->confirmed > lifetime && start_lookup(*p)) p->confirmed = now_;
  }
  const bool can_send = p->is_found() && p->waiting.empty() && !p->queues->has_failed();
  const error e = can_send ? send_now(*p, buffers, count, size, spares_own_host(*p))
                           : keep(*p, buffers, count, size);
  if (e) {
    if (e == error(EAGAIN)) ++counters_.writes_blocked;
    return e;
  }
  bytes = size;
  ++counters_.writes;
  counters_.bytes_written += size;
  spinner_.sent();
  return {};
}

/// Multicast without loopback.
bool datagram_socket::spares_own_host(const datagram_peer& p) const noexcept {
  return settings_[option::multicast_loopback] == 0 && is_multicast(p.address);
}

error datagram_socket::send_now(datagram_peer& p, const iovec* buffers, std::size_t count, std::size_t bytes,
                                bool not_to_own_host) {
  queues& q = *p.queues;
  const std::size_t most = q.mtu() - datagram_header::size;
  if (bytes > most || (p.largest_payload != 0 && bytes > p.largest_payload)) return error(EMSGSIZE);
  if (!q.has_send_slot()) {
    post_sends();
    progress();
    if (!q.has_send_slot()) {
      wants_send_slot_ = true;
      return not_yet();
    }
  }
  if (!p.handle) {
    error_code ec;
    p.handle = q.make_address(p.path, ec);
    if (ec) return io::to_error(ec);
  }
  datagram_header h;
  h.source_port = port_of(bound_);
  h.destination_port = port_of(p.address);
  h.asked_loopback = loopback_of(p.address);
  h.not_to_own_host = not_to_own_host;
  const auto text = transfer::encode_datagram_header(h);
  std::byte* const memory = q.next_send();
  std::memcpy(memory, text.data(), text.size());
  gather(memory + text.size(), buffers, count);
  q.add_send(text.size() + bytes, {p.handle.native_handle(), p.queue_pair, p.qkey});
  counters_.bytes_sent += bytes;
  ++counters_.messages_sent;
  counters_.write_bytes_copied += bytes;
  if (q.batched() == queues::max_batch) post_sends();
  return {};
}

error datagram_socket::keep(datagram_peer& p, const iovec* buffers, std::size_t count, std::size_t bytes) {
  // Empty ones take room too.
  if (p.waiting.size() >= most_waiting || waiting_bytes_ + bytes + 1 > most_waiting_bytes) {
    // A socket with one peer has nothing else to do; others go on.
    if (p.is_found() || is_peer(p.address)) {
      waits_for_peer_ = true;
      return not_yet();
    }
    ++datagrams_.dropped_waiting;
    return {};
  }
  waiting_datagram& w = p.waiting.emplace_back();
  w.payload.resize(bytes);
  w.not_to_own_host = spares_own_host(p);
  gather(w.payload.data(), buffers, count);
  waiting_bytes_ += bytes + 1;
  if (p.is_found()) look_after_soon();
  return {};
}

void datagram_socket::flush_waiting(datagram_peer& p) noexcept {
  if (!p.waiting.empty() && std::exchange(waits_for_peer_, false)) wake_everybody();
  while (!p.waiting.empty() && !p.queues->has_failed()) {
    const std::vector<std::byte>& payload = p.waiting.front().payload;
    const iovec buffer{const_cast<std::byte*>(payload.data()), payload.size()};
    if (!p.queues->has_send_slot()) {
      post_sends();
      p.queues->poll_sends();
    }
    const error e = p.queues->has_send_slot()
                        ? send_now(p, &buffer, 1, payload.size(), p.waiting.front().not_to_own_host)
                        : error(EAGAIN);
    if (e == error(EAGAIN)) break;
    if (e) {
      ++datagrams_.dropped_unresolved;
      if (is_peer(p.address)) pending_error_ = e;
    }
    waiting_bytes_ -= payload.size() + 1;
    p.waiting.pop_front();
  }
  if (p.waiting.empty()) return;
  has_backlog_ = true;
  look_after_soon();
}

void datagram_socket::post_sends() noexcept {
  for (const auto& q : queues_) {
    unsigned lost = 0;
    const int e = q->post_sends(lost);
    if (e == 0) continue;
    log(log_level::warning, "datagram socket: post_send: %s", std::strerror(e));
    datagrams_.dropped_by_device += lost;
  }
}

// --- receiving

error datagram_socket::receive_from(const iovec* buffers, std::size_t count, bool peek, sockaddr_storage& from,
                                    std::size_t& bytes) {
  const lock_type lock(mutex_);
  bytes = 0;
  if (const error e = state()) return e;
  if (pending_error_) return take_pending_error();
  if (arrived_.empty()) progress();
  if (arrived_.empty()) {
    if (pending_error_) return take_pending_error();
    if (receiving_ended_) return {};
    ++counters_.reads_blocked;
    return not_yet();
  }
  take_out(buffers, count, peek, from, bytes);
  return {};
}

error datagram_socket::receive_many(socket::datagram* datagrams, std::size_t count, std::size_t& done) {
  const lock_type lock(mutex_);
  done = 0;
  if (const error e = state()) return e;
  if (pending_error_) return take_pending_error();
  if (arrived_.size() < count) progress();
  if (arrived_.empty()) {
    if (pending_error_) return take_pending_error();
    if (receiving_ended_ || count == 0) return {};
    ++counters_.reads_blocked;
    return not_yet();
  }
  for (; done != count && !arrived_.empty(); ++done) {
    socket::datagram& d = datagrams[done];
    take_out(d.buffers, d.buffer_count, false, d.address, d.bytes);
  }
  return {};
}

void datagram_socket::take_out(const iovec* buffers, std::size_t count, bool peek, sockaddr_storage& from,
                               std::size_t& bytes) noexcept {
  const arrival& a = arrived_.front();
  from = family_ == AF_INET6 ? mapped(a.from) : a.from;
  const std::byte* const payload = a.from_queues->received(a.slot) + io::grh_size + datagram_header::size;
  bytes = scatter(buffers, count, payload, a.bytes);
  counters_.read_bytes_copied += bytes;
  if (peek) return;
  ++counters_.reads;
  counters_.bytes_read += bytes;
  if (bytes < a.bytes) ++datagrams_.truncated;
  a.from_queues->give_back(a.slot);
  arrived_.pop_front();
  if (arrived_.empty()) {
    for (const auto& q : queues_) q->post_given_back();
  }
}

bool datagram_socket::progress() {
  bool any = false;
  for (const auto& q : queues_) any |= take_completions(*q);
  if (any) {
    spinner_.came();
    threads_.wake_all();
    reap_retired();
    post_sends();  // to whom something has come from
  }
  if (std::exchange(has_backlog_, false)) {
    for (datagram_peer& p : peers_) {
      if (p.is_found() && !p.waiting.empty()) flush_waiting(p);
    }
    post_sends();
  }
  return any;
}

bool datagram_socket::take_completions(queues& q) {
  bool any = false;
  if (!q.all_sent()) {
    const unsigned n = q.poll_sends();
    counters_.completions += n;
    // Whoever waits for a slot has something to try; to others that a datagram has left is no news.
    if (n != 0) any = std::exchange(wants_send_slot_, false) || has_backlog_ || closed_;
  }
  constexpr int batch = 16;
  ibv_wc wcs[batch];
  for (;;) {
    const int n = q.poll_receives(wcs, batch);
    if (n > 0) {
      now_ = clock::now();
      counters_.completions += static_cast<unsigned>(n);
      any = true;
    }
    for (int i = 0; i < n; ++i) arrived(q, wcs[i]);
    if (n < 0) broken_queue();
    if (n < batch) break;
  }
  if (q.has_failed()) look_at_failure(q);
  if (arrived_.empty()) q.post_given_back();
  return any;
}

void datagram_socket::arrived(queues& q, const ibv_wc& wc) {
  q.count_received();
  if (wc.status != IBV_WC_SUCCESS) {
    q.count_failure(wc);
    return q.give_back(wc.wr_id);
  }
  ++counters_.messages_received;
  const std::byte* const packet = q.received(wc.wr_id);
  const std::size_t most = io::grh_size + q.mtu();
  const auto* const content = reinterpret_cast<const unsigned char*>(packet + io::grh_size);
  io::grh_addresses addresses{};
  const auto drop = [&](std::uint64_t& counter) {
    ++counter;
    q.give_back(wc.wr_id);
  };
  if (wc.byte_len < io::grh_size || wc.byte_len > most || (wc.wc_flags & IBV_WC_GRH) == 0 ||
      !io::read_grh(packet, addresses)) {
    return drop(datagrams_.dropped_foreign);
  }
  const auto header = transfer::decode_datagram_header(content, wc.byte_len - io::grh_size);
  if (closed_) return drop(datagrams_.dropped_closed);
  if (!header || !is_bound_ || header->destination_port != port_of(bound_)) {
    return drop(datagrams_.dropped_foreign);
  }
  sockaddr_storage from = address_of(addresses.from, header->source_port);
  const bool to_group = io::is_multicast(addresses.to);
  if (header->asked_loopback != loopback::none || header->not_to_own_host) {
    const bool own_host = is_same(addresses.from, addresses.to) || verbs::is_local_address(*as_sockaddr(from));
    if (header->not_to_own_host && own_host) return drop(datagrams_.dropped_filtered);
    if (header->asked_loopback != loopback::none && !own_host) return drop(datagrams_.dropped_foreign);
  }
  if (!to_group && !reaches_us(header->asked_loopback, true)) return drop(datagrams_.dropped_foreign);
  if (header->asked_loopback == loopback::v4) from = make_v4(INADDR_LOOPBACK, header->source_port);
  if (header->asked_loopback == loopback::v6) from = loopback_v6(header->source_port);
  const bool wrong_family = family_ == AF_INET ? from.ss_family != AF_INET
                                               : from.ss_family == AF_INET && settings_[option::v6_only] != 0;
  if (wrong_family) return drop(datagrams_.dropped_foreign);
  const bool of_group_alone = is_multicast(bound_);
  if (of_group_alone) {
    const sockaddr_storage to = address_of(addresses.to, 0);
    const sockaddr_storage group = unmapped(bound_);
    if (!verbs::same_host(*as_sockaddr(to), *as_sockaddr(group))) return drop(datagrams_.dropped_filtered);
  }
  learn(from, q, wc, addresses);
  if (is_connected_ && !is_peer(from)) return drop(datagrams_.dropped_filtered);
  const std::size_t bytes = wc.byte_len - io::grh_size - datagram_header::size;
  counters_.bytes_received += bytes;
  arrived_.push_back({&q, wc.wr_id, bytes, from});
}

void datagram_socket::look_at_failure(queues& q) noexcept {
  if (!q.is_failing()) {
    // Not all devices stop by themselves. Everything that is posted comes back then, and the queue pair begins anew.
    failure_.set_completion(q.failed_status(), q.vendor_error());
    const error e(q.failed_status(), error_domain::completion);
    failure_.set(e, failure_step::transfer);
    if (is_connected_) pending_error_ = e;
    q.to_error();
  }
  if (q.revive()) {
    has_backlog_ = true;
  } else {
    look_after_soon();  // no completion may tell when it can be tried again
  }
}

void datagram_socket::broken_queue() noexcept {
  failure_.set(error(EIO), failure_step::transfer, "the completions cannot be read");
  pending_error_ = error(EIO);
}

error datagram_socket::ready(readiness kind) noexcept {
  const lock_type lock(mutex_);
  if (const error e = state()) return e;
  progress();
  bool is_ready = static_cast<bool>(pending_error_);
  if (kind == readiness::read) is_ready |= !arrived_.empty() || receiving_ended_;
  if (kind == readiness::write) {
    const bool full = std::any_of(queues_.begin(), queues_.end(), [](const auto& q) { return !q->has_send_slot(); });
    wants_send_slot_ |= full;
    is_ready |= (!full && !waits_for_peer_) || sending_ended_;
  }
  return is_ready ? error() : not_yet();
}

std::size_t datagram_socket::available() noexcept {
  const lock_type lock(mutex_);
  if (!closed_) progress();
  return arrived_.empty() ? 0 : arrived_.front().bytes;
}

error datagram_socket::shutdown(direction d) noexcept {
  const lock_type lock(mutex_);
  if (const error e = state()) return e;
  if (!is_connected_) return error(ENOTCONN);
  if (d != direction::receive) sending_ended_ = true;
  if (d != direction::send) receiving_ended_ = true;
  wake_everybody();
  return {};
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
