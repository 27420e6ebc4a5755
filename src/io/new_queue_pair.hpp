// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_NEW_QUEUE_PAIR_HPP
#define ASIO_RDMA_SRC_IO_NEW_QUEUE_PAIR_HPP

#include <asio_rdma/detail/core/error.hpp>
#include <asio_rdma/verbs/queue_pair.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// Makes a queue pair. Of the inline data that attributes.cap asks for it gets as much as the device can do;
/// attributes.cap becomes what was granted.
core::error new_queue_pair(verbs::ref<ibv_pd> domain, ibv_qp_init_attr& attributes, verbs::queue_pair& result);

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
