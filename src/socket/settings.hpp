// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_SETTINGS_HPP
#define ASIO_RDMA_SRC_SOCKET_SETTINGS_HPP

#include <asio_rdma/detail/core/socket.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// The values of a socket's options. Accepted sockets inherit their listener's.
struct settings {
  /// 128 KiB each way: several times what a fast link carries while a credit comes back, and dozens of connections fit
  /// into the 8 MiB that a container may lock.
  int receive_buffer_size = 128 * 1024;
  int send_buffer_size = 128 * 1024;
  int queue_depth = 128;
  int linger = -1;
  int reuse_address = 0;
  int v6_only = 0;
  /// 4.096 us * 2^16 = 268 ms. With 7 retries a dead path is found in 2 s; some devices wait up to four times longer.
  int ack_timeout = 16;
  int retry_count = 7;
  int connect_timeout = 5000;
  int acknowledged_writes = 0;

  /// EINVAL for a value out of range. Buffer sizes are rounded up to a power of two and cut to 64 MiB, as the kernel
  /// bends TCP's.
  error set(option name, int value) noexcept;
  int get(option name) const noexcept;
};

/// True for options that say how queues and buffers are made, which is done when a connection is.
bool fixed_by_connection(option name) noexcept;

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
