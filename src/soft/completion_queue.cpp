// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/completion_queue.hpp"

#include "soft/calls.hpp"
#include "soft/context.hpp"
#include "soft/device.hpp"
#include "soft/power_of_two.hpp"
#include "soft/queue_pair.hpp"
#include "soft/receive_queue.hpp"

#include <algorithm>
#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

constexpr std::uint32_t armed_for_solicited = 1, armed_for_any = 2;

constexpr std::uint32_t stride = sizeof(std::uint64_t) + sizeof(completion_slot);

void raise_event(peer& owner, completion_queue_entry& cq, unsigned index) noexcept {
  if (cq.channel == 0) return;
  cq.events.fetch_add(1);
  if (owner.is_self()) return wake_channel(cq.channel_fd);
  if (!device::instance()->wakers().wake(owner, cq.channel, cq.channel_fd)) {
    notify_process(owner, device_event::cq_event, index);
  }
}

}  // namespace

completion_queue_entry& completion_queue::shared() const noexcept {
  return device::instance()->memory().header().cqs[index];
}

ticket_ring completion_queue::ring(unsigned number) const noexcept {
  return ticket_ring(shared().rings[number], device::instance()->memory().base());
}

bool completion_queue::grow(std::uint32_t capacity) {
  completion_queue_entry& entry = shared();
  const std::uint32_t count = entry.ring_count.load();
  ring_header& added = entry.rings[count];
  added.capacity = capacity;
  added.stride = stride;
  added.entries = device::instance()->heap().allocate(std::size_t{capacity} * stride);
  if (added.entries == 0) return false;
  ticket_ring made = ring(count);
  made.clear();
  for (std::uint32_t i = 0; i < capacity; ++i) made.payload<completion_slot>(i).filled = 0;
  entry.ring_count.store(count + 1);
  return true;
}

bool push_completion(peer& owner, unsigned cq, const completion_entry& completion, bool solicited,
                     taken_receive* used_up) {
  completion_queue_entry& entry = owner.header().cqs[cq];
  const std::uint32_t count = entry.ring_count.load();
  std::uint64_t ticket = 0;
  ticket_ring ring;
  if (count != 0) ring = ticket_ring(entry.rings[count - 1], owner.base());
  if (count == 0 || entry.broken.load() != 0 || !ring.claim_free(device::instance()->slot() + 1, ticket)) {
    if (used_up) used_up->release();
    if (count != 0 && entry.broken.exchange(1) == 0) notify_process(owner, device_event::cq_overrun, cq);
    return false;
  }
  if (used_up) used_up->entry().by = {cq + 1, count - 1, ticket};
  auto& slot = ring.payload<completion_slot>(ticket);
  slot.completion = completion;
  slot.filled.store(ticket + 1, std::memory_order_release);
  // Before anybody sees the completion: its place may be wanted at once.
  if (used_up) used_up->release();
  ring.publish(ticket);
  const std::uint32_t armed = entry.armed.load();
  const bool wanted = armed == armed_for_any ||
                      (armed == armed_for_solicited && (solicited || completion.wc.status != IBV_WC_SUCCESS));
  if (wanted && entry.armed.exchange(0) != 0) raise_event(owner, entry, cq);
  return true;
}

void purge_completions(completion_queue& cq, std::uint32_t qp_number) noexcept {
  const std::lock_guard<std::mutex> lock(cq.poll_mutex);
  for (unsigned i = 0; i < cq.shared().ring_count.load(); ++i) {
    ticket_ring ring = cq.ring(i);
    ring.for_each_ready([&](std::uint64_t ticket) {
      const completion_entry& waiting = ring.payload<completion_slot>(ticket).completion;
      if (waiting.qp == qp_number) ring.publish(ticket, ticket_ring::stage::empty);
    });
  }
}

void repair_completion_queue(completion_queue& cq, unsigned dead_slot) noexcept {
  completion_queue_entry& entry = cq.shared();
  bool has_ready = false;
  for (unsigned i = 0; i < entry.ring_count.load(); ++i) {
    ticket_ring ring = cq.ring(i);
    ring.for_each_claimed(dead_slot + 1, [&](std::uint64_t ticket, ticket_ring::stage) {
      const bool is_filled = ring.payload<completion_slot>(ticket).filled.load() == ticket + 1;
      ring.publish(ticket, is_filled ? ticket_ring::stage::ready : ticket_ring::stage::empty);
    });
    has_ready = has_ready || ring.has_ready();
  }
  if (!cq.channel) return;
  peer& self = *device::instance()->processes().self();
  if (has_ready && entry.armed.load() != 0 && entry.armed.exchange(0) != 0) return raise_event(self, entry, cq.index);
  const std::lock_guard<std::mutex> lock(own(cq.channel)->mutex);
  if (cq.events_taken != entry.events.load()) wake_channel(entry.channel_fd);
}

