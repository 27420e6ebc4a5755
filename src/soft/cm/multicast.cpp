// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/calls.hpp"
#include "soft/cm/address.hpp"
#include "soft/cm/calls.hpp"
#include "soft/cm/manager.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

namespace {

int join(rdma_cm_id* id, const sockaddr* address, bool send_only, void* context) {
  membership g;
  if (!copy_address(address, g.address) || !is_multicast(g.address)) return fail(EINVAL);
  manager& m = manager::instance();
  identifier& i = to_identifier(id);
  if (i.verbs == nullptr || i.qp_type != IBV_QPT_UD) return fail(EINVAL);
  g.context = context;
  g.gid = gid_of(g.address);
  g.send_only = send_only;
  {
    const lock_type lock(m.mutex);
    if (i.state != id_state::bound && i.state != id_state::address_resolved) return fail(EINVAL);
    g.number = m.next_number();
    i.groups.push_back(g);
    m.report(i, RDMA_CM_EVENT_MULTICAST_JOIN);
    i.events->waiting.back()->group = g.number;
  }
  return complete(i);
}

}  // namespace

int join_multicast(rdma_cm_id* id, sockaddr* address, void* context) {
  return join(id, address, false, context);
}

int join_multicast_ex(rdma_cm_id* id, rdma_cm_join_mc_attr_ex* attributes, void* context) {
  if (attributes->comp_mask >= RDMA_CM_JOIN_MC_ATTR_RESERVED) return fail(ENOTSUP);
  constexpr std::uint32_t needed = RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS;
  if ((attributes->comp_mask & needed) != needed || attributes->join_flags >= RDMA_MC_JOIN_FLAG_RESERVED) {
    return fail(EINVAL);
  }
  return join(id, attributes->addr, attributes->join_flags == RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER, context);
}

int attach(manager& m, identifier& i, std::uint64_t group) {
  membership* joined = nullptr;
  {
    const lock_type lock(m.mutex);
    for (membership& g : i.groups) {
      if (g.number == group) joined = &g;  // it stays there until the event is acknowledged
    }
  }
  const std::lock_guard<std::mutex> qp_lock(i.qp_mutex);
  if (i.qp == nullptr || joined->send_only) return 0;
  const int e = attach_mcast(i.qp, &joined->gid, 0);
  joined->attached = e == 0;
  return e;
}

int leave_multicast(rdma_cm_id* id, sockaddr* address) {
  sockaddr_storage a;
  if (!copy_address(address, a)) return fail(EINVAL);
  manager& m = manager::instance();
  identifier& i = to_identifier(id);
  std::list<membership>::iterator g;
  {
    lock_type lock(m.mutex);
    g = std::find_if(i.groups.begin(), i.groups.end(),
                     [&](const membership& candidate) { return same_host(candidate.address, a); });
    if (g == i.groups.end()) return fail(EADDRNOTAVAIL);
    (void)i.events->extract([&](const cm_event& e) { return e.owner == &i && e.group == g->number; });
    m.acknowledged.wait(lock, [&] { return g->unacknowledged == 0; });
  }
  {
    const std::lock_guard<std::mutex> qp_lock(i.qp_mutex);
    if (i.qp != nullptr && g->attached) (void)detach_mcast(i.qp, &g->gid, 0);
  }
  const lock_type lock(m.mutex);
  i.groups.erase(g);
  return 0;
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
