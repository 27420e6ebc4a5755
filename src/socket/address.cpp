// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "socket/address.hpp"

#include "verbs/local_addresses.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

const sockaddr_in& v4(const sockaddr_storage& a) noexcept {
  return reinterpret_cast<const sockaddr_in&>(a);
}
sockaddr_in& v4(sockaddr_storage& a) noexcept {
  return reinterpret_cast<sockaddr_in&>(a);
}
const sockaddr_in6& v6(const sockaddr_storage& a) noexcept {
  return reinterpret_cast<const sockaddr_in6&>(a);
}
sockaddr_in6& v6(sockaddr_storage& a) noexcept {
  return reinterpret_cast<sockaddr_in6&>(a);
}

constexpr std::size_t mapped_prefix = 12;  // bytes before the IPv4 address

}  // namespace

bool copy_address(const sockaddr* from, socklen_t size, sockaddr_storage& to) noexcept {
  const bool whole = from && ((from->sa_family == AF_INET && size >= sizeof(sockaddr_in)) ||
                              (from->sa_family == AF_INET6 && size >= sizeof(sockaddr_in6)));
  to = whole ? verbs::to_storage(*from) : sockaddr_storage{};
  return whole;
}

std::uint16_t port_of(const sockaddr_storage& a) noexcept {
  return ntohs(a.ss_family == AF_INET6 ? v6(a).sin6_port : v4(a).sin_port);
}

void set_port(sockaddr_storage& a, std::uint16_t port) noexcept {
  (a.ss_family == AF_INET6 ? v6(a).sin6_port : v4(a).sin_port) = htons(port);
}

bool is_any(const sockaddr_storage& a) noexcept {
  return a.ss_family == AF_INET6 ? IN6_IS_ADDR_UNSPECIFIED(&v6(a).sin6_addr) : v4(a).sin_addr.s_addr == INADDR_ANY;
}

bool is_loopback(const sockaddr_storage& a) noexcept {
  return verbs::is_loopback_address(*as_sockaddr(a));
}

bool is_multicast(const sockaddr_storage& a) noexcept {
  return verbs::is_multicast_address(*as_sockaddr(a));
}

sockaddr_storage make_v4(std::uint32_t address, std::uint16_t port) noexcept {
  sockaddr_storage a{};
  a.ss_family = AF_INET;
  v4(a).sin_addr.s_addr = htonl(address);
  set_port(a, port);
  return a;
}

sockaddr_storage loopback_v6(std::uint16_t port) noexcept {
  sockaddr_storage a{};
  a.ss_family = AF_INET6;
  v6(a).sin6_addr = in6addr_loopback;
  set_port(a, port);
  return a;
}

std::uint32_t v4_of(const sockaddr_storage& a) noexcept {
  if (a.ss_family == AF_INET) return ntohl(v4(a).sin_addr.s_addr);
  std::uint32_t address;
  std::memcpy(&address, v6(a).sin6_addr.s6_addr + mapped_prefix, sizeof address);
  return ntohl(address);
}

sockaddr_storage unmapped(const sockaddr_storage& a) noexcept {
  return verbs::unmapped(*as_sockaddr(a));
}

sockaddr_storage mapped(const sockaddr_storage& a) noexcept {
  if (a.ss_family != AF_INET) return a;
  sockaddr_storage result{};
  result.ss_family = AF_INET6;
  v6(result).sin6_addr.s6_addr[10] = 0xff;
  v6(result).sin6_addr.s6_addr[11] = 0xff;
  std::memcpy(v6(result).sin6_addr.s6_addr + mapped_prefix, &v4(a).sin_addr, sizeof(in_addr));
  set_port(result, port_of(a));
  return result;
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
