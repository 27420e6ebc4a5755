// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Datagrams: no answer, no retry. What cannot be delivered at once is dropped.

#include "soft/device.hpp"
#include "soft/gid_table.hpp"
#include "soft/indirect.hpp"
#include "soft/queue_pair.hpp"

#include <array>
#include <cstring>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

constexpr std::uint32_t multicast_qp = 0xffffff;

void send_datagram(const std::shared_ptr<peer>& p, datagram_header& d, std::uint32_t to, const iovec* local,
                   unsigned locals) {
  if (!p->is_up()) return;
  d.to_qp = to;
  if (p->is_direct()) {
    deliver(p, d, local, locals);
  } else {
    pass_datagram(*p, d, local, locals);
  }
}

}  // namespace

result queue_pair::execute_datagram(const send_request& r) {
  held_mark here(device::instance()->memory().header(), device::instance()->slot());
  std::array<iovec, max_sge> local;
  const int pieces_found = local_pieces(r, here, 0, local.data());
  if (pieces_found < 0 || r.to_domain != qp_base.pd->handle) return {outcome::done, IBV_WC_LOC_PROT_ERR, 0};
  const auto locals = static_cast<unsigned>(pieces_found);
  const ibv_gid& to = r.to.grh.dgid;

  datagram_header d{};
  d.from_qp = qp_base.qp_num;
  // A key whose highest bit is set means the queue pair's own (IBTA 10.2.5).
  d.qkey = (r.to_qkey & 0x80000000) != 0 ? shared().qkey.load() : r.to_qkey;
  d.length = static_cast<std::uint32_t>(r.length);
  d.has_imm = r.opcode == IBV_WR_SEND_WITH_IMM ? 1 : 0;
  d.imm = r.imm;
  d.is_solicited = (r.flags & IBV_SEND_SOLICITED) != 0 ? 1 : 0;
  fill_grh(r.from, to, d.length, r.to.grh.traffic_class, r.to.grh.hop_limit, d.grh);
  peers& processes = device::instance()->processes();
  // The first datagram to a process waits until the two know each other.
  if (is_multicast(to)) {
    // Who joins a group later than this process sends to one comes by itself.
    processes.have_reached_all();
    if (processes.members_are_coming_up()) return {outcome::busy, IBV_WC_SUCCESS, 0};
    for (const std::shared_ptr<peer>& p : processes.all()) {
      if (!p->is_up()) continue;
      for (const multicast_entry& member : p->header().multicast) {
        const std::uint32_t number = member.qp.load(std::memory_order_acquire);
        if (number == 0 || number == ~0u) continue;
        if (std::memcmp(member.group.raw, to.raw, sizeof to.raw) == 0) {
          send_datagram(p, d, number, local.data(), locals);
        }
      }
    }
  } else if (r.to_qp != multicast_qp) {
    const std::shared_ptr<peer> p = processes.reach(slot_of(r.to_qp));
    if (p && p->is_coming_up()) return {outcome::busy, IBV_WC_SUCCESS, 0};
    if (p) send_datagram(p, d, r.to_qp, local.data(), locals);
  }
  ++device::instance()->memory().header().datagrams.sent;
  return {outcome::done, IBV_WC_SUCCESS, d.length};
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
