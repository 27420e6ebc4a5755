// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_CONTEXT_HPP
#define ASIO_RDMA_SRC_SOFT_CONTEXT_HPP

#include "soft/peer.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <cstdint>
#include <deque>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// An opened device. What verbs.h calls ibv_context is the end of it.
struct context final : verbs_context {
  context() noexcept : verbs_context() {}

  std::mutex events_mutex;
  std::deque<ibv_async_event> events;
};

inline context* own(ibv_context* c) noexcept {
  return static_cast<context*>(verbs_get_ctx(c));
}

/// Queues an asynchronous event of one of the context's objects.
void raise_async_event(ibv_context* c, const ibv_async_event& event);
/// Drops what was not taken of an object's events. The object is that member of ibv_async_event's union.
void drop_async_events(ibv_context* c, const void* object) noexcept;
/// Waits until as many events of an object were acknowledged as were taken.
void wait_for_events(pthread_mutex_t& mutex, pthread_cond_t& cond, const std::uint32_t& taken,
                     const std::uint32_t& acknowledged) noexcept;

/// What whoever works on a process's objects has to tell it.
enum class device_event : std::uint32_t {
  cq_overrun,        // index of a completion queue
  cq_event,          // index of a completion queue whose event was counted, and whose channel is to be woken
  srq_limit,         // index of a shared receive queue
  qp_established,    // number of a queue pair, as the ones below
  qp_access_error,   // its peer accessed memory that it may not
  qp_request_error,  // its peer sent what it cannot take
  qp_receive_error,  // its own receive request was at fault
};
void notify_process(peer& p, device_event event, std::uint32_t number);
/// On the helper thread of the process that it is for.
void handle_event(device_event event, std::uint32_t number);

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
