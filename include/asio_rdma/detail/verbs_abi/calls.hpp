// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_VERBS_ABI_CALLS_HPP
#define ASIO_RDMA_DETAIL_VERBS_ABI_CALLS_HPP

#include <asio_rdma/detail/verbs_abi/context.hpp>

#include <cstddef>
#include <cstdint>

// The calls that go through the object itself, as the man page of each has it.

inline int ibv_post_send(ibv_qp* qp, ibv_send_wr* wr, ibv_send_wr** bad_wr) {
  return qp->context->ops.post_send(qp, wr, bad_wr);
}
inline int ibv_post_recv(ibv_qp* qp, ibv_recv_wr* wr, ibv_recv_wr** bad_wr) {
  return qp->context->ops.post_recv(qp, wr, bad_wr);
}
inline int ibv_post_srq_recv(ibv_srq* srq, ibv_recv_wr* wr, ibv_recv_wr** bad_wr) {
  return srq->context->ops.post_srq_recv(srq, wr, bad_wr);
}
inline int ibv_poll_cq(ibv_cq* cq, int num_entries, ibv_wc* wc) {
  return cq->context->ops.poll_cq(cq, num_entries, wc);
}
inline int ibv_req_notify_cq(ibv_cq* cq, int solicited_only) {
  return cq->context->ops.req_notify_cq(cq, solicited_only);
}

// Only the low eight bits of a window's key change from one binding to the next.
inline std::uint32_t ibv_inc_rkey(std::uint32_t rkey) {
  return (rkey & ~0xffu) | ((rkey + 1) & 0xffu);
}
inline ibv_mw* ibv_alloc_mw(ibv_pd* pd, ibv_mw_type type) {
  return pd->context->ops.alloc_mw(pd, type);
}
inline int ibv_dealloc_mw(ibv_mw* mw) {
  return mw->context->ops.dealloc_mw(mw);
}

inline ibv_cq_ex* ibv_create_cq_ex(ibv_context* context, ibv_cq_init_attr_ex* attributes) {
  return verbs_get_ctx(context)->create_cq_ex(context, attributes);
}
inline ibv_cq* ibv_cq_ex_to_cq(ibv_cq_ex* cq) {
  return reinterpret_cast<ibv_cq*>(cq);
}
inline int ibv_start_poll(ibv_cq_ex* cq, ibv_poll_cq_attr* attributes) {
  return cq->start_poll(cq, attributes);
}
inline int ibv_next_poll(ibv_cq_ex* cq) {
  return cq->next_poll(cq);
}
inline void ibv_end_poll(ibv_cq_ex* cq) {
  cq->end_poll(cq);
}
inline ibv_wc_opcode ibv_wc_read_opcode(ibv_cq_ex* cq) {
  return cq->read_opcode(cq);
}
inline std::uint32_t ibv_wc_read_vendor_err(ibv_cq_ex* cq) {
  return cq->read_vendor_err(cq);
}
inline std::uint32_t ibv_wc_read_byte_len(ibv_cq_ex* cq) {
  return cq->read_byte_len(cq);
}
inline __be32 ibv_wc_read_imm_data(ibv_cq_ex* cq) {
  return cq->read_imm_data(cq);
}
inline std::uint32_t ibv_wc_read_qp_num(ibv_cq_ex* cq) {
  return cq->read_qp_num(cq);
}
inline std::uint32_t ibv_wc_read_src_qp(ibv_cq_ex* cq) {
  return cq->read_src_qp(cq);
}
inline unsigned ibv_wc_read_wc_flags(ibv_cq_ex* cq) {
  return cq->read_wc_flags(cq);
}
inline std::uint32_t ibv_wc_read_slid(ibv_cq_ex* cq) {
  return cq->read_slid(cq);
}
inline std::uint8_t ibv_wc_read_sl(ibv_cq_ex* cq) {
  return cq->read_sl(cq);
}
inline std::uint8_t ibv_wc_read_dlid_path_bits(ibv_cq_ex* cq) {
  return cq->read_dlid_path_bits(cq);
}
inline std::uint64_t ibv_wc_read_completion_ts(ibv_cq_ex* cq) {
  return cq->read_completion_ts(cq);
}

inline void ibv_wr_start(ibv_qp_ex* qp) {
  qp->wr_start(qp);
}
inline int ibv_wr_complete(ibv_qp_ex* qp) {
  return qp->wr_complete(qp);
}
inline void ibv_wr_abort(ibv_qp_ex* qp) {
  qp->wr_abort(qp);
}
inline void ibv_wr_send(ibv_qp_ex* qp) {
  qp->wr_send(qp);
}
inline void ibv_wr_send_imm(ibv_qp_ex* qp, __be32 imm_data) {
  qp->wr_send_imm(qp, imm_data);
}
inline void ibv_wr_send_inv(ibv_qp_ex* qp, std::uint32_t invalidate_rkey) {
  qp->wr_send_inv(qp, invalidate_rkey);
}
inline void ibv_wr_rdma_write(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote_addr) {
  qp->wr_rdma_write(qp, rkey, remote_addr);
}
inline void ibv_wr_rdma_write_imm(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote_addr, __be32 imm_data) {
  qp->wr_rdma_write_imm(qp, rkey, remote_addr, imm_data);
}
inline void ibv_wr_rdma_read(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote_addr) {
  qp->wr_rdma_read(qp, rkey, remote_addr);
}
inline void ibv_wr_atomic_cmp_swp(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote_addr, std::uint64_t compare,
                                  std::uint64_t swap) {
  qp->wr_atomic_cmp_swp(qp, rkey, remote_addr, compare, swap);
}
inline void ibv_wr_atomic_fetch_add(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote_addr, std::uint64_t add) {
  qp->wr_atomic_fetch_add(qp, rkey, remote_addr, add);
}
inline void ibv_wr_bind_mw(ibv_qp_ex* qp, ibv_mw* mw, std::uint32_t rkey, const ibv_mw_bind_info* bind_info) {
  qp->wr_bind_mw(qp, mw, rkey, bind_info);
}
inline void ibv_wr_local_inv(ibv_qp_ex* qp, std::uint32_t invalidate_rkey) {
  qp->wr_local_inv(qp, invalidate_rkey);
}
inline void ibv_wr_set_ud_addr(ibv_qp_ex* qp, ibv_ah* ah, std::uint32_t remote_qpn, std::uint32_t remote_qkey) {
  qp->wr_set_ud_addr(qp, ah, remote_qpn, remote_qkey);
}
inline void ibv_wr_set_sge(ibv_qp_ex* qp, std::uint32_t lkey, std::uint64_t addr, std::uint32_t length) {
  qp->wr_set_sge(qp, lkey, addr, length);
}
inline void ibv_wr_set_sge_list(ibv_qp_ex* qp, std::size_t num_sge, const ibv_sge* sg_list) {
  qp->wr_set_sge_list(qp, num_sge, sg_list);
}
inline void ibv_wr_set_inline_data(ibv_qp_ex* qp, void* addr, std::size_t length) {
  qp->wr_set_inline_data(qp, addr, length);
}
inline void ibv_wr_set_inline_data_list(ibv_qp_ex* qp, std::size_t num_buf, const ibv_data_buf* buf_list) {
  qp->wr_set_inline_data_list(qp, num_buf, buf_list);
}

#endif