ibv_cq* create_cq(ibv_context* c, int cqe, void* cq_context, ibv_comp_channel* channel, int comp_vector) {
  if (cqe < 1 || static_cast<unsigned>(cqe) > max_cqe || comp_vector < 0 || comp_vector >= c->num_comp_vectors) {
    errno = EINVAL;
    return nullptr;
  }
  device& d = *device::instance();
  const unsigned index = d.cq_indices().take();
  if (index == max_cqs) {
    errno = ENOMEM;
    return nullptr;
  }
  auto* const result = new completion_queue();
  result->index = index;
  completion_queue_entry& entry = result->shared();
  entry.armed = 0;
  entry.broken = 0;
  entry.events = 0;
  entry.channel = channel ? own(channel)->id : 0;
  entry.channel_fd = channel ? channel->fd : -1;
  if (!result->grow(power_of_two(static_cast<unsigned>(cqe)))) {
    d.cq_indices().give_back(index);
    delete result;
    errno = ENOMEM;
    return nullptr;
  }
  result->context = c;
  result->channel = channel;
  result->cq_context = cq_context;
  result->handle = index;
  result->cqe = static_cast<int>(entry.rings[0].capacity);
  pthread_mutex_init(&result->mutex, nullptr);
  pthread_cond_init(&result->cond, nullptr);
  if (channel) {
    const std::lock_guard<std::mutex> lock(own(channel)->mutex);
    own(channel)->queues.push_back(result);
    ++channel->refcnt;
  }
  d.add_cq(index, result);
  return result->base();
}

int resize_cq(ibv_cq* cq, int cqe) {
  if (cqe < 1 || static_cast<unsigned>(cqe) > max_cqe) return EINVAL;
  completion_queue& q = *own(cq);
  const std::lock_guard<std::mutex> lock(q.poll_mutex);
  const std::uint32_t count = q.shared().ring_count.load();
  std::uint64_t waiting = 0;
  for (unsigned i = 0; i < count; ++i) waiting += q.ring(i).size();
  if (waiting > static_cast<unsigned>(cqe)) return EINVAL;
  const std::uint32_t capacity = power_of_two(static_cast<unsigned>(cqe));
  if (capacity > q.ring(count - 1).capacity() && !q.grow(capacity)) return ENOMEM;
  cq->cqe = static_cast<int>(capacity);
  return 0;
}

int destroy_cq(ibv_cq* cq) {
  completion_queue* const q = own(cq);
  if (q->users.load() != 0) return EBUSY;
  std::uint32_t taken = 0;
  if (cq->channel) {
    completion_channel& channel = *own(cq->channel);
    const std::lock_guard<std::mutex> lock(channel.mutex);
    channel.queues.erase(std::remove(channel.queues.begin(), channel.queues.end(), q), channel.queues.end());
    --channel.refcnt;
    taken = q->events_taken;
  }
  pthread_mutex_lock(&cq->mutex);
  while (q->events_acknowledged != taken) pthread_cond_wait(&cq->cond, &cq->mutex);
  pthread_mutex_unlock(&cq->mutex);
  device& d = *device::instance();
  d.add_cq(q->index, nullptr);
  drop_async_events(cq->context, cq);
  wait_for_events(cq->mutex, cq->cond, q->async_events_taken, cq->async_events_completed);
  completion_queue_entry& entry = q->shared();
  const std::uint32_t count = entry.ring_count.exchange(0);
  for (unsigned i = 0; i < count; ++i) {
    d.heap().free(entry.rings[i].entries, std::size_t{entry.rings[i].capacity} * stride);
  }
  d.cq_indices().give_back(q->index);
  pthread_cond_destroy(&cq->cond);
  pthread_mutex_destroy(&cq->mutex);
  delete q;
  return 0;
}

int poll_cq(ibv_cq* cq, int count, ibv_wc* completions) {
  completion_queue& q = *own(cq);
  const std::lock_guard<std::mutex> lock(q.poll_mutex);
  const int result = take_completions(q, count, completions);
  if (result == count) tell_of_rest(q);
  return result;
}

void tell_of_rest(completion_queue& q) noexcept {
  completion_queue_entry& entry = q.shared();
  if (entry.armed.load() != armed_for_any) return;
  const std::uint32_t rings = entry.ring_count.load();
  for (unsigned i = 0; i < rings; ++i) {
    if (!q.ring(i).has_ready()) continue;
    if (entry.armed.exchange(0) != 0) raise_event(*device::instance()->processes().self(), entry, q.index);
    return;
  }
}

int take_completions(completion_queue& q, int count, ibv_wc* completions) noexcept {
  device& d = *device::instance();
  const std::uint32_t rings = q.shared().ring_count.load();
  int result = 0;
  for (unsigned i = 0; i < rings; ++i) {
    ticket_ring ring = q.ring(i);
    std::uint64_t ticket = 0;
    while (result < count && ring.claim_ready(d.slot() + 1, ticket)) {
      const completion_entry& entry = ring.payload<completion_slot>(ticket).completion;
      completions[result++] = entry.wc;
      // Only now does the request give its place in the send queue free.
      if (entry.sq_done != 0) release_sends(entry.qp, entry.sq_done);
      ring.release(ticket);
    }
  }
  return result == 0 && q.shared().broken.load() != 0 ? -EIO : result;
}

int req_notify_cq(ibv_cq* cq, int solicited_only) {
  std::atomic<std::uint32_t>& armed = own(cq)->shared().armed;
  if (solicited_only == 0) {
    armed.store(armed_for_any);
  } else {
    std::uint32_t nothing = 0;  // what was asked for before is not taken back
    armed.compare_exchange_strong(nothing, armed_for_solicited);
  }
  return 0;
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
