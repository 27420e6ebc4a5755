// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_COMPLETION_CHANNEL_HPP
#define ASIO_RDMA_SRC_SOFT_COMPLETION_CHANNEL_HPP

#include <infiniband/verbs.h>

#include <cstdint>
#include <mutex>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

struct completion_queue;

/// Its descriptor is a datagram socket with a name, so that whoever puts a completion into a queue can wake its owner
/// with one system call, and without having been given a descriptor. A datagram carries the queue's index and proves
/// nothing (any user can send one): the events themselves are counted in the queue's entry.
struct completion_channel final : ibv_comp_channel {
  std::uint32_t id = 0;
  std::mutex mutex;
  std::vector<completion_queue*> queues;
};

inline completion_channel* own(ibv_comp_channel* channel) noexcept {
  return static_cast<completion_channel*>(channel);
}

/// Wakes whoever sleeps on a channel of the process in that slot. False if its socket is full.
bool wake_channel(unsigned slot, std::uint32_t channel, std::uint32_t cq) noexcept;

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
