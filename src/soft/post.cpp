// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Posting: requests are checked as far as a card's driver checks them, and copied into the queue.

#include "soft/device.hpp"
#include "soft/queue_pair.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

bool is_allowed(ibv_qp_type type, ibv_wr_opcode opcode) noexcept {
  switch (opcode) {
    case IBV_WR_SEND:
    case IBV_WR_SEND_WITH_IMM:
      return true;
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM:
    case IBV_WR_RDMA_READ:
    case IBV_WR_ATOMIC_CMP_AND_SWP:
    case IBV_WR_ATOMIC_FETCH_AND_ADD:
    case IBV_WR_SEND_WITH_INV:
    case IBV_WR_LOCAL_INV:
    case IBV_WR_BIND_MW:
      return type == IBV_QPT_RC;
    default:
      return false;
  }
}

bool carries_data_away(ibv_wr_opcode opcode) noexcept {
  return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_SEND_WITH_INV ||
         opcode == IBV_WR_RDMA_WRITE || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

}  // namespace

bool queue_pair::can_post() const noexcept {
  const ibv_qp_state state = current();
  return state == IBV_QPS_RTS || state == IBV_QPS_SQD || state == IBV_QPS_SQE || state == IBV_QPS_ERR;
}

int queue_pair::enqueue(const ibv_send_wr& wr) {
  if (posted - released.load(std::memory_order_acquire) >= send_depth) return ENOMEM;
  if (wr.num_sge < 0 || static_cast<std::uint32_t>(wr.num_sge) > max_pieces ||
      !is_allowed(qp_base.qp_type, wr.opcode)) {
    return EINVAL;
  }
  const bool is_inline = (wr.send_flags & IBV_SEND_INLINE) != 0 && carries_data_away(wr.opcode);
  std::uint64_t length = 0;
  for (int i = 0; i < wr.num_sge; ++i) length += wr.sg_list[i].length;
  if (is_inline && length > max_inline_bytes) return ENOMEM;
  if (qp_base.qp_type == IBV_QPT_UD && (!wr.wr.ud.ah || length > mtu_bytes)) return EINVAL;

  send_request& r = requests[posted & (send_depth - 1)];
  r.wr_id = wr.wr_id;
  r.opcode = wr.opcode;
  r.flags = wr.send_flags;
  r.imm = wr.imm_data;
  r.length = length;
  r.count = static_cast<std::uint32_t>(wr.num_sge);
  ibv_sge* const list = pieces_of(posted);
  if (is_inline) {
    unsigned char* to = inline_of(posted);
    list[0] = {reinterpret_cast<std::uintptr_t>(to), static_cast<std::uint32_t>(length), 0};
    for (int i = 0; i < wr.num_sge; ++i) {
      const ibv_sge& piece = wr.sg_list[i];
      std::memcpy(to, reinterpret_cast<const void*>(static_cast<std::uintptr_t>(piece.addr)), piece.length);
      to += piece.length;
    }
    r.count = length != 0 ? 1 : 0;
  } else {
    r.flags &= ~static_cast<unsigned>(IBV_SEND_INLINE);
    std::copy_n(wr.sg_list, r.count, list);
  }
  switch (wr.opcode) {
    case IBV_WR_ATOMIC_CMP_AND_SWP:
    case IBV_WR_ATOMIC_FETCH_AND_ADD:
      r.remote_address = wr.wr.atomic.remote_addr;
      r.rkey = wr.wr.atomic.rkey;
      r.compare_add = wr.wr.atomic.compare_add;
      r.swap = wr.wr.atomic.swap;
      break;
    case IBV_WR_BIND_MW:
      r.window = wr.bind_mw.mw->handle << 8;
      r.window_domain = wr.bind_mw.mw->pd->handle;
      r.rkey = wr.bind_mw.rkey;
      r.bind = wr.bind_mw.bind_info;
      break;
    case IBV_WR_SEND_WITH_INV:
    case IBV_WR_LOCAL_INV:
      r.rkey = wr.invalidate_rkey;
      break;
    default:
      r.remote_address = wr.wr.rdma.remote_addr;
      r.rkey = wr.wr.rdma.rkey;
  }
  if (qp_base.qp_type == IBV_QPT_UD) {
    r.to = own(wr.wr.ud.ah)->attributes;
    r.from = own(wr.wr.ud.ah)->from;
    r.to_domain = wr.wr.ud.ah->pd->handle;
    r.to_qp = wr.wr.ud.remote_qpn;
    r.to_qkey = wr.wr.ud.remote_qkey;
  }
  ++posted;
  return 0;
}

int post_send(ibv_qp* qp, ibv_send_wr* list, ibv_send_wr** bad) {
  queue_pair& q = *own(qp);
  const std::lock_guard<std::mutex> lock(q.send_mutex);
  int result = 0;
  const bool can_post = q.can_post();
  for (; list != nullptr; list = list->next) {
    result = can_post ? q.enqueue(*list) : EINVAL;
    if (result != 0) {
      *bad = list;
      break;
    }
  }
  q.run();
  return result;
}

int post_recv(ibv_qp* qp, ibv_recv_wr* list, ibv_recv_wr** bad) {
  queue_pair& q = *own(qp);
  int result = 0;
  {
    const std::lock_guard<std::mutex> lock(q.receive_mutex);
    if (!q.receives || q.current() == IBV_QPS_RESET) {
      *bad = list;
      return EINVAL;
    }
    result = q.receives.post(list, bad);
  }
  // Whoever changed the state after we looked flushes what we posted; so do we, if it was before.
  if (q.current() == IBV_QPS_ERR) {
    const std::lock_guard<std::mutex> lock(q.send_mutex);
    if (q.in_error) q.flush_receives();
  }
  return result;
}

void release_sends(std::uint32_t qp_number, std::uint64_t position) noexcept {
  queue_pair* const q = device::instance()->local_qp(qp_number);
  if (q) q->released.store(position, std::memory_order_release);
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
