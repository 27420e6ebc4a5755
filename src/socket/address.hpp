// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_ADDRESS_HPP
#define ASIO_RDMA_SRC_SOCKET_ADDRESS_HPP

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// Reads a user's address. False unless it is a whole sockaddr_in or sockaddr_in6.
bool copy_address(const sockaddr* from, socklen_t size, sockaddr_storage& to) noexcept;
inline const sockaddr* as_sockaddr(const sockaddr_storage& a) noexcept {
  return reinterpret_cast<const sockaddr*>(&a);
}

/// Bytes of it that the system's calls take.
inline socklen_t size_of(const sockaddr_storage& a) noexcept {
  return a.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

std::uint16_t port_of(const sockaddr_storage& a) noexcept;
void set_port(sockaddr_storage& a, std::uint16_t port) noexcept;

bool is_any(const sockaddr_storage& a) noexcept;
/// 127.0.0.0/8, ::1, and the former mapped into IPv6.
bool is_loopback(const sockaddr_storage& a) noexcept;
/// 224.0.0.0/4, ff00::/8, and the former mapped into IPv6.
bool is_multicast(const sockaddr_storage& a) noexcept;

/// address is an IPv4 address in host order.
sockaddr_storage make_v4(std::uint32_t address, std::uint16_t port) noexcept;
sockaddr_storage loopback_v6(std::uint16_t port) noexcept;
/// The IPv4 address, in host order, of an IPv4 or mapped address.
std::uint32_t v4_of(const sockaddr_storage& a) noexcept;

/// ::ffff:a.b.c.d becomes a.b.c.d; others stay.
sockaddr_storage unmapped(const sockaddr_storage& a) noexcept;
/// a.b.c.d becomes ::ffff:a.b.c.d; others stay.
sockaddr_storage mapped(const sockaddr_storage& a) noexcept;

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
