// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_RC_HPP
#define ASIO_RDMA_RC_HPP

#include <asio_rdma/detail/core/system.hpp>
#include <asio_rdma/detail/socket_option.hpp>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/basic_endpoint.hpp>
#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <functional>

namespace asio_rdma {
inline namespace v1 {

/// Streams of bytes over RDMA's reliable connections: to be used wherever boost::asio::ip::tcp is.
///
/// rc::socket is a boost::asio::basic_stream_socket, rc::acceptor a basic_socket_acceptor, with all their operations,
/// completion tokens, error codes and rules. Addresses are IP addresses; which device carries a connection follows from
/// the routes, as for TCP.
///
/// What differs from TCP: both ends must use this library; there is no out-of-band data; there is no rc::iostream,
/// since Asio's reads kernel sockets; native_handle() is not a file descriptor; a connection ends with its process, so
/// that a process that is killed loses what it had not sent yet.
///
/// @par Thread Safety
/// Distinct objects: safe. Shared objects: as Asio's sockets.
class rc {
public:
  class endpoint;
  /// Has all of Asio's operations.
  using socket = boost::asio::basic_stream_socket<rc>;
  /// Accepts sockets of this protocol.
  using acceptor = boost::asio::basic_socket_acceptor<rc>;
  /// Resolves names of hosts and services, as TCP's.
  using resolver = boost::asio::ip::basic_resolver<rc>;

  /// Accepted and remembered, for programs that set it: nothing is ever delayed.
  using no_delay = detail::bool_option<IPPROTO_TCP, TCP_NODELAY>;

  /// TCP's protocol and endpoints become ours by themselves: code that takes any kind of stream may still look up and
  /// open as TCP, as Boost.MQTT5 does. Sockets do not, since the kernel's cannot carry RDMA: tcp::acceptor::accept() of
  /// an rc::socket compiles, and gives operation_not_supported; to move a tcp::socket into an rc::socket does not
  /// compile.
  rc(const boost::asio::ip::tcp& protocol) noexcept : family_(protocol.family()) {}

  /// IPv4.
  static rc v4() noexcept { return rc(AF_INET); }
  /// IPv6.
  static rc v6() noexcept { return rc(AF_INET6); }

  /// As socket(2) would have it.
  int type() const noexcept { return SOCK_STREAM; }
  /// As socket(2) would have it.
  int protocol() const noexcept { return IPPROTO_TCP; }
  /// AF_INET or AF_INET6.
  int family() const noexcept { return family_; }

  /// Equal are those of one family.
  friend bool operator==(const rc& a, const rc& b) noexcept { return a.family_ == b.family_; }
  /// Equal are those of one family.
  friend bool operator!=(const rc& a, const rc& b) noexcept { return a.family_ != b.family_; }

private:
  explicit rc(int family) noexcept : family_(family) {}
  int family_;
};

/// An IP address and a port; one of TCP's becomes ours by itself.
class rc::endpoint : public boost::asio::ip::basic_endpoint<rc> {
public:
  using boost::asio::ip::basic_endpoint<rc>::basic_endpoint;
  endpoint() noexcept = default;
  /// What Asio's own classes give.
  endpoint(const boost::asio::ip::basic_endpoint<rc>& other) noexcept : basic_endpoint(other) {}
  /// The same address and port.
  endpoint(const boost::asio::ip::tcp::endpoint& other) noexcept : basic_endpoint(other.address(), other.port()) {}
};

}  // namespace v1
}  // namespace asio_rdma

namespace std {
/// For containers that are unordered.
template <>
struct hash<asio_rdma::rc::endpoint> : hash<boost::asio::ip::basic_endpoint<asio_rdma::rc>> {};
}  // namespace std

// Needs rc to be complete, and has to come before the first use of its socket.
#include <asio_rdma/detail/asio_hook.hpp>

#endif
