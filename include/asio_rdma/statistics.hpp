// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_STATISTICS_HPP
#define ASIO_RDMA_STATISTICS_HPP

#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/detail/core/statistics.hpp>
#include <asio_rdma/detail/endpoint_conversion.hpp>
#include <asio_rdma/detail/native_handle.hpp>
#include <asio_rdma/error.hpp>
#include <asio_rdma/rc.hpp>

#include <boost/asio/ip/address_v6.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace asio_rdma {
inline namespace v1 {

// What connections, listeners and datagram sockets have done and how they stand: for TCP, what getsockopt(TCP_INFO) and
// ss(8) tell. statistics_text.hpp writes it. doc/statistics.md says which field tells of what trouble.

/// See statistics_text.hpp for their names.
using connection_state = core::connection_state;
/// What a connection has counted since it was made.
using stream_counters = core::stream_counters;
/// What a connection holds at the moment.
using stream_levels = core::stream_levels;
/// What a listener has counted.
using listener_counters = core::listener_counters;
/// What a datagram socket has counted.
using datagram_counters = core::datagram_counters;
/// What all sockets of the process have counted together.
using process_totals = core::process_totals;

/// A connection, a listener or a datagram socket at one moment: a plain value.
struct socket_statistics {
  /// Numbers connections, listeners and datagram sockets within the process, from 1 on; never used again, so that two
  /// snapshots can be compared. 0 if there is none.
  std::uint64_t number = 0;
  connection_state state = connection_state::unconnected;  ///< what it is doing
  bool is_datagram = false;                                ///< a datagram socket; established if it has a peer
  bool accepted = false;                                   ///< made by a listener
  bool sending_ended = false;                              ///< our direction was shut down
  bool receiving_ended = false;                            ///< the peer has shut its direction down
  rc::endpoint local;   ///< as the program sees them; unspecified address and port 0 where there is none
  rc::endpoint remote;  ///< the peer's; as local
  std::chrono::nanoseconds established_for{0};  ///< since it was established; 0 if it never was

  std::string device;                 ///< empty before one was found, or for a listener on all devices
  std::uint32_t port = 0;             ///< of the device, from 1 on; 0 if not known
  boost::asio::ip::address_v6 gid;    ///< that our packets come from, which on RoCE is an address; :: if not known
  int gid_index = -1;                 ///< in the port's table; -1 if not known
  std::uint32_t path_mtu = 0;         ///< bytes; 0 if not known
  std::uint32_t queue_pair = 0;       ///< number of ours; 0 if there is none
  std::uint32_t peer_queue_pair = 0;  ///< number of the peer's; 0 if not known
  int ack_timeout = -1;               ///< exponent t: the device sends again after 4.096 us * 2^t; -1 if not known
  int retry_count = -1;               ///< how often, before the connection ends with timed_out; -1 if not known
  int rnr_retry = -1;                 ///< the same where the peer has no receive posted; 7 is for ever; -1 if not known

  stream_counters counters;     ///< of a connection or a datagram socket
  stream_levels levels;         ///< of a connection or a datagram socket
  listener_counters listener;   ///< of a listener
  datagram_counters datagrams;  ///< of a datagram socket

  boost::system::error_code error;  ///< why it failed or ended, in the category of its origin; none if it did not
  std::string failure;              ///< one line about the last failure, as last_failure() has; empty if there is none
};

namespace detail {

inline socket_statistics make_statistics(const core::socket_statistics& from) {
  socket_statistics s;
  s.number = from.number;
  s.state = from.state;
  s.is_datagram = from.is_datagram;
  s.accepted = from.accepted;
  s.sending_ended = from.sending_ended;
  s.receiving_ended = from.receiving_ended;
  if (from.local.ss_family != 0) from_sockaddr(from.local, s.local);
  if (from.remote.ss_family != 0) from_sockaddr(from.remote, s.remote);
  s.established_for = from.established_for;
  s.device = from.device;
  s.port = from.port;
  boost::asio::ip::address_v6::bytes_type gid;
  std::copy(std::begin(from.gid), std::end(from.gid), gid.begin());
  s.gid = boost::asio::ip::address_v6(gid);
  s.gid_index = from.gid_index;
  s.path_mtu = from.path_mtu;
  s.queue_pair = from.queue_pair;
  s.peer_queue_pair = from.peer_queue_pair;
  s.ack_timeout = from.ack_timeout;
  s.retry_count = from.retry_count;
  s.rnr_retry = from.rnr_retry;
  s.counters = from.counters;
  s.levels = from.levels;
  s.listener = from.listener;
  s.datagrams = from.datagrams;
  s.error = to_error_code(from.last_error);
  s.failure = from.failure;
  return s;
}

}  // namespace detail

/// What a socket's connection, an acceptor's listener or a datagram socket has done, and how it stands; all of one
/// moment. A closed socket has nothing to tell: its connection is in snapshot() until it has ended. The first call for
/// a connection asks its device some questions, which may take a tenth of a millisecond; later ones do not. Not to be
/// called while another thread uses the socket.
template <class Socket>
socket_statistics statistics(Socket& socket) {
  if (!socket.is_open()) return {};
  core::socket_statistics s;
  socket.native_handle().get().statistics(s);
  return detail::make_statistics(s);
}

/// All connections, listeners and datagram sockets of the process.
struct process_snapshot {
  std::vector<socket_statistics> sockets;  ///< in the order of their numbers
  process_totals totals;                   ///< since the process began, connections that have ended included
};

/// Every connection, listener and bound datagram socket of the process: those that connect or are being accepted, those
/// that wait in a listener's backlog, and those that linger though no socket owns them any more. Each entry is of one
/// moment, all together are not. Thread-safe, also while other threads use the sockets. It takes mutexes and memory, so
/// that it is not for a signal handler, but for that of boost::asio::signal_set.
inline process_snapshot snapshot() {
  process_snapshot result;
  const auto add = [](const core::socket_statistics& s, void* context) {
    static_cast<std::vector<socket_statistics>*>(context)->push_back(detail::make_statistics(s));
  };
  core::visit_sockets(add, &result.sockets, result.totals);
  return result;
}

}  // namespace v1
}  // namespace asio_rdma

#endif
