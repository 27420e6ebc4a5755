// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/calls.hpp"
#include "soft/context.hpp"
#include "soft/device.hpp"
#include "soft/memory.hpp"
#include "soft/receive_queue.hpp"

#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

ibv_srq* create_srq(ibv_pd* pd, ibv_srq_init_attr* attributes) {
  ibv_srq_attr& asked = attributes->attr;
  if (asked.max_wr < 1 || asked.max_wr > max_wr || asked.max_sge > max_sge || asked.srq_limit > asked.max_wr) {
    errno = EINVAL;
    return nullptr;
  }
  device& d = *device::instance();
  const unsigned index = d.srq_indices().take();
  if (index == max_srqs) {
    errno = ENOMEM;
    return nullptr;
  }
  auto* const result = new shared_receive_queue();
  receive_queue_entry& entry = d.memory().header().srqs[index];
  if (!result->queue.create(entry, asked.max_wr, asked.max_sge)) {
    d.srq_indices().give_back(index);
    delete result;
    errno = ENOMEM;
    return nullptr;
  }
  entry.limit = asked.srq_limit;
  entry.domain = pd->handle;
  entry.live = 1;
  result->index = index;
  result->context = pd->context;
  result->srq_context = attributes->srq_context;
  result->pd = pd;
  result->handle = index;
  pthread_mutex_init(&result->mutex, nullptr);
  pthread_cond_init(&result->cond, nullptr);
  ++own(pd)->users;
  d.add_srq(index, result);
  return result;
}

int modify_srq(ibv_srq* srq, ibv_srq_attr* attributes, int mask) {
  if ((mask & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT)) != 0) return EINVAL;
  if ((mask & IBV_SRQ_MAX_WR) != 0) return EOPNOTSUPP;  // others may be taking from it
  const receive_queue& queue = own(srq)->queue;
  if ((mask & IBV_SRQ_LIMIT) != 0) {
    if (attributes->srq_limit > queue.capacity()) return EINVAL;
    queue.shared().limit = attributes->srq_limit;
  }
  return 0;
}

int query_srq(ibv_srq* srq, ibv_srq_attr* attributes) {
  const receive_queue& queue = own(srq)->queue;
  attributes->max_wr = queue.capacity();
  attributes->max_sge = queue.max_pieces();
  attributes->srq_limit = queue.shared().limit.load();
  return 0;
}

int destroy_srq(ibv_srq* srq) {
  shared_receive_queue* const q = own(srq);
  if (q->users.load() != 0) return EBUSY;
  device& d = *device::instance();
  d.add_srq(q->index, nullptr);
  drop_async_events(srq->context, srq);
  wait_for_events(srq->mutex, srq->cond, q->events_taken, srq->events_completed);
  q->queue.shared().live = 0;
  q->queue.destroy();
  d.srq_indices().give_back(q->index);
  --own(srq->pd)->users;
  pthread_cond_destroy(&srq->cond);
  pthread_mutex_destroy(&srq->mutex);
  delete q;
  return 0;
}

int post_srq_recv(ibv_srq* srq, ibv_recv_wr* list, ibv_recv_wr** bad) {
  const std::lock_guard<std::mutex> lock(own(srq)->post_mutex);
  return own(srq)->queue.post(list, bad);
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
