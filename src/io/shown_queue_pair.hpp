// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_SHOWN_QUEUE_PAIR_HPP
#define ASIO_RDMA_SRC_IO_SHOWN_QUEUE_PAIR_HPP

#include <asio_rdma/verbs/cm_id.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// Has an id show a queue pair as its own, or none. The connection manager may look at it meanwhile on the internal
/// thread, when the peer says goodbye at that very moment.
inline void show_queue_pair(const verbs::cm_id& id, ibv_qp* queue_pair) noexcept {
  __atomic_store_n(&id.native_handle()->qp, queue_pair, __ATOMIC_RELEASE);
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
