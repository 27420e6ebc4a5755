// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/completion_channel.hpp"

#include "soft/calls.hpp"
#include "soft/completion_queue.hpp"
#include "soft/device.hpp"
#include "soft/local_socket.hpp"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

local_address name_of(unsigned slot, std::uint32_t channel) {
  char text[48];
  std::snprintf(text, sizeof text, "channel.%u.%u", slot, channel);
  return local_name(text);
}

/// Takes an event of the queue, if it has one that was not taken. Under the channel's mutex.
bool take_event(completion_queue& cq) noexcept {
  if (cq.events_taken == cq.shared().events.load()) return false;
  ++cq.events_taken;
  return true;
}

/// A datagram found the socket full: sends it once there is room, so that the descriptor stays readable. Under the
/// channel's mutex.
void wake_again(const completion_channel& channel) noexcept {
  for (const completion_queue* cq : channel.queues) {
    if (cq->events_taken == cq->shared().events.load()) continue;
    (void)wake_channel(device::instance()->slot(), channel.id, cq->index);
    return;
  }
}

}  // namespace

bool wake_channel(unsigned slot, std::uint32_t channel, std::uint32_t cq) noexcept {
  const int sender = device::instance()->waker();
  const local_address name = name_of(slot, channel);
  for (;;) {
    if (::sendto(sender, &cq, sizeof cq, MSG_NOSIGNAL, name.get(), name.size) >= 0) return true;
    if (errno != EINTR) return errno != EAGAIN;  // otherwise there is nobody to wake
  }
}

ibv_comp_channel* create_comp_channel(ibv_context* c) {
  static std::atomic<std::uint32_t> last_id{0};
  auto* const result = new completion_channel();
  result->id = ++last_id;
  descriptor socket = bind_local(SOCK_DGRAM, name_of(device::instance()->slot(), result->id));
  // Like the kernel's, it blocks until it is told otherwise.
  if (!socket || ::fcntl(socket.get(), F_SETFL, ::fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK) != 0) {
    delete result;
    return nullptr;
  }
  result->context = c;
  result->fd = socket.release();
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
    std::uint32_t index = 0;
    const ssize_t size = ::recv(c.fd, &index, sizeof index, 0);
    if (size < 0) return -1;
    const std::lock_guard<std::mutex> lock(c.mutex);
    auto found = std::find_if(c.queues.begin(), c.queues.end(),
                              [&](completion_queue* q) { return q->index == index && take_event(*q); });
    // It is of a queue that is gone, or a stranger's, who may have kept one of ours out.
    if (found == c.queues.end()) found = std::find_if(c.queues.begin(), c.queues.end(), [](completion_queue* q) {
      return take_event(*q);
    });
    if (found == c.queues.end()) continue;
    if (c.queues.size() > 1) wake_again(c);
    *cq = *found;
    *cq_context = (*found)->cq_context;
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
