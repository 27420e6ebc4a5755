// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_CM_EVENT_CHANNEL_HPP
#define ASIO_RDMA_SRC_SOFT_CM_EVENT_CHANNEL_HPP

#include "soft/cm/message.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

struct identifier;

/// An event, from when it happens until it is acknowledged.
struct cm_event : rdma_cm_event {
  cm_event() noexcept : rdma_cm_event() {}

  /// Whose event it is; a listener's for CONNECT_REQUEST.
  identifier* owner = nullptr;
  /// The message that it tells of; empty if there is none.
  message cause;
  /// The number of the group that was joined.
  std::uint64_t group = 0;
};

/// Its members are guarded by the manager's mutex.
struct event_channel : rdma_event_channel {
  std::deque<std::unique_ptr<cm_event>> waiting;

  void push(std::unique_ptr<cm_event> e);
  /// Takes one out; null if there is none.
  std::unique_ptr<cm_event> pop() noexcept;
  /// Takes those out for which f is true.
  template <class Function>
  std::deque<std::unique_ptr<cm_event>> extract(Function f) {
    std::deque<std::unique_ptr<cm_event>> result, rest;
    for (auto& e : waiting) (f(*e) ? result : rest).push_back(std::move(e));
    waiting.swap(rest);
    update();
    return result;
  }

private:
  /// Makes the descriptor readable if, and only if, events wait.
  void update() noexcept;

  bool is_readable_ = false;
};

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
