// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_RAW_STATISTICS_HPP
#define ASIO_RDMA_RAW_STATISTICS_HPP

#include <chrono>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {

/// What a raw connection has done since it counts.
struct raw_statistics {
  std::uint64_t posts = 0;                ///< calls of ibv_post_send and ibv_post_recv: doorbells
  std::uint64_t requests = 0;             ///< posted by them
  std::uint64_t polls = 0;                ///< calls of ibv_poll_cq
  std::uint64_t empty_polls = 0;          ///< that found nothing
  std::uint64_t completions = 0;          ///< taken
  std::chrono::nanoseconds post_time{0};  ///< spent in posting
  std::chrono::nanoseconds poll_time{0};  ///< spent in polling
};

}  // namespace v1
}  // namespace asio_rdma

#endif
