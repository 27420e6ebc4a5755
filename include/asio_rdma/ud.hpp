// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_UD_HPP
#define ASIO_RDMA_UD_HPP

#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/error.hpp>

#include <boost/asio/basic_datagram_socket.hpp>
#include <boost/asio/ip/basic_endpoint.hpp>
#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>

#include <cstddef>
#include <functional>

namespace asio_rdma {
inline namespace v1 {

/// Datagrams over RDMA's unreliable datagrams: to be used wherever boost::asio::ip::udp is.
///
/// ud::socket is a boost::asio::basic_datagram_socket with all its operations, completion tokens, error codes and
/// rules. A datagram arrives whole, or not at all, perhaps out of order; one that finds no room at its receiver is
/// lost. Where a datagram came from can be sent to at once. What is sent to somebody for the first time waits until the
/// connection manager has found the peer, while the socket goes on; who is found is remembered, and looked for again
/// after peer_lifetime. The options of boost::asio::ip::multicast work.
///
/// What differs from UDP: both ends must use this library; a datagram is no larger than a packet of the device less 8
/// bytes (maximum_payload()), and is never cut into pieces; there are no broadcasts; a socket that is not connected is
/// not told that nobody was there, and neither is one that is connected and has sent nothing; native_handle() is not a
/// file descriptor.
///
/// @par Thread Safety
/// Distinct objects: safe. Shared objects: as Asio's sockets; one thread may send while another receives.
class ud {
public:
  class endpoint;
  /// Has all of Asio's operations.
  using socket = boost::asio::basic_datagram_socket<ud>;
  /// Resolves names of hosts and services, as UDP's.
  using resolver = boost::asio::ip::basic_resolver<ud>;

  /// UDP's protocol and endpoints become ours by themselves. Sockets do not.
  ud(const boost::asio::ip::udp& protocol) noexcept : family_(protocol.family()) {}

  /// IPv4.
  static ud v4() noexcept { return ud(AF_INET); }
  /// IPv6.
  static ud v6() noexcept { return ud(AF_INET6); }

  /// As socket(2) would have it.
  int type() const noexcept { return SOCK_DGRAM; }
  /// As socket(2) would have it.
  int protocol() const noexcept { return IPPROTO_UDP; }
  /// AF_INET or AF_INET6.
  int family() const noexcept { return family_; }

  /// Equal are those of one family.
  friend bool operator==(const ud& a, const ud& b) noexcept { return a.family_ == b.family_; }
  /// Equal are those of one family.
  friend bool operator!=(const ud& a, const ud& b) noexcept { return a.family_ != b.family_; }

private:
  explicit ud(int family) noexcept : family_(family) {}
  int family_;
};

/// An IP address and a port; one of UDP's becomes ours by itself.
class ud::endpoint : public boost::asio::ip::basic_endpoint<ud> {
public:
  using boost::asio::ip::basic_endpoint<ud>::basic_endpoint;
  endpoint() noexcept = default;
  /// What Asio's own classes give.
  endpoint(const boost::asio::ip::basic_endpoint<ud>& other) noexcept : basic_endpoint(other) {}
  /// The same address and port.
  endpoint(const boost::asio::ip::udp::endpoint& other) noexcept : basic_endpoint(other.address(), other.port()) {}
};

}  // namespace v1
}  // namespace asio_rdma

namespace std {
/// For containers that are unordered.
template <>
struct hash<asio_rdma::ud::endpoint> : hash<boost::asio::ip::basic_endpoint<asio_rdma::ud>> {};
}  // namespace std

// Needs ud to be complete, and has to come before the first use of its socket.
#include <asio_rdma/detail/asio_hook.hpp>

namespace asio_rdma {
inline namespace v1 {

/// Bytes of the largest datagram that can be sent to and received from everybody: the packet of the devices that the
/// socket uses, or may come to use, less 8. Larger ones give message_size. Errors: bad_descriptor if the socket is
/// closed, and those of bind().
template <class Executor>
std::size_t maximum_payload(boost::asio::basic_datagram_socket<ud, Executor>& socket, boost::system::error_code& ec) {
  if (!socket.is_open()) {
    ec = boost::asio::error::bad_descriptor;
    return 0;
  }
  std::size_t bytes = 0;
  core::socket s = socket.native_handle().get();
  ec = to_error_code(s.maximum_payload(bytes));
  return bytes;
}
/// Throws boost::system::system_error.
template <class Executor>
std::size_t maximum_payload(boost::asio::basic_datagram_socket<ud, Executor>& socket) {
  boost::system::error_code ec;
  const std::size_t bytes = maximum_payload(socket, ec);
  if (ec) boost::throw_exception(boost::system::system_error(ec, "maximum_payload"));
  return bytes;
}

}  // namespace v1
}  // namespace asio_rdma

#endif
