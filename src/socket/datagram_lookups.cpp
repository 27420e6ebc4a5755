// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// How a datagram socket finds its peers and is found by them, and its multicast groups.

#include "io/verbs_error.hpp"
#include "log/log.hpp"
#include "socket/address.hpp"
#include "socket/carrier.hpp"
#include "socket/datagram_socket.hpp"
#include "socket/path_wish.hpp"
#include "verbs/local_addresses.hpp"

#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace core {

using transfer::loopback;
using verbs::error_code;

namespace {

bool is_same_host(const sockaddr_storage& a, const sockaddr_storage& b) noexcept {
  const sockaddr_storage x = unmapped(a), y = unmapped(b);
  return verbs::same_host(*as_sockaddr(x), *as_sockaddr(y));
}

/// Index 0 names no interface.
error address_of_interface(unsigned index, int family, sockaddr_storage& result) {
  char name[IF_NAMESIZE];
  if (!::if_indextoname(index, name)) return error(ENODEV);
  for (const sockaddr_storage& a : verbs::local_addresses()) {
    if (a.ss_family != family || verbs::interface_of(*as_sockaddr(a)) != name) continue;
    result = a;
    return {};
  }
  return error(EADDRNOTAVAIL);
}

}  // namespace

loopback datagram_socket::loopback_of(const sockaddr_storage& address) const noexcept {
  if (!carries_loopback(devices_) || !is_loopback(address)) return loopback::none;
  return unmapped(address).ss_family == AF_INET ? loopback::v4 : loopback::v6;
}

/// Who asks, or has sent something, is on this host or not; see listener::reaches_us().
bool datagram_socket::reaches_us(loopback asked, bool from_own_host) const noexcept {
  if (!carries_loopback(devices_)) return asked == loopback::none;
  if (asked == loopback::none) return !is_loopback(bound_);
  if (!from_own_host) return false;
  if (!is_loopback(bound_) && !is_any(bound_)) return false;
  return asked == loopback::v4 ? family_ == AF_INET || is_any(bound_) || unmapped(bound_).ss_family == AF_INET
                               : family_ == AF_INET6;
}

error datagram_socket::normalise(const sockaddr* address, socklen_t size, sockaddr_storage& result) const noexcept {
  if (!copy_address(address, size, result)) return error(EINVAL);
  if (result.ss_family != family_) return error(EAFNOSUPPORT);
  if (port_of(result) == 0) return error(EINVAL);
  result = unmapped(result);
  if (is_any(result)) {
    const std::uint16_t port = port_of(result);
    result = result.ss_family == AF_INET ? make_v4(INADDR_LOOPBACK, port) : loopback_v6(port);
  }
  return {};
}

bool datagram_socket::is_peer(const sockaddr_storage& address) const noexcept {
  return is_connected_ && port_of(address) == port_of(remote_) && is_same_host(address, remote_);
}

// --- asking

error datagram_socket::group_source(const sockaddr_storage& group, sockaddr_storage& result) {
  const int v4 = settings_[option::multicast_interface_v4];
  const int v6 = settings_[option::multicast_interface_v6];
  if (group.ss_family == AF_INET && v4 != 0) {
    return carrier_of(devices_, make_v4(ntohl(static_cast<std::uint32_t>(v4)), 0), result);
  }
  if (group.ss_family == AF_INET6 && v6 != 0) {
    sockaddr_storage of_interface{};
    const error e = address_of_interface(static_cast<unsigned>(v6), AF_INET6, of_interface);
    return e ? e : carrier_of(devices_, of_interface, result);
  }
  sockaddr_storage own = unmapped(bound_);
  if (own.ss_family == group.ss_family && !is_any(own) && !is_multicast(own)) {
    set_port(own, 0);
    return carrier_of(devices_, own, result);
  }
  return group_carrier(devices_, group, result);
}

error datagram_socket::describe_lookup(const sockaddr_storage& destination, peer_lookup::question& q) {
  q.destination = destination;
  q.traffic_class = settings_[option::traffic_class];
  q.is_group = is_multicast(destination);
  if (q.is_group) return group_source(destination, q.source);
  q.asked_loopback = loopback_of(destination);
  sockaddr_storage own = unmapped(bound_);
  if (is_any(own) || is_multicast(own) || own.ss_family != destination.ss_family) return {};
  // A socket on one address sends from that.
  set_port(own, 0);
  return carrier_of(devices_, own, q.source);
}

