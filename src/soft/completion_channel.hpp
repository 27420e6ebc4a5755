// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_COMPLETION_CHANNEL_HPP
#define ASIO_RDMA_SRC_SOFT_COMPLETION_CHANNEL_HPP

#include <asio_rdma/detail/rdma_core.hpp>

#include <cstdint>
#include <mutex>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

struct completion_queue;

/// Its descriptor is an eventfd that counts one for each event; which queue an event is of stands in the queues'
/// entries.
struct completion_channel final : ibv_comp_channel {
  std::uint32_t id = 0;
  std::mutex mutex;
  std::vector<completion_queue*> queues;
};

inline completion_channel* own(ibv_comp_channel* channel) noexcept {
  return static_cast<completion_channel*>(channel);
}

/// Tells a channel of this process of one more event: its descriptor becomes readable.
void wake_channel(int fd) noexcept;

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
