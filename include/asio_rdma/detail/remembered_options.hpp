// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_REMEMBERED_OPTIONS_HPP
#define ASIO_RDMA_DETAIL_REMEMBERED_OPTIONS_HPP

#include <boost/asio/socket_base.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <optional>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// Options of TCP that mean nothing here, or go without saying: a program may set them, and reads back what it set.
class remembered_options {
public:
  /// Where the value of an option is kept; null if it is not one of these. Level and name are setsockopt's.
  int* find(int level, int name) noexcept {
    for (entry& e : entries_) {
      if (e.level == level && e.name == name) return &e.value;
    }
    return nullptr;
  }
  const int* find(int level, int name) const noexcept {
    return const_cast<remembered_options*>(this)->find(level, name);
  }

  /// SO_RCVBUF and SO_SNDBUF as they were set; the core rounds them.
  std::optional<int> receive_buffer_size;
  std::optional<int> send_buffer_size;

private:
  struct entry {
    int level;
    int name;
    int value;
  };

  static int connection_aborted_level() noexcept {
    return boost::asio::socket_base::enable_connection_aborted().level(0);
  }
  static int connection_aborted_name() noexcept {
    return boost::asio::socket_base::enable_connection_aborted().name(0);
  }

  entry entries_[9] = {
      {IPPROTO_TCP, TCP_NODELAY, 0},  // nothing is ever delayed
      {SOL_SOCKET, SO_KEEPALIVE, 0},  // the end of the peer is noticed anyway
      {SOL_SOCKET, SO_BROADCAST, 0},
      {SOL_SOCKET, SO_DEBUG, 0},
      {SOL_SOCKET, SO_DONTROUTE, 0},
      {SOL_SOCKET, SO_OOBINLINE, 0},
      {SOL_SOCKET, SO_RCVLOWAT, 1},
      {SOL_SOCKET, SO_SNDLOWAT, 1},
      {connection_aborted_level(), connection_aborted_name(), 0},
  };
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