error datagram_socket::add_peer(const sockaddr_storage& address, datagram_peer*& result) {
  result = peers_.add(address, [this](datagram_peer& idle) { retire(idle); });
  if (!result) return error(ENOBUFS);
  const error e = start_lookup(*result);
  if (e) {
    failure_.set_peer(address);
    failure_.set(e, failure_step::resolve_address);
    peers_.erase(*result);
  }
  return e;
}

error datagram_socket::start_lookup(datagram_peer& p) {
  peer_lookup::question q;
  if (const error e = describe_lookup(p.address, q)) return e;
  auto lookup = std::make_shared<peer_lookup>(std::static_pointer_cast<lookup_owner>(shared_from_this()), devices_, q);
  ++datagrams_.lookups;
  p.lookup = lookup;
  if (const error e = lookup->start(service_)) {
    ++datagrams_.lookups_failed;
    p.lookup = nullptr;
    return e;
  }
  p.deadline = io::background::instance().after(
      std::chrono::milliseconds(settings_[option::connect_timeout]),
      [weak = weak_from_this(), lookup] {
        if (const auto self = weak.lock()) self->lookup_timed_out(lookup);
      });
  return {};
}

void datagram_socket::end_lookup(datagram_peer& p) noexcept {
  io::background::instance().cancel(p.deadline);
  if (!p.is_looked_up()) return;
  p.lookup->end();
  p.lookup = nullptr;
}

datagram_peer* datagram_socket::peer_of(const std::shared_ptr<peer_lookup>& lookup) noexcept {
  datagram_peer* const p = peers_.find(lookup->asked().destination);
  return p && p->lookup == lookup ? p : nullptr;
}

void datagram_socket::lookup_timed_out(const std::shared_ptr<peer_lookup>& lookup) noexcept {
  const lock_type lock(mutex_);
  if (torn_down_) return;
  if (datagram_peer* const p = peer_of(lookup)) {
    if (!p->is_found() || p->is_looked_up()) peer_failed(*p, error(ETIMEDOUT), failure_step::connect);
  }
  wake_everybody();
}

void datagram_socket::on_lookup_event(const std::shared_ptr<peer_lookup>& lookup,
                                      const verbs::cm_event& event) noexcept {
  const lock_type lock(mutex_);
  if (torn_down_ || lookup->is_over()) return;
  const auto status = lookup->advance(event);
  if (status == peer_lookup::status::waiting) return;
  const auto group = std::find_if(groups_.begin(), groups_.end(), [&](const auto& m) { return m.lookup == lookup; });
  if (group != groups_.end()) {
    group_decided(*group, status == peer_lookup::status::failed ? lookup->why() : error(), lookup->step());
  } else if (datagram_peer* const p = peer_of(lookup)) {
    if (status == peer_lookup::status::failed) {
      failure_.set_event(event);
      peer_failed(*p, lookup->why(), lookup->step());
    } else {
      peer_found(*p, lookup);
    }
  }
  wake_everybody();
}

void datagram_socket::peer_found(datagram_peer& p, const std::shared_ptr<peer_lookup>& lookup) {
  queues* q = nullptr;
  const peer_lookup::answer found = lookup->found();
  ibv_ah_attr path = found.path;
  error e = find_queues(lookup->id(), q);
  if (!e) e = io::amend_datagram_path(lookup->id(), wish_of(settings_), path);
  if (e) return peer_failed(p, e, failure_step::create_resources);
  if (lookup->asked().is_group) path.grh.hop_limit = static_cast<std::uint8_t>(settings_[option::multicast_hops]);
  retire_handle(p);
  p.queues = q;
  p.path = path;
  p.queue_pair = found.queue_pair;
  p.qkey = found.qkey;
  p.largest_payload = found.largest_payload;
  p.confirmed = clock::now();
  end_lookup(p);
  flush_waiting(p);
  post_sends();
}

void datagram_socket::peer_failed(datagram_peer& p, const error& e, failure_step step) noexcept {
  ++datagrams_.lookups_failed;
  waits_for_peer_ = false;
  datagrams_.dropped_unresolved += p.waiting.size();
  for (const waiting_datagram& w : p.waiting) waiting_bytes_ -= w.payload.size() + 1;
  // A connect that nobody has sent anything for is not told of, as with UDP.
  if (is_peer(p.address) && (p.is_found() || !p.waiting.empty())) pending_error_ = e;
  failure_.set_peer(p.address);
  failure_.set(e, step);
  retire(p);
  peers_.erase(p);
}

void datagram_socket::retire_handle(datagram_peer& p) noexcept {
  if (p.handle) retired_.push_back({p.queues, p.queues->posted(), std::move(p.handle)});
}

