// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/calls.hpp"
#include "soft/device.hpp"
#include "soft/gid_table.hpp"
#include "soft/queue_pair.hpp"

#include <cerrno>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

constexpr std::uint32_t being_written = ~0u;

}  // namespace

int attach_mcast(ibv_qp* qp, const ibv_gid* gid, std::uint16_t) {
  if (qp->qp_type != IBV_QPT_UD || !is_multicast(*gid)) return EINVAL;
  device& d = *device::instance();
  d.processes().announce_members();
  // Whoever is there learns of this process, and whoever comes later gets to know everybody when it sends to a group.
  d.processes().reach_all();
  for (const multicast_entry& entry : d.memory().header().multicast) {
    if (entry.qp.load() == qp->qp_num && std::memcmp(entry.group.raw, gid->raw, sizeof gid->raw) == 0) return 0;
  }
  for (multicast_entry& entry : d.memory().header().multicast) {
    std::uint32_t unused = 0;
    if (!entry.qp.compare_exchange_strong(unused, being_written)) continue;
    entry.group = *gid;
    entry.qp.store(qp->qp_num, std::memory_order_release);
    return 0;
  }
  return ENOMEM;
}

int detach_mcast(ibv_qp* qp, const ibv_gid* gid, std::uint16_t) {
  for (multicast_entry& entry : device::instance()->memory().header().multicast) {
    if (entry.qp.load() != qp->qp_num || std::memcmp(entry.group.raw, gid->raw, sizeof gid->raw) != 0) continue;
    entry.qp.store(0);
    return 0;
  }
  return EINVAL;
}

void detach_all(std::uint32_t qp_number) noexcept {
  for (multicast_entry& entry : device::instance()->memory().header().multicast) {
    std::uint32_t number = qp_number;
    entry.qp.compare_exchange_strong(number, 0);
  }
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
