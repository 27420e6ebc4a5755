// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_FORKED_HPP
#define ASIO_RDMA_SRC_IO_FORKED_HPP

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// True in a child of fork() whose parent had sockets with something behind them. There, every verbs object is the
/// parent's, the internal thread does not exist and any mutex may be locked for ever: nothing may be touched.
/// Thread-safe.
bool forked() noexcept;

/// From now on, a fork() makes such a child. Thread-safe.
void watch_forks() noexcept;

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
