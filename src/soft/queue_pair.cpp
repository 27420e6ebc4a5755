// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/queue_pair.hpp"

#include "soft/calls.hpp"
#include "soft/device.hpp"
#include "soft/gid_table.hpp"
#include "soft/power_of_two.hpp"
#include "soft/transitions.hpp"

#include <algorithm>
#include <cerrno>
#include <thread>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

/// 0, or why there cannot be such a queue pair: an errno value.
int check(const ibv_qp_init_attr& a) noexcept {
  switch (a.qp_type) {
    case IBV_QPT_RC:
    case IBV_QPT_UD:
      break;
    case IBV_QPT_UC:
    case IBV_QPT_RAW_PACKET:
    case IBV_QPT_XRC_SEND:
    case IBV_QPT_XRC_RECV:
    case IBV_QPT_DRIVER:
      return EOPNOTSUPP;
    default:
      return EINVAL;
  }
  const ibv_qp_cap& c = a.cap;
  const bool fits = a.send_cq && a.recv_cq && c.max_send_wr <= max_wr && c.max_send_sge <= max_sge &&
                    c.max_inline_data <= max_inline &&
                    (a.srq || (c.max_recv_wr <= max_wr && c.max_recv_sge <= max_sge));
  return fits ? 0 : EINVAL;
}

constexpr unsigned remote_access =
    IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

/// Ranges of what fits into the members of ibv_qp_attr; IBTA 9.7 and 12.7.
bool in_range(const ibv_qp_attr& a, int mask) noexcept {
  const auto has = [mask](int flag) { return (mask & flag) != 0; };
  return !(has(IBV_QP_PORT) && a.port_num != 1) && !(has(IBV_QP_PKEY_INDEX) && a.pkey_index != 0) &&
         !(has(IBV_QP_PATH_MTU) && (a.path_mtu < IBV_MTU_256 || a.path_mtu > IBV_MTU_4096)) &&
         !(has(IBV_QP_DEST_QPN) && a.dest_qp_num >> 24 != 0) && !(has(IBV_QP_MIN_RNR_TIMER) && a.min_rnr_timer > 31) &&
         !(has(IBV_QP_TIMEOUT) && a.timeout > 31) && !(has(IBV_QP_RETRY_CNT) && a.retry_cnt > 7) &&
         !(has(IBV_QP_RNR_RETRY) && a.rnr_retry > 7) &&
         !(has(IBV_QP_MAX_QP_RD_ATOMIC) && a.max_rd_atomic > max_rd_atomic) &&
         !(has(IBV_QP_MAX_DEST_RD_ATOMIC) && a.max_dest_rd_atomic > max_rd_atomic) &&
         !(has(IBV_QP_AV) && (a.ah_attr.port_num != 1 || a.ah_attr.is_global == 0));
}

}  // namespace

queue_pair_entry& queue_pair::shared() const noexcept {
  return device::instance()->memory().header().qps[index];
}

