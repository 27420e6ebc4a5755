// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_NET_SOCKETS_HPP
#define ASIO_RDMA_PERF_NET_SOCKETS_HPP

#include "../common/result.hpp"
#include "../common/settings.hpp"

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/socket_base.hpp>

#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>

/// What all modes do with their sockets.
namespace perf::net {

template <class Protocol>
constexpr bool is_kernels =
    std::is_same_v<Protocol, boost::asio::ip::tcp> || std::is_same_v<Protocol, boost::asio::ip::udp>;

/// Sets what the command line says, before the socket or acceptor is used.
template <class Socket>
void set_options(Socket& s, const settings& how) {
  namespace asio = boost::asio;
  const auto value = [](std::uint64_t n) { return static_cast<int>(n); };
  if (how.receive_buffer != unset) s.set_option(asio::socket_base::receive_buffer_size(value(how.receive_buffer)));
  if (how.send_buffer != unset) s.set_option(asio::socket_base::send_buffer_size(value(how.send_buffer)));
  if constexpr (!is_kernels<typename Socket::protocol_type>) {
    if (how.queue_depth != unset) s.set_option(asio_rdma::queue_depth(value(how.queue_depth)));
    if (how.registered) s.set_option(asio_rdma::zero_copy_threshold(1));  // whatever the size
    if (how.gid_index != unset) s.set_option(asio_rdma::gid_index(value(how.gid_index)));
    if (how.service_level != unset) s.set_option(asio_rdma::service_level(value(how.service_level)));
    if (how.traffic_class != unset) s.set_option(asio_rdma::traffic_class(value(how.traffic_class)));
  }
}

template <class Socket>
carrier describe_socket(Socket& socket) {
  const auto text = [](const auto& endpoint) {
    std::ostringstream out;
    out << endpoint;
    return out.str();
  };
  carrier c;
  c.local = text(socket.local_endpoint());
  c.remote = text(socket.remote_endpoint());
  if constexpr (!is_kernels<typename Socket::protocol_type>) {
    const asio_rdma::socket_statistics s = asio_rdma::statistics(socket);
    c.device = s.device;
    c.mtu = s.path_mtu;
    c.gid_index = static_cast<std::uint64_t>(s.gid_index);
    find_link(c, s.port);
  }
  return c;
}

}  // namespace perf::net

#endif
