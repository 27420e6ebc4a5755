// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/calls.hpp"
#include "soft/cm/address.hpp"
#include "soft/cm/calls.hpp"
#include "soft/cm/manager.hpp"

#include <algorithm>
#include <cerrno>

// The queue pairs that the connection manager makes, and how it brings any to the state that a connection needs.
namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

namespace {

/// The kernel's for RoCE: its packet lifetime + 1. 537 ms.
constexpr std::uint8_t default_ack_timeout = 17;

bool has_connection(id_state s) noexcept {
  return s >= id_state::looking;
}

/// The other side has told of its queue pair.
bool knows_peer(const identifier& i) noexcept {
  return i.theirs.type != message_type{};
}

int modify(identifier& i, ibv_qp* qp, ibv_qp_state state) {
  ibv_qp_attr attributes{};
  attributes.qp_state = state;
  int mask = 0;
  if (init_qp_attr(&i, &attributes, &mask) != 0) return errno;
  return modify_qp(qp, &attributes, mask);
}

int init_datagram_qp(identifier& i, ibv_qp* qp) {
  if (const int e = modify(i, qp, IBV_QPS_INIT)) return e;
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  if (const int e = modify_qp(qp, &attributes, IBV_QP_STATE)) return e;
  attributes.qp_state = IBV_QPS_RTS;
  return modify_qp(qp, &attributes, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

void destroy_cqs(identifier& i) noexcept {
  if (i.recv_cq != nullptr) destroy_cq(i.recv_cq);
  if (i.send_cq != nullptr) destroy_cq(i.send_cq);
  if (i.recv_cq_channel != nullptr) destroy_comp_channel(i.recv_cq_channel);
  if (i.send_cq_channel != nullptr) destroy_comp_channel(i.send_cq_channel);
  i.recv_cq = i.send_cq = nullptr;
  i.recv_cq_channel = i.send_cq_channel = nullptr;
}

bool create_completion_queue(identifier& i, std::uint32_t size, ibv_comp_channel*& channel, ibv_cq*& cq) {
  channel = create_comp_channel(i.verbs);
  if (channel == nullptr) return false;
  cq = create_cq(i.verbs, static_cast<int>(size), &i, channel, 0);
  return cq != nullptr;
}

}  // namespace

int create_qp(rdma_cm_id* id, ibv_pd* pd, ibv_qp_init_attr* a) {
  ibv_qp_init_attr_ex attributes{};
  attributes.qp_context = a->qp_context;
  attributes.send_cq = a->send_cq;
  attributes.recv_cq = a->recv_cq;
  attributes.srq = a->srq;
  attributes.cap = a->cap;
  attributes.qp_type = a->qp_type;
  attributes.sq_sig_all = a->sq_sig_all;
  attributes.comp_mask = IBV_QP_INIT_ATTR_PD;
  attributes.pd = pd;
  const int result = create_qp_ex(id, &attributes);
  a->send_cq = attributes.send_cq;
  a->recv_cq = attributes.recv_cq;
  a->srq = attributes.srq;
  a->cap = attributes.cap;
  return result;
}

int create_qp_ex(rdma_cm_id* id, ibv_qp_init_attr_ex* attributes) {
  identifier& i = to_identifier(id);
  const std::lock_guard<std::mutex> qp_lock(i.qp_mutex);
  if (i.qp != nullptr || i.verbs == nullptr) return fail(EINVAL);
  if ((attributes->comp_mask & IBV_QP_INIT_ATTR_PD) == 0 || attributes->pd == nullptr) attributes->pd = i.pd;
  attributes->comp_mask |= IBV_QP_INIT_ATTR_PD;
  if (attributes->pd == nullptr || attributes->pd->context != i.verbs) return fail(EINVAL);
  if ((attributes->recv_cq == nullptr && attributes->cap.max_recv_wr != 0 &&
       !create_completion_queue(i, attributes->cap.max_recv_wr, i.recv_cq_channel, i.recv_cq)) ||
      (attributes->send_cq == nullptr && attributes->cap.max_send_wr != 0 &&
       !create_completion_queue(i, attributes->cap.max_send_wr, i.send_cq_channel, i.send_cq))) {
    const int e = errno;
    destroy_cqs(i);
    return fail(e);
  }
  if (attributes->send_cq == nullptr) attributes->send_cq = i.send_cq;
  if (attributes->recv_cq == nullptr) attributes->recv_cq = i.recv_cq;
  if (attributes->srq == nullptr) attributes->srq = i.srq;

  ibv_qp* const qp = soft::create_qp_ex(i.verbs, attributes);
  int e = qp != nullptr ? 0 : errno;
  if (!e) e = i.qp_type == IBV_QPT_UD ? init_datagram_qp(i, qp) : modify(i, qp, IBV_QPS_INIT);
  if (e) {
    if (qp != nullptr) soft::destroy_qp(qp);
    destroy_cqs(i);
    return fail(e);
  }
  i.pd = attributes->pd;
  i.qp = qp;
  return 0;
}

void destroy_qp(rdma_cm_id* id) {
  identifier& i = to_identifier(id);
  const std::lock_guard<std::mutex> qp_lock(i.qp_mutex);
  if (i.qp == nullptr) return;
  soft::destroy_qp(i.qp);
  i.qp = nullptr;
  destroy_cqs(i);
  const lock_type lock(manager::instance().mutex);
  for (membership& g : i.groups) g.attached = false;
}

int init_qp_attr(rdma_cm_id* id, ibv_qp_attr* attributes, int* mask) {
  if (id->verbs == nullptr) return fail(EINVAL);
  identifier& i = to_identifier(id);
  ibv_gid source, destination;
  {
    const lock_type lock(manager::instance().mutex);
    source = gid_of(i.local);
    destination = gid_of(i.remote);
    switch (attributes->qp_state) {
      case IBV_QPS_INIT:
        attributes->pkey_index = 0;
        attributes->port_num = 1;
        *mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
        if (i.qp_type == IBV_QPT_UD) {
          attributes->qkey = RDMA_UDP_QKEY;
          *mask |= IBV_QP_QKEY;
          return 0;
        }
        attributes->qp_access_flags = 0;
        if (has_connection(i.state)) {
          attributes->qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
          if (i.responder_resources != 0) {
            attributes->qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
          }
        }
        *mask |= IBV_QP_ACCESS_FLAGS;
        return 0;
      case IBV_QPS_RTR:
        if (i.qp_type == IBV_QPT_UD) {
          *mask = IBV_QP_STATE;
          return 0;
        }
        if (!knows_peer(i)) return fail(EINVAL);
        attributes->path_mtu = IBV_MTU_4096;
        attributes->dest_qp_num = i.theirs.qp_num;
        attributes->rq_psn = i.theirs.psn;
        attributes->max_dest_rd_atomic = i.responder_resources;
        attributes->min_rnr_timer = 0;
        *mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
        break;
      case IBV_QPS_RTS:
        attributes->sq_psn = i.ours.psn;
        *mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
        if (i.qp_type == IBV_QPT_UD) return 0;
        if (!knows_peer(i)) return fail(EINVAL);
        attributes->timeout = i.ack_timeout.value_or(default_ack_timeout);
        attributes->retry_cnt = i.ours.type == message_type::request ? i.ours.retry_count : i.theirs.retry_count;
        attributes->rnr_retry = i.theirs.rnr_retry_count;
        attributes->max_rd_atomic = i.initiator_depth;
        *mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
        return 0;
      default:
        return fail(EINVAL);
    }
  }
  attributes->ah_attr = path_to(destination, source);
  return 0;
}

int make_ready(identifier& i) {
  // To INIT again: what the other side may do with its memory is known only now.
  for (const ibv_qp_state s : {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS}) {
    if (const int e = modify(i, i.qp, s)) return e;
  }
  return 0;
}

void to_error(identifier& i) noexcept {
  // Its owner may be setting it, on another thread.
  ibv_qp* const qp = __atomic_load_n(&i.qp, __ATOMIC_ACQUIRE);
  if (qp == nullptr) return;
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_ERR;
  (void)modify_qp(qp, &attributes, IBV_QP_STATE);
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
