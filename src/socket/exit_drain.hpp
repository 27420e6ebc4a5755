// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_EXIT_DRAIN_HPP
#define ASIO_RDMA_SRC_SOCKET_EXIT_DRAIN_HPP

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// A queue pair dies with its process, and bytes that are staged then are lost. From now on the process waits at its
/// normal exit, for a bounded time, until each connection of the registry has got rid of them.
void drain_at_exit();

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