ibv_qp* create_qp(ibv_pd* pd, ibv_qp_init_attr* attributes) {
  const int refusal = check(*attributes);
  if (refusal != 0) {
    errno = refusal;
    return nullptr;
  }
  device& d = *device::instance();
  const unsigned index = d.qp_indices().take();
  if (index == max_qps) {
    errno = ENOMEM;
    return nullptr;
  }
  const auto result = std::make_shared<queue_pair>();
  result->index = index;
  queue_pair_entry& entry = result->shared();
  ibv_qp_cap& cap = attributes->cap;
  if (attributes->srq) {
    cap.max_recv_wr = cap.max_recv_sge = 0;
    ++own(attributes->srq)->users;
  } else {
    cap.max_recv_sge = std::max(cap.max_recv_sge, 1u);
    if (!result->receives.create(entry.receives, cap.max_recv_wr, cap.max_recv_sge)) {
      d.qp_indices().give_back(index);
      errno = ENOMEM;
      return nullptr;
    }
  }
  cap.max_send_wr = result->send_depth = power_of_two(cap.max_send_wr);
  cap.max_send_sge = result->max_pieces = std::max(cap.max_send_sge, 1u);
  result->max_inline_bytes = cap.max_inline_data;
  result->requests.resize(result->send_depth);
  result->pieces.resize(std::size_t{result->send_depth} * result->max_pieces);
  result->inline_bytes.resize(std::size_t{result->send_depth} * result->max_inline_bytes);
  result->signal_all = attributes->sq_sig_all != 0;
  result->init = *attributes;

  result->qp_base.context = pd->context;
  result->qp_base.qp_context = attributes->qp_context;
  result->qp_base.pd = pd;
  result->qp_base.send_cq = attributes->send_cq;
  result->qp_base.recv_cq = attributes->recv_cq;
  result->qp_base.srq = attributes->srq;
  result->qp_base.qp_num = qp_number(d.slot(), index);
  result->qp_base.handle = result->qp_base.qp_num;
  result->qp_base.state = IBV_QPS_RESET;
  result->qp_base.qp_type = attributes->qp_type;
  pthread_mutex_init(&result->qp_base.mutex, nullptr);
  pthread_cond_init(&result->qp_base.cond, nullptr);
  ++own(pd)->users;
  ++own(result->qp_base.send_cq)->users;
  ++own(result->qp_base.recv_cq)->users;

  entry.type = attributes->qp_type;
  entry.domain = pd->handle;
  entry.access = 0;
  entry.peer = 0;
  entry.qkey = 0;
  entry.established = 0;
  entry.receive_cq = own(result->qp_base.recv_cq)->index;
  entry.shared_queue = attributes->srq ? own(attributes->srq)->index + 1 : 0;
  entry.state = IBV_QPS_RESET;
  entry.number.store(result->qp_base.qp_num);
  d.add_qp(index, result);
  return &result->qp_base;
}

ibv_qp* create_qp_ex(ibv_context*, ibv_qp_init_attr_ex* a) {
  constexpr std::uint32_t known =
      IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  if ((a->comp_mask & IBV_QP_INIT_ATTR_PD) == 0) {
    errno = EINVAL;
    return nullptr;
  }
  if ((a->comp_mask & ~known) != 0 || ((a->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) != 0 && a->create_flags != 0)) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  ibv_qp_init_attr attributes{a->qp_context, a->send_cq, a->recv_cq, a->srq, a->cap, a->qp_type, a->sq_sig_all};
  ibv_qp* const made = create_qp(a->pd, &attributes);
  if (made == nullptr) return nullptr;
  if ((a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) != 0 && !enable_builder(*own(made), a->send_ops_flags)) {
    destroy_qp(made);
    errno = EOPNOTSUPP;
    return nullptr;
  }
  a->cap = attributes.cap;
  return made;
}

ibv_qp_ex* qp_to_qp_ex(ibv_qp* qp) {
  queue_pair* const q = own(qp);
  return q->wr_start != nullptr ? q : nullptr;
}

