// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_CORE_SYSTEM_HPP
#define ASIO_RDMA_DETAIL_CORE_SYSTEM_HPP

// Addresses, buffers and constants of the system's own sockets, which ours have too.

#ifdef _WIN32
// As Asio does, since these headers would bring in half of Windows otherwise, and the macros min and max.
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#define ASIO_RDMA_DETAIL_LEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <winsock2.h>
#include <ws2tcpip.h>
#ifdef ASIO_RDMA_DETAIL_LEAN
#undef WIN32_LEAN_AND_MEAN
#undef ASIO_RDMA_DETAIL_LEAN
#endif

#include <cstddef>

namespace asio_rdma {
inline namespace v1 {

/// What readv(2) has for a buffer.
struct iovec {
  void* iov_base;
  std::size_t iov_len;
};

}  // namespace v1
}  // namespace asio_rdma
#else
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#endif

#endif
