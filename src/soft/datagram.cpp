// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Datagrams: no answer, no retry. What cannot be delivered at once is dropped.

#include "soft/device.hpp"
#include "soft/gid_table.hpp"
#include "soft/queue_pair.hpp"
#include "soft/responder.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

constexpr std::uint32_t multicast_qp = 0xffffff;

struct datagram {
  const send_request& request;
  std::uint32_t from_qp;
  std::uint32_t qkey;
  ibv_grh header;
  const iovec* pieces;
  unsigned count;
};

void deliver(const std::shared_ptr<peer>& p, std::uint32_t number, const datagram& d) {
  if (!p->is_up()) return;
  held_mark there(p->header(), device::instance()->slot());
  there.set_qp(number);
  queue_pair_entry& target = p->header().qps[index_of(number)];
  const auto state = target.state.load();
  if (target.number.load() != number || target.type != IBV_QPT_UD || target.qkey.load() != d.qkey ||
      (state != IBV_QPS_RTR && state != IBV_QPS_RTS && state != IBV_QPS_SQD && state != IBV_QPS_SQE)) {
    return;
  }
  taken_receive receive;
  if (!take_receive_for(*p, target, receive)) return;
  completion_entry completion = receive_completion(target, receive, d.request, d.from_qp);
  completion.wc.wc_flags |= IBV_WC_GRH;
  completion.wc.byte_len = grh_bytes + static_cast<std::uint32_t>(d.request.length);

  std::array<iovec, max_sge> remote;
  std::array<iovec, max_sge + 1> local;
  local[0] = {const_cast<ibv_grh*>(&d.header), sizeof d.header};
  std::copy_n(d.pieces, d.count, local.begin() + 1);
  const receive_entry& into = receive.entry();
  std::uint64_t room = 0;
  for (std::uint32_t i = 0; i < into.count; ++i) room += into.pieces[i].length;
  const int remotes = room < completion.wc.byte_len
                          ? -1
                          : gather(there, into.pieces, into.count, receive_domain(*p, target), IBV_ACCESS_LOCAL_WRITE,
                                   completion.wc.byte_len, remote.data());
  if (room < completion.wc.byte_len) completion.wc.status = IBV_WC_LOC_LEN_ERR;
  else if (remotes < 0) completion.wc.status = IBV_WC_LOC_PROT_ERR;
  else if (!p->copy_to(local.data(), d.count + 1, remote.data(), static_cast<unsigned>(remotes))) {
    completion.wc.status = IBV_WC_LOC_PROT_ERR;
  }
  receive.release();
  push_completion(*p, target.receive_cq, completion, (d.request.flags & IBV_SEND_SOLICITED) != 0);
  if (completion.wc.status != IBV_WC_SUCCESS) notify_process(*p, device_event::qp_receive_error, number);
}

}  // namespace

queue_pair::result queue_pair::execute_datagram(const send_request& r) {
  held_mark here(device::instance()->memory().header(), device::instance()->slot());
  std::array<iovec, max_sge> local;
  const int locals = local_pieces(r, here, 0, local.data());
  const std::optional<ibv_gid> from = gid_at(r.to.grh.sgid_index);
  if (locals < 0 || r.to_domain != pd->handle) return {outcome::done, IBV_WC_LOC_PROT_ERR, 0};
  if (!from) return {outcome::done, IBV_WC_LOC_QP_OP_ERR, 0};

  // A key whose highest bit is set means the queue pair's own (IBTA 10.2.5).
  datagram d{r, qp_num, (r.to_qkey & 0x80000000) != 0 ? shared().qkey.load() : r.to_qkey, {}, local.data(),
             static_cast<unsigned>(locals)};
  fill_grh(*from, r.to.grh.dgid, static_cast<std::uint32_t>(r.length), r.to.grh.traffic_class, r.to.grh.hop_limit,
           d.header);
  peers& processes = device::instance()->processes();
  if (is_multicast(r.to.grh.dgid)) {
    for (const std::shared_ptr<peer>& p : processes.all()) {
      if (!p->is_up()) continue;
      for (const multicast_entry& member : p->header().multicast) {
        const std::uint32_t number = member.qp.load(std::memory_order_acquire);
        if (number == 0 || number == ~0u) continue;
        if (std::memcmp(member.group.raw, r.to.grh.dgid.raw, sizeof member.group.raw) == 0) deliver(p, number, d);
      }
    }
  } else if (r.to_qp != multicast_qp) {
    const std::shared_ptr<peer> p = processes.reach(slot_of(r.to_qp));
    // The first datagram to a process waits until the two know each other.
    if (p && !p->is_up() && !p->is_down() && retries_left != 0) {
      --retries_left;
      return {outcome::no_answer, IBV_WC_SUCCESS, 0};
    }
    if (p) deliver(p, r.to_qp, d);
  }
  return {outcome::done, IBV_WC_SUCCESS, static_cast<std::uint32_t>(r.length)};
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