int modify_qp(ibv_qp* qp, ibv_qp_attr* a, int mask) {
  queue_pair& q = *own(qp);
  std::unique_lock<std::mutex> lock(q.send_mutex);
  const ibv_qp_state from = q.current();
  const ibv_qp_state to = (mask & IBV_QP_STATE) != 0 ? a->qp_state : from;
  if ((mask & IBV_QP_CUR_STATE) != 0 && a->cur_qp_state != from) return EINVAL;
  if (!is_transition(q.qp_base.qp_type, from, to, mask) || !in_range(*a, mask)) return EINVAL;
  if (from == IBV_QPS_SQD && to == IBV_QPS_RTS && q.waiting) return EINVAL;  // not drained yet
  if ((mask & IBV_QP_AV) != 0 && !is_own_address(a->ah_attr.grh.dgid)) return ENETUNREACH;

  queue_pair_entry& entry = q.shared();
  ibv_qp_attr& kept = q.attributes;
  if ((mask & IBV_QP_ACCESS_FLAGS) != 0) {
    kept.qp_access_flags = a->qp_access_flags;
    entry.access = a->qp_access_flags & remote_access;
  }
  if ((mask & IBV_QP_QKEY) != 0) entry.qkey = kept.qkey = a->qkey;
  if ((mask & IBV_QP_PORT) != 0) kept.port_num = a->port_num;
  if ((mask & IBV_QP_AV) != 0) kept.ah_attr = a->ah_attr;
  if ((mask & IBV_QP_PATH_MTU) != 0) kept.path_mtu = a->path_mtu;
  if ((mask & IBV_QP_RQ_PSN) != 0) kept.rq_psn = a->rq_psn;
  if ((mask & IBV_QP_SQ_PSN) != 0) kept.sq_psn = a->sq_psn;
  if ((mask & IBV_QP_TIMEOUT) != 0) kept.timeout = a->timeout;
  if ((mask & IBV_QP_RETRY_CNT) != 0) q.retries_left = kept.retry_cnt = a->retry_cnt;
  if ((mask & IBV_QP_RNR_RETRY) != 0) q.rnr_retries_left = kept.rnr_retry = a->rnr_retry;
  if ((mask & IBV_QP_MAX_QP_RD_ATOMIC) != 0) kept.max_rd_atomic = a->max_rd_atomic;
  if ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) != 0) {
    entry.max_dest_rd_atomic = kept.max_dest_rd_atomic = a->max_dest_rd_atomic;
  }
  if ((mask & IBV_QP_MIN_RNR_TIMER) != 0) entry.min_rnr_timer = kept.min_rnr_timer = a->min_rnr_timer;
  if ((mask & IBV_QP_DEST_QPN) != 0) {
    kept.dest_qp_num = a->dest_qp_num;
    entry.peer = a->dest_qp_num;
    q.other = device::instance()->processes().reach(slot_of(a->dest_qp_num));
  }
  if ((mask & IBV_QP_STATE) == 0) return 0;

  q.qp_base.state = to;
  switch (to) {
    case IBV_QPS_ERR:
      q.stop(IBV_QPS_ERR, lock);
      q.enter_error();
      break;
    case IBV_QPS_RESET:
      q.stop(IBV_QPS_RESET, lock);
      q.reset();
      break;
    case IBV_QPS_SQD:
      entry.state = to;
      if ((mask & IBV_QP_EN_SQD_ASYNC_NOTIFY) != 0 && a->en_sqd_async_notify != 0) {
        q.announce_drained = true;
        q.run();
      }
      break;
    default:
      entry.state = to;
      if (to == IBV_QPS_RTS) q.run();
  }
  return 0;
}

void queue_pair::enter_error() {
  queue_pair_entry& entry = shared();
  entry.state = IBV_QPS_ERR;
  qp_base.state = IBV_QPS_ERR;
  if (in_error) return;
  device& d = *device::instance();
  const auto is_busy = [&] { return is_qp_marked(d.memory().header(), qp_base.qp_num); };
  for (unsigned i = 0; i < 20 && is_busy(); ++i) std::this_thread::yield();
  if (is_busy()) {
    d.helper().after(std::chrono::microseconds(100), [self = shared_from_this()] {
      const std::lock_guard<std::mutex> lock(self->send_mutex);
      if (self->current() == IBV_QPS_ERR) self->enter_error();
    });
    return;
  }
  in_error = true;
  waiting = asked = unanswered = false;
  ++wait_number;
  flush_sends();
  flush_receives();
  if (qp_base.srq) raise(IBV_EVENT_QP_LAST_WQE_REACHED);
}