void datagram_socket::retire(datagram_peer& p) noexcept {
  retire_handle(p);
  end_lookup(p);
  if (p.lookup) p.lookup->end();
}

void datagram_socket::reap_retired() noexcept {
  while (!retired_.empty() && retired_.front().of->completed() >= retired_.front().until) retired_.pop_front();
}

/// Who has sent something can be answered at once.
void datagram_socket::learn(const sockaddr_storage& from, queues& q, const ibv_wc& wc,
                            const io::grh_addresses& addresses) {
  datagram_peer* p = peers_.find(from);
  if (p && p->queues == &q && p->queue_pair == wc.src_qp) {
    p->confirmed = now_;
    return;
  }
  error_code ec;
  int gid_index = q.index_of(addresses.to, ec);
  if (gid_index < 0) {
    const auto group = std::find_if(groups_.begin(), groups_.end(), [&](const auto& m) {
      return m.joined == &q && std::memcmp(m.gid.raw, addresses.to.raw, sizeof m.gid.raw) == 0;
    });
    // The software device has all of 127.0.0.0/8, and names one of them.
    gid_index = group != groups_.end() ? group->gid_index : std::max(q.index_of(addresses.from, ec), 0);
  }
  if (ec) return;  // the next one teaches it, or an answer looks for the way
  if (!p) {
    p = peers_.add(from, [this](datagram_peer& idle) { retire(idle); });
    if (!p) return;
    ++datagrams_.peers_learned;
  }
  end_lookup(*p);
  retire_handle(*p);
  p->queues = &q;
  p->queue_pair = wc.src_qp;
  p->qkey = RDMA_UDP_QKEY;
  p->confirmed = now_;
  p->path = {};
  p->path.is_global = 1;
  p->path.port_num = q.port();
  p->path.dlid = wc.slid;
  p->path.sl = wc.sl;
  p->path.grh.dgid = addresses.from;
  p->path.grh.sgid_index = static_cast<std::uint8_t>(gid_index);
  const int hops = settings_[option::hop_limit], traffic_class = settings_[option::traffic_class];
  p->path.grh.hop_limit = static_cast<std::uint8_t>(hops > 0 ? hops : 64);
  p->path.grh.traffic_class = static_cast<std::uint8_t>(std::max(traffic_class, 0));
  if (!p->waiting.empty()) flush_waiting(*p);
}

// --- being asked

void datagram_socket::on_event(const verbs::cm_event& event) noexcept {
  if (event.type == RDMA_CM_EVENT_CONNECT_REQUEST) return requested(event);
  if (event.type != RDMA_CM_EVENT_DEVICE_REMOVAL) return;
  const lock_type lock(mutex_);
  failure_.set_event(event);
  failure_.set(error(ENODEV), failure_step::transfer);
  pending_error_ = error(ENODEV);
  wake_everybody();
}

void datagram_socket::requested(const verbs::cm_event& event) {
  const lock_type lock(mutex_);
  verbs::cm_id id = verbs::cm_id::adopt(event.id, service_->table());
  const auto greeting = transfer::decode_datagram_greeting(event.private_data.data(), event.private_data_size);
  const bool own_host = verbs::is_local_address(id.peer_address());
  queues* q = nullptr;
  error e;
  if (!greeting || closed_ || !id.context() || !devices_.allows(id.context().name()) ||
      !reaches_us(greeting.value.asked_loopback, own_host)) {
    e = error(ECONNREFUSED);
  } else {
    e = find_queues(id, q);
  }
  error_code ignored;
  if (e) {
    if (e != error(ECONNREFUSED)) failure_.set(e, failure_step::create_resources);
    id.reject(nullptr, 0, ignored);
  } else {
    transfer::datagram_greeting ours;
    ours.largest_payload = static_cast<std::uint16_t>(q->mtu() - transfer::datagram_header::size);
    const auto text = transfer::encode_datagram_greeting(ours);
    rdma_conn_param reply{};
    reply.private_data = text.data();
    reply.private_data_len = static_cast<std::uint8_t>(text.size());
    reply.qp_num = q->number();
    id.accept(reply, ignored);
    wake_everybody();  // there may be a descriptor more to wait on
  }
  service_->destroy(std::move(id));
}

// --- connecting

