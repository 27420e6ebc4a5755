// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_SEND_BUILDER_HPP
#define ASIO_RDMA_SRC_SOFT_SEND_BUILDER_HPP

#include <asio_rdma/detail/rdma_core.hpp>

#include <cstdint>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// What the ibv_wr_* functions (ibv_wr_post(3)) have said so far between start and complete; under the queue pair's
/// send_mutex.
struct send_builder {
  std::uint64_t operations = 0;  // that the queue pair was created for (ibv_qp_create_send_ops_flags)
  std::uint64_t first = 0;       // position of the first request
  int error = 0;
  bool is_open = false;  // the request below is complete only when the next one begins
  ibv_send_wr request{};
  std::vector<ibv_sge> pieces;
  std::vector<unsigned char> inline_bytes;
};

struct queue_pair;

/// Gives a queue pair the functions; those for the operations that it was not created for make a post fail. False if
/// its type has not all of them.
bool enable_builder(queue_pair& q, std::uint64_t operations);

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
