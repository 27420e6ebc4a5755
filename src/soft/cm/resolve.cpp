// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/calls.hpp"
#include "soft/cm/address.hpp"
#include "soft/cm/calls.hpp"
#include "soft/cm/manager.hpp"

#include <endian.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

// Where an id is, and where it wants to go to.
namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

namespace {

constexpr std::uint8_t packet_lifetime = 16;  // the kernel's, for RoCE

ibv_sa_path_rec path_between(const ibv_gid& source, const ibv_gid& destination) noexcept {
  ibv_sa_path_rec p{};
  p.sgid = source;
  p.dgid = destination;
  p.hop_limit = 64;
  p.reversible = 1;
  p.numb_path = 1;
  p.pkey = htobe16(0xffff);
  p.mtu_selector = p.rate_selector = p.packet_life_time_selector = 2;  // exactly
  p.mtu = IBV_MTU_4096;
  p.rate = IBV_RATE_100_GBPS;
  p.packet_life_time = packet_lifetime;
  return p;
}

}  // namespace

int bind(manager& m, identifier& i, sockaddr_storage address) {
  if (!is_any(address) && !is_own(address)) return EADDRNOTAVAIL;
  bool v6_only = false, reuse = false;
  {
    const lock_type lock(m.mutex);
    if (i.state != id_state::idle) return EINVAL;
    v6_only = i.v6_only;
    reuse = i.reuse;
  }
  port_claim port;
  if (const int e = claim_port(i.ps, address, v6_only, reuse, port)) return e;
  const lock_type lock(m.mutex);
  if (i.state != id_state::idle) return EINVAL;
  std::swap(i.port, port);
  i.local = address;
  i.remote.ss_family = address.ss_family;
  i.state = id_state::bound;
  return 0;
}

void publish(manager& m, identifier& i) {
  rdma_addr& a = i.route.addr;
  {
    const lock_type lock(m.mutex);
    a.src_storage = i.local;
    a.dst_storage = i.remote;
  }
  if (is_any(a.src_storage)) return;  // any device could be meant, if there were others
  a.addr.ibaddr.sgid = gid_of(a.src_storage);
  a.addr.ibaddr.dgid = gid_of(a.dst_storage);
  a.addr.ibaddr.pkey = htobe16(0xffff);
  i.path = path_between(a.addr.ibaddr.sgid, a.addr.ibaddr.dgid);
  i.route.path_rec = &i.path;
  if (i.verbs != nullptr) return;
  i.verbs = m.soft0().cm_context();
  i.port_num = 1;
  i.pd = m.soft0().cm_domain();
}

int bind_addr(rdma_cm_id* id, sockaddr* address) {
  sockaddr_storage a;
  if (!copy_address(address, a)) return fail(EINVAL);
  if (is_link_local(a) && to_wire(a).scope == 0) return fail(EINVAL);
  manager& m = manager::instance();
  identifier& i = to_identifier(id);
  if (const int e = bind(m, i, a)) return fail(e);
  publish(m, i);
  return 0;
}

int resolve_addr(rdma_cm_id* id, sockaddr* source, sockaddr* destination, int) {
  sockaddr_storage to, from{};
  if (!copy_address(destination, to) || (source != nullptr && !copy_address(source, from))) return fail(EINVAL);
  manager& m = manager::instance();
  identifier& i = to_identifier(id);
  bool is_idle = false;
  {
    const lock_type lock(m.mutex);
    is_idle = i.state == id_state::idle;
  }
  if (is_idle) {
    if (source == nullptr) from.ss_family = to.ss_family;
    if (const int e = bind(m, i, from)) return fail(e);
  }
  if (is_any(to)) to = loopback_for(to);
  i.route.addr.dst_storage = to;  // before the event: who takes it may be another thread
  const bool reachable = is_own(to) || is_multicast(to);
  {
    const lock_type lock(m.mutex);
    if (i.state != id_state::bound || i.local.ss_family != to.ss_family) return fail(EINVAL);
    i.remote = to;
    if (reachable) {
      const std::uint16_t port = port_of(i.local);
      if (is_any(i.local)) i.local = source_for(to);
      set_port(i.local, port);
      i.state = id_state::address_resolved;
      m.report(i, RDMA_CM_EVENT_ADDR_RESOLVED);
    } else {
      m.report(i, RDMA_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH);
    }
  }
  return complete(i);
}

int resolve_route(rdma_cm_id* id, int) {
  manager& m = manager::instance();
  identifier& i = to_identifier(id);
  {
    const lock_type lock(m.mutex);
    if (i.state != id_state::address_resolved) return fail(EINVAL);
    i.state = id_state::route_resolved;
    m.report(i, RDMA_CM_EVENT_ROUTE_RESOLVED);
  }
  return complete(i);
}

__be16 get_src_port(rdma_cm_id* id) {
  return htobe16(port_of(id->route.addr.src_storage));
}

__be16 get_dst_port(rdma_cm_id* id) {
  return htobe16(port_of(id->route.addr.dst_storage));
}

ibv_ah_attr path_to(const ibv_gid& destination, const ibv_gid& source) {
  ibv_ah_attr a{};
  a.is_global = 1;
  a.port_num = 1;
  a.grh.dgid = destination;
  a.grh.hop_limit = 64;
  ibv_gid candidate{};
  for (int index = 0; query_gid(device::instance()->cm_context(), 1, index, &candidate) == 0; ++index) {
    if (std::memcmp(candidate.raw, source.raw, sizeof source.raw) != 0) continue;
    a.grh.sgid_index = static_cast<std::uint8_t>(index);
    break;
  }
  return a;
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
