// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_RC_SEQ_PACKET_HPP
#define ASIO_RDMA_RC_SEQ_PACKET_HPP

#include <asio_rdma/detail/core/system.hpp>

#include <boost/asio/basic_seq_packet_socket.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/ip/basic_endpoint.hpp>
#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <functional>

namespace asio_rdma {
inline namespace v1 {

/// Messages over RDMA's reliable connections: as rc, but what one send() was given arrives as one message.
///
/// rc_seq_packet::socket is a boost::asio::basic_seq_packet_socket. A message has any number of bytes, none included,
/// and messages arrive in order. Both ends must be of this protocol: rc and rc_seq_packet refuse each other
/// (errc::mode_mismatch). Ports are those of rc.
///
/// send() and async_send() hand over all of one message, however large, and then complete. Several async_send() at a
/// time keep their order and do not mix; send() and send_batch() fail with in_progress while one of them has handed
/// over a part of its message. A send that is cancelled when a part of its message is on its way ends the connection:
/// the peer gets connection_reset, and never half a message. So does closing the socket then; shutdown(shutdown_send)
/// fails with in_progress. A total cancellation leaves such a send alone. On a socket in non-blocking mode the
/// synchronous send() takes a whole message or none: would_block where there is no room now, message_size where
/// send_buffer_size is smaller than the message.
///
/// receive() gives bytes of the oldest message. message_end_of_record in its out flags says that they are the last
/// ones: without it the buffers were too small, or the rest has not arrived yet, and the next call goes on with the
/// same message. A message without bytes is 0 bytes with that flag; the peer's end is boost::asio::error::eof. A
/// message that is larger than receive_buffer_size arrives in parts.
///
/// Otherwise everything is as with rc: options, acknowledged_writes, statistics, errors.
///
/// @par Thread Safety
/// Distinct objects: safe. Shared objects: as Asio's sockets.
class rc_seq_packet {
public:
  class endpoint;
  /// Has all of Asio's operations.
  using socket = boost::asio::basic_seq_packet_socket<rc_seq_packet>;
  /// Accepts sockets of this protocol.
  using acceptor = boost::asio::basic_socket_acceptor<rc_seq_packet>;
  /// Resolves names of hosts and services, as TCP's.
  using resolver = boost::asio::ip::basic_resolver<rc_seq_packet>;

  /// IPv4.
  static rc_seq_packet v4() noexcept { return rc_seq_packet(AF_INET); }
  /// IPv6.
  static rc_seq_packet v6() noexcept { return rc_seq_packet(AF_INET6); }

  /// What getaddrinfo(3) is asked for: the names of ports are TCP's.
  int type() const noexcept { return SOCK_STREAM; }
  /// As socket(2) would have it.
  int protocol() const noexcept { return IPPROTO_TCP; }
  /// AF_INET or AF_INET6.
  int family() const noexcept { return family_; }

  /// Equal are those of one family.
  friend bool operator==(const rc_seq_packet& a, const rc_seq_packet& b) noexcept { return a.family_ == b.family_; }
  /// Equal are those of one family.
  friend bool operator!=(const rc_seq_packet& a, const rc_seq_packet& b) noexcept { return a.family_ != b.family_; }

private:
  explicit rc_seq_packet(int family) noexcept : family_(family) {}
  int family_;
};

/// An IP address and a port; one of TCP's becomes ours by itself.
class rc_seq_packet::endpoint : public boost::asio::ip::basic_endpoint<rc_seq_packet> {
public:
  using boost::asio::ip::basic_endpoint<rc_seq_packet>::basic_endpoint;
  endpoint() noexcept = default;
  /// What Asio's own classes give.
  endpoint(const boost::asio::ip::basic_endpoint<rc_seq_packet>& other) noexcept : basic_endpoint(other) {}
  /// The same address and port.
  endpoint(const boost::asio::ip::tcp::endpoint& other) noexcept : basic_endpoint(other.address(), other.port()) {}
};

}  // namespace v1
}  // namespace asio_rdma

namespace std {
/// For containers that are unordered.
template <>
struct hash<asio_rdma::rc_seq_packet::endpoint> : hash<boost::asio::ip::basic_endpoint<asio_rdma::rc_seq_packet>> {};
}  // namespace std

// Needs rc_seq_packet to be complete, and has to come before the first use of its socket.
#include <asio_rdma/detail/asio_hook.hpp>

#endif
