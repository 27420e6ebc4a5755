// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/completion_channel.hpp"

#include "soft/calls.hpp"
#include "soft/completion_queue.hpp"
#include "soft/descriptor.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

/// Takes an event of the queue, if it has one that was not taken. Under the channel's mutex.
bool take_event(completion_queue& cq) noexcept {
  if (cq.events_taken == cq.shared().events.load()) return false;
  ++cq.events_taken;
  return true;
}

}  // namespace

void wake_channel(int fd) noexcept {
  const std::uint64_t one = 1;
  (void)!::write(fd, &one, sizeof one);
}

ibv_comp_channel* create_comp_channel(ibv_context* c) {
  static std::atomic<std::uint32_t> last_id{0};
  auto* const result = new completion_channel();
  result->id = ++last_id;
  // Like the kernel's, it blocks until it is told otherwise.
  descriptor fd(::eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE));
  if (!fd) {
    delete result;
    return nullptr;
  }
  result->context = c;
  result->fd = fd.release();
  result->refcnt = 0;
  return result;
}

int destroy_comp_channel(ibv_comp_channel* channel) {
  {
    const std::lock_guard<std::mutex> lock(own(channel)->mutex);
    if (!own(channel)->queues.empty()) return EBUSY;
  }
  ::close(channel->fd);
  delete own(channel);
  return 0;
}

int get_cq_event(ibv_comp_channel* channel, ibv_cq** cq, void** cq_context) {
  completion_channel& c = *own(channel);
  for (;;) {
    std::uint64_t one = 0;
    if (::read(c.fd, &one, sizeof one) < 0) return -1;
    const std::lock_guard<std::mutex> lock(c.mutex);
    const auto found =
        std::find_if(c.queues.begin(), c.queues.end(), [](completion_queue* q) { return take_event(*q); });
    if (found == c.queues.end()) continue;  // it was of a queue that is gone
    *cq = (*found)->base();
    *cq_context = (*found)->cq_context;
    // A queue that always has an event must not keep the others out.
    std::rotate(found, found + 1, c.queues.end());
    return 0;
  }
}

void ack_cq_events(ibv_cq* cq, unsigned count) {
  pthread_mutex_lock(&cq->mutex);
  own(cq)->events_acknowledged += count;
  pthread_cond_broadcast(&cq->cond);
  pthread_mutex_unlock(&cq->mutex);
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
