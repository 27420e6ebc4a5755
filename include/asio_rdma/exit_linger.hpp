// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_EXIT_LINGER_HPP
#define ASIO_RDMA_EXIT_LINGER_HPP

#include <asio_rdma/detail/core/config.hpp>

namespace asio_rdma {
inline namespace v1 {

/// How long a normal exit of the process (return from main(), std::exit()) waits for bytes that were written and are
/// not yet acknowledged by the peer's device, on open and on closed sockets. Milliseconds; the default is 2000, 0 waits
/// not at all. TCP's kernel goes on sending for a process that is gone; a queue pair dies with its process, so that
/// _exit(), abort() and fatal signals lose such bytes. Thread-safe.
ASIO_RDMA_DECL void set_exit_linger(int milliseconds) noexcept;

} // namespace v1
} // namespace asio_rdma

#endif
