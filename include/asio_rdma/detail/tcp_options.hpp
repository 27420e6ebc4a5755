// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_TCP_OPTIONS_HPP
#define ASIO_RDMA_DETAIL_TCP_OPTIONS_HPP

#include <asio_rdma/detail/core/socket.hpp>

#include <boost/asio/socket_base.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// How an option of setsockopt becomes one of the core.
enum class tcp_option_kind {
  plain,
  buffer_size,    ///< a hint: cut to the range, and never too late
  traffic_class,  ///< a hint that is never too late: IP_TOS, IPV6_TCLASS
  hop_limit,      ///< the same: IP_TTL, IPV6_UNICAST_HOPS
  keep_alive,     ///< on or off
};

struct tcp_option {
  int level;
  int name;
  core::option option;
  tcp_option_kind kind = tcp_option_kind::plain;
  core::option hint = {};  ///< where the core remembers what was asked for
};

/// The options that programs written for TCP set, by setsockopt's level and name; null for one that is unknown.
inline const tcp_option* find_tcp_option(int level, int name) noexcept {
  using kind = tcp_option_kind;
  using o = core::option;
  static const tcp_option options[] = {
      {SOL_SOCKET, SO_REUSEADDR, o::reuse_address},
      {SOL_SOCKET, SO_RCVBUF, o::receive_buffer_size, kind::buffer_size, o::receive_buffer_hint},
      {SOL_SOCKET, SO_SNDBUF, o::send_buffer_size, kind::buffer_size, o::send_buffer_hint},
      {SOL_SOCKET, SO_KEEPALIVE, o::keepalive, kind::keep_alive},
      {SOL_SOCKET, SO_BUSY_POLL, o::busy_poll},
      {IPPROTO_TCP, TCP_KEEPIDLE, o::keepalive_idle},
      {IPPROTO_IP, IP_TOS, o::traffic_class, kind::traffic_class, o::traffic_class_hint},
      {IPPROTO_IPV6, IPV6_TCLASS, o::traffic_class, kind::traffic_class, o::traffic_class_hint},
      {IPPROTO_IP, IP_TTL, o::hop_limit, kind::hop_limit, o::hop_limit_hint},
      {IPPROTO_IPV6, IPV6_UNICAST_HOPS, o::hop_limit, kind::hop_limit, o::hop_limit_hint},
      {IPPROTO_IPV6, IPV6_V6ONLY, o::v6_only},
      // Nothing is ever delayed, and the device does the rest by itself.
      {IPPROTO_TCP, TCP_NODELAY, o::no_delay},
      {IPPROTO_TCP, TCP_CORK, o::cork},
      {IPPROTO_TCP, TCP_QUICKACK, o::quick_ack},
      {IPPROTO_TCP, TCP_MAXSEG, o::max_segment},
      {IPPROTO_TCP, TCP_KEEPINTVL, o::keepalive_interval},
      {IPPROTO_TCP, TCP_KEEPCNT, o::keepalive_count},
      {IPPROTO_TCP, TCP_USER_TIMEOUT, o::user_timeout},
      {IPPROTO_TCP, TCP_SYNCNT, o::syn_count},
      {IPPROTO_TCP, TCP_LINGER2, o::fin_timeout},
      {IPPROTO_TCP, TCP_DEFER_ACCEPT, o::defer_accept},
      {IPPROTO_TCP, TCP_WINDOW_CLAMP, o::window_clamp},
      {IPPROTO_TCP, TCP_NOTSENT_LOWAT, o::not_sent_low_watermark},
      {IPPROTO_TCP, TCP_FASTOPEN, o::fast_open},
      {SOL_SOCKET, SO_BROADCAST, o::broadcast},
      {SOL_SOCKET, SO_DEBUG, o::debug},
      {SOL_SOCKET, SO_DONTROUTE, o::do_not_route},
      {SOL_SOCKET, SO_OOBINLINE, o::out_of_band_inline},
      {SOL_SOCKET, SO_RCVLOWAT, o::receive_low_watermark},
      {SOL_SOCKET, SO_SNDLOWAT, o::send_low_watermark},
      {SOL_SOCKET, SO_PRIORITY, o::priority},
      {SOL_SOCKET, SO_REUSEPORT, o::reuse_port},
      {boost::asio::socket_base::enable_connection_aborted().level(0),
       boost::asio::socket_base::enable_connection_aborted().name(0), o::connection_aborted},
  };
  for (const tcp_option& entry : options) {
    if (entry.level == level && entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
