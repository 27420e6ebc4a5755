// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/responder.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace soft {

bool take_receive_for(peer& owner, queue_pair_entry& target, taken_receive& result) {
  if (target.shared_queue == 0) return take_receive(owner, target.receives, result);
  receive_queue_entry& queue = owner.header().srqs[target.shared_queue - 1];
  if (!take_receive(owner, queue, result)) return false;
  // The limit is good for one event.
  const std::uint32_t limit = queue.limit.load();
  if (limit != 0 && result.ring.size() < limit && queue.limit.exchange(0) != 0) {
    notify_process(owner, device_event::srq_limit, target.shared_queue - 1);
  }
  return true;
}

std::uint32_t receive_domain(const peer& owner, const queue_pair_entry& target) noexcept {
  return target.shared_queue == 0 ? target.domain : owner.header().srqs[target.shared_queue - 1].domain;
}

completion_entry receive_completion(const queue_pair_entry& target, const taken_receive& receive, const send_request& r,
                                    std::uint32_t from_qp) noexcept {
  completion_entry result{};
  result.qp = target.number.load();
  result.wc.wr_id = receive.entry().wr_id;
  result.wc.status = IBV_WC_SUCCESS;
  result.wc.opcode = r.opcode == IBV_WR_RDMA_WRITE_WITH_IMM ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
  result.wc.qp_num = result.qp;
  result.wc.src_qp = from_qp;
  if (r.opcode == IBV_WR_SEND_WITH_IMM || r.opcode == IBV_WR_RDMA_WRITE_WITH_IMM) {
    result.wc.wc_flags = IBV_WC_WITH_IMM;
    result.wc.imm_data = r.imm;
  } else if (r.opcode == IBV_WR_SEND_WITH_INV) {
    result.wc.wc_flags = IBV_WC_WITH_INV;
    result.wc.invalidated_rkey = r.rkey;
  }
  return result;
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