error datagram_socket::connect(const sockaddr* address, socklen_t size) {
  const lock_type lock(mutex_);
  if (const error e = state()) return e;
  sockaddr_storage to;
  if (const error e = normalise(address, size, to)) return e;
  if (const error e = bind_if_unbound()) return e;
  progress();  // what came before may be from anybody
  datagram_peer* p = peers_.find(to);
  if (!p) {
    if (const error e = add_peer(to, p)) return e;
  }
  remote_ = to;
  is_connected_ = true;
  pending_error_ = error();
  local_ = bound_;
  if (is_any(bound_) || is_multicast(bound_)) {
    sockaddr_storage own = to;
    if (is_loopback(to) || is_multicast(to) || source_towards(to, own)) {
      if (is_multicast(to)) own = bound_;
      if (family_ == AF_INET6) own = mapped(own);
      set_port(own, port_of(bound_));
      local_ = own;
    }
  }
  return {};
}

// --- groups

error datagram_socket::join_group(const sockaddr_storage& group, const sockaddr_storage& by, unsigned index) {
  lock_type lock(mutex_);
  if (const error e = state()) return e;
  if (!is_multicast(group)) return error(EINVAL);
  if (const error e = open_devices()) return e;
  const auto is_same = [&](const membership& m) { return is_same_host(m.group, group); };
  if (std::any_of(groups_.begin(), groups_.end(), is_same)) return error(EADDRINUSE);
  peer_lookup::question q;
  q.destination = unmapped(group);
  set_port(q.destination, 0);
  q.is_group = true;
  q.send_only = false;
  error e;
  if (by.ss_family != 0 && !is_any(by)) {
    e = carrier_of(devices_, by, q.source);
  } else if (index != 0) {
    sockaddr_storage of_interface{};
    e = address_of_interface(index, q.destination.ss_family, of_interface);
    if (!e) e = carrier_of(devices_, of_interface, q.source);
  } else {
    e = group_source(q.destination, q.source);
  }
  if (e) return e;
  const auto m = groups_.emplace(groups_.end());
  m->group = q.destination;
  m->by = by;
  m->index = index;
  m->lookup = std::make_shared<peer_lookup>(std::static_pointer_cast<lookup_owner>(shared_from_this()), devices_, q);
  e = m->lookup->start(service_);
  const auto deadline = clock::now() + std::chrono::milliseconds(settings_[option::connect_timeout]);
  const auto wake_up = io::background::instance().after(deadline - clock::now(), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      const lock_type later(self->mutex_);
      self->threads_.wake_all();
    }
  });
  while (!e && !m->is_decided && !closed_ && clock::now() < deadline) {
    (void)not_yet();
    threads_.sleep(lock, -1);
  }
  io::background::instance().cancel(wake_up);
  if (closed_) return error(EBADF);
  if (!e && !m->is_decided) e = error(ETIMEDOUT);
  if (!e) e = m->result;
  if (e) {
    failure_.set_peer(group);
    failure_.set(e, failure_step::bind);
    m->lookup->end();
    groups_.erase(m);
  }
  return e;
}

void datagram_socket::group_decided(membership& m, const error& e, failure_step) {
  m.is_decided = true;
  m.result = e;
  if (e) return;
  queues* q = nullptr;
  m.result = find_queues(m.lookup->id(), q);
  if (m.result) return;
  const ibv_ah_attr& path = m.lookup->found().path;
  error_code ec;
  q->queue_pair().attach_multicast(path.grh.dgid, path.dlid, ec);
  m.result = io::to_error(ec);
  m.gid = path.grh.dgid;
  m.gid_index = path.grh.sgid_index;
  if (!ec) m.joined = q;
}

error datagram_socket::leave_group(const sockaddr_storage& group, const sockaddr_storage& by, unsigned index) {
  const lock_type lock(mutex_);
  if (const error e = state()) return e;
  if (!is_multicast(group)) return error(EINVAL);
  const auto is_meant = [&](const membership& m) {
    const bool any_interface = (by.ss_family == 0 || is_any(by)) && index == 0;
    return is_same_host(m.group, group) && (any_interface || (m.index == index && is_same_host(m.by, by)));
  };
  const auto m = std::find_if(groups_.begin(), groups_.end(), is_meant);
  if (m == groups_.end()) return error(EADDRNOTAVAIL);
  end_membership(*m);
  groups_.erase(m);
  return {};
}

void datagram_socket::end_membership(membership& m) noexcept {
  if (m.joined) {
    // A queue pair that is attached to a group cannot be destroyed (EBUSY).
    error_code ignored;
    m.joined->queue_pair().detach_multicast(m.gid, m.lookup->found().path.dlid, ignored);
  }
  m.lookup->end();
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