void queue_pair::flush_receives() {
  const std::lock_guard<std::mutex> lock(receive_mutex);
  if (!receives) return;
  peer& self = *device::instance()->processes().self();
  taken_receive taken;
  while (take_receive(self, receives.shared(), taken)) {
    completion_entry completion{};
    completion.wc.wr_id = taken.entry().wr_id;
    completion.wc.status = IBV_WC_WR_FLUSH_ERR;
    completion.wc.opcode = IBV_WC_RECV;
    completion.wc.qp_num = qp_base.qp_num;
    completion.qp = qp_base.qp_num;
    taken.release();
    push_completion(self, own(qp_base.recv_cq)->index, completion, false);
  }
}

void queue_pair::stop(ibv_qp_state to, std::unique_lock<std::mutex>& lock) {
  shared().state = to;
  lock.unlock();
  wait_for_qp(device::instance()->memory().header(), qp_base.qp_num, device::is_gone);
  lock.lock();
}

void queue_pair::reset() {
  const std::lock_guard<std::mutex> lock(receive_mutex);
  purge_completions(*own(qp_base.send_cq), qp_base.qp_num);
  if (qp_base.recv_cq != qp_base.send_cq) purge_completions(*own(qp_base.recv_cq), qp_base.qp_num);
  if (receives) receives.clear();
  executed = posted = 0;
  released = 0;
  waiting = asked = unanswered = false;
  ++wait_number;
  in_error = has_failed = announce_drained = invalidating = false;
  other = nullptr;
  queue_pair_entry& entry = shared();
  entry.established = 0;
  entry.peer = 0;
}

void queue_pair::fail(ibv_event_type why) {
  const std::lock_guard<std::mutex> lock(send_mutex);
  fail_locked(why);
}

void queue_pair::confirm_failure(ibv_event_type why) {
  const std::lock_guard<std::mutex> lock(send_mutex);
  if (current() == IBV_QPS_ERR) fail_locked(why);
}

void queue_pair::fail_locked(ibv_event_type why) {
  if (in_error || has_failed || current() == IBV_QPS_RESET) return;
  has_failed = true;
  enter_error();
  raise(why);
}

void queue_pair::raise(ibv_event_type type) {
  ibv_async_event e{};
  e.event_type = type;
  e.element.qp = &qp_base;
  raise_async_event(qp_base.context, e);
}

int query_qp(ibv_qp* qp, ibv_qp_attr* attributes, int, ibv_qp_init_attr* init_attributes) {
  queue_pair& q = *own(qp);
  const std::lock_guard<std::mutex> lock(q.send_mutex);
  *attributes = q.attributes;
  attributes->qp_state = attributes->cur_qp_state = qp->state = q.current();
  attributes->cap = q.init.cap;
  attributes->sq_draining = attributes->qp_state == IBV_QPS_SQD && q.waiting ? 1 : 0;
  *init_attributes = q.init;
  return 0;
}

int destroy_qp(ibv_qp* qp) {
  device& d = *device::instance();
  const std::shared_ptr<queue_pair> q = own(qp)->shared_from_this();
  detach_all(q->qp_base.qp_num);
  {
    std::unique_lock<std::mutex> lock(q->send_mutex);
    q->stop(IBV_QPS_RESET, lock);
    q->reset();
    q->in_error = true;  // whatever comes late finds nothing to do
    q->shared().number.store(0);
  }
  d.add_qp(q->index, nullptr);
  drop_async_events(q->qp_base.context, &q->qp_base);
  wait_for_events(q->qp_base.mutex, q->qp_base.cond, q->events_taken, q->qp_base.events_completed);
  {
    // The helper thread may still have got hold of it before it was taken out.
    const std::lock_guard<std::mutex> lock(q->receive_mutex);
    q->receives.destroy();
  }
  --own(q->qp_base.pd)->users;
  --own(q->qp_base.send_cq)->users;
  --own(q->qp_base.recv_cq)->users;
  if (q->qp_base.srq) --own(q->qp_base.srq)->users;
  d.qp_indices().give_back(q->index);
  return 0;
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
