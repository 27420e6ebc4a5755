// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/calls.hpp"
#include "soft/completion_queue.hpp"
#include "soft/context.hpp"
#include "soft/device.hpp"
#include "soft/queue_pair.hpp"
#include "soft/receive_queue.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

/// The counters of the object that an event names, if it has such.
template <class Function>
void with_object(const ibv_async_event& event, Function f) {
  switch (event.event_type) {
    case IBV_EVENT_CQ_ERR: {
      completion_queue& q = *own(event.element.cq);
      f(q.mutex, q.cond, q.async_events_taken, q.async_events_completed);
      break;
    }
    case IBV_EVENT_SRQ_ERR:
    case IBV_EVENT_SRQ_LIMIT_REACHED: {
      shared_receive_queue& q = *own(event.element.srq);
      f(q.mutex, q.cond, q.events_taken, q.events_completed);
      break;
    }
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
    case IBV_EVENT_COMM_EST:
    case IBV_EVENT_SQ_DRAINED:
    case IBV_EVENT_QP_LAST_WQE_REACHED: {
      queue_pair& q = *own(event.element.qp);
      f(q.qp_base.mutex, q.qp_base.cond, q.events_taken, q.qp_base.events_completed);
      break;
    }
    default:
      break;
  }
}

}  // namespace

void raise_async_event(ibv_context* c, const ibv_async_event& event) {
  const std::lock_guard<std::mutex> lock(own(c)->events_mutex);
  own(c)->events.push_back(event);
  const std::uint64_t one = 1;
  (void)!::write(c->async_fd, &one, sizeof one);
}

void drop_async_events(ibv_context* c, const void* object) noexcept {
  const std::lock_guard<std::mutex> lock(own(c)->events_mutex);
  auto& events = own(c)->events;
  const auto is_of_object = [object](const ibv_async_event& e) { return e.element.qp == object; };
  // The descriptor's count stays: get_async_event() takes it that there may be more counts than events.
  events.erase(std::remove_if(events.begin(), events.end(), is_of_object), events.end());
}

void wait_for_events(pthread_mutex_t& mutex, pthread_cond_t& cond, const std::uint32_t& taken,
                     const std::uint32_t& acknowledged) noexcept {
  pthread_mutex_lock(&mutex);
  while (acknowledged != taken) pthread_cond_wait(&cond, &mutex);
  pthread_mutex_unlock(&mutex);
}

int get_async_event(ibv_context* c, ibv_async_event* event) {
  for (;;) {
    std::uint64_t one = 0;
    if (::read(c->async_fd, &one, sizeof one) < 0) return -1;
    const std::lock_guard<std::mutex> lock(own(c)->events_mutex);
    if (own(c)->events.empty()) continue;
    *event = own(c)->events.front();
    own(c)->events.pop_front();
    with_object(*event, [](pthread_mutex_t& mutex, pthread_cond_t&, std::uint32_t& taken, std::uint32_t&) {
      pthread_mutex_lock(&mutex);
      ++taken;
      pthread_mutex_unlock(&mutex);
    });
    return 0;
  }
}

void ack_async_event(ibv_async_event* event) {
  with_object(*event, [](pthread_mutex_t& mutex, pthread_cond_t& cond, std::uint32_t&, std::uint32_t& acknowledged) {
    pthread_mutex_lock(&mutex);
    ++acknowledged;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
  });
}

void notify_process(peer& p, device_event event, std::uint32_t number) {
  if (p.is_self()) return device::instance()->helper().post([event, number] { handle_event(event, number); });
  const std::uint32_t text[] = {static_cast<std::uint32_t>(event), number};
  p.send(message_kind::device, text, sizeof text);
}

void handle_event(device_event event, std::uint32_t number) {
  device& d = *device::instance();
  switch (event) {
    case device_event::cq_overrun: {
      std::vector<std::shared_ptr<queue_pair>> users;
      d.with_cq(number, [](completion_queue& cq) {
        ibv_async_event e{};
        e.element.cq = cq.base();
        e.event_type = IBV_EVENT_CQ_ERR;
        raise_async_event(cq.context, e);
      });
      for (const auto& q : d.all_qps()) {
        if (own(q->qp_base.send_cq)->index == number || own(q->qp_base.recv_cq)->index == number) users.push_back(q);
      }
      for (const auto& q : users) q->fail(IBV_EVENT_QP_FATAL);
      return;
    }
    case device_event::cq_event:
      return d.with_cq(number, [](completion_queue& cq) {
        if (cq.channel) wake_channel(cq.channel->fd);
      });
    case device_event::srq_limit:
      return d.with_srq(number, [](shared_receive_queue& srq) {
        ibv_async_event e{};
        e.element.srq = &srq;
        e.event_type = IBV_EVENT_SRQ_LIMIT_REACHED;
        raise_async_event(srq.context, e);
      });
    default:
      break;
  }
  const std::shared_ptr<queue_pair> q = d.find_qp(number);
  if (!q) return;
  switch (event) {
    case device_event::qp_established:
      return q->raise(IBV_EVENT_COMM_EST);
    case device_event::qp_access_error:
      return q->confirm_failure(IBV_EVENT_QP_ACCESS_ERR);
    case device_event::qp_request_error:
      return q->confirm_failure(IBV_EVENT_QP_REQ_ERR);
    case device_event::qp_receive_error:
      return q->confirm_failure(IBV_EVENT_QP_FATAL);
    default:
      return;  // of a later version
  }
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
