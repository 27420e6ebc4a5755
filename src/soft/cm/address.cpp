// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/address.hpp"

#include "soft/descriptor.hpp"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <memory>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

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

/// The address of one that is_v4(), in host byte order.
std::uint32_t v4_number(const sockaddr_storage& a) noexcept {
  if (a.ss_family == AF_INET) return ntohl(v4(a).sin_addr.s_addr);
  std::uint32_t result = 0;
  std::memcpy(&result, v6(a).sin6_addr.s6_addr + 12, sizeof result);
  return ntohl(result);
}

bool is_loopback(const sockaddr_storage& a) noexcept {
  return is_v4(a) ? v4_number(a) >> 24 == IN_LOOPBACKNET : IN6_IS_ADDR_LOOPBACK(&v6(a).sin6_addr) != 0;
}

socklen_t size_of(const sockaddr_storage& a) noexcept {
  return a.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

/// The address of the interface that the host's routes send a group's packets out of. Nothing is sent to find it out.
sockaddr_storage source_for_group(const sockaddr_storage& group) noexcept {
  const descriptor socket(::socket(group.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage destination = group, result{};
  set_port(destination, 1);
  socklen_t size = sizeof result;
  const bool is_known =
      socket && ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&destination), size_of(group)) == 0 &&
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&result), &size) == 0;
  return is_known ? result : loopback_for(group);
}

}  // namespace

bool copy_address(const sockaddr* address, sockaddr_storage& result) noexcept {
  result = {};
  if (address == nullptr) return false;
  if (address->sa_family != AF_INET && address->sa_family != AF_INET6) return false;
  std::memcpy(&result, address, address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
  return true;
}

bool is_v4(const sockaddr_storage& a) noexcept {
  return a.ss_family == AF_INET || (a.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&v6(a).sin6_addr));
}

bool is_any(const sockaddr_storage& a) noexcept {
  if (is_v4(a)) return v4_number(a) == INADDR_ANY;
  return a.ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&v6(a).sin6_addr);
}

bool is_multicast(const sockaddr_storage& a) noexcept {
  if (is_v4(a)) return IN_MULTICAST(v4_number(a));
  return a.ss_family == AF_INET6 && IN6_IS_ADDR_MULTICAST(&v6(a).sin6_addr);
}

bool is_link_local(const sockaddr_storage& a) noexcept {
  return a.ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&v6(a).sin6_addr);
}

std::uint16_t port_of(const sockaddr_storage& a) noexcept {
  switch (a.ss_family) {
    case AF_INET:
      return ntohs(v4(a).sin_port);
    case AF_INET6:
      return ntohs(v6(a).sin6_port);
    default:
      return 0;
  }
}

void set_port(sockaddr_storage& a, std::uint16_t port) noexcept {
  if (a.ss_family == AF_INET) v4(a).sin_port = htons(port);
  if (a.ss_family == AF_INET6) v6(a).sin6_port = htons(port);
}

bool same_host(const sockaddr_storage& a, const sockaddr_storage& b) noexcept {
  if (is_v4(a) != is_v4(b)) return false;
  if (is_v4(a)) return v4_number(a) == v4_number(b);
  if (a.ss_family != AF_INET6 || b.ss_family != AF_INET6) return false;
  if (!IN6_ARE_ADDR_EQUAL(&v6(a).sin6_addr, &v6(b).sin6_addr)) return false;
  return !is_link_local(a) || v6(a).sin6_scope_id == v6(b).sin6_scope_id;
}

sockaddr_storage loopback_for(const sockaddr_storage& a) noexcept {
  sockaddr_storage result = a;
  const std::uint32_t v4_loopback = htonl(INADDR_LOOPBACK);
  if (a.ss_family == AF_INET) {
    v4(result).sin_addr.s_addr = v4_loopback;
  } else if (is_v4(a)) {
    std::memcpy(v6(result).sin6_addr.s6_addr + 12, &v4_loopback, sizeof v4_loopback);
  } else {
    v6(result).sin6_addr = in6addr_loopback;
  }
  return result;
}

sockaddr_storage source_for(const sockaddr_storage& destination) noexcept {
  if (is_multicast(destination)) return source_for_group(destination);
  return is_loopback(destination) ? loopback_for(destination) : destination;
}

bool is_own(const sockaddr_storage& a) noexcept {
  if (is_loopback(a)) return true;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return false;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, &::freeifaddrs);
  for (const ifaddrs* entry = list; entry; entry = entry->ifa_next) {
    sockaddr_storage candidate;
    if (copy_address(entry->ifa_addr, candidate) && same_host(a, candidate)) return true;
  }
  return false;
}

ibv_gid gid_of(const sockaddr_storage& a) noexcept {
  ibv_gid result{};
  if (a.ss_family == AF_INET6) {
    std::memcpy(result.raw, v6(a).sin6_addr.s6_addr, sizeof result.raw);
  } else if (a.ss_family == AF_INET) {
    result.raw[10] = result.raw[11] = 0xff;
    std::memcpy(result.raw + 12, &v4(a).sin_addr, 4);
  }
  return result;
}

wire_address to_wire(const sockaddr_storage& a) noexcept {
  wire_address result;
  result.port = port_of(a);
  if (a.ss_family == AF_INET) {
    result.family = 4;
    std::memcpy(result.bytes, &v4(a).sin_addr, 4);
  } else if (a.ss_family == AF_INET6) {
    result.family = 6;
    result.scope = v6(a).sin6_scope_id;
    std::memcpy(result.bytes, &v6(a).sin6_addr, 16);
  }
  return result;
}

sockaddr_storage from_wire(const wire_address& a) noexcept {
  sockaddr_storage result{};
  if (a.family == 4) {
    result.ss_family = AF_INET;
    std::memcpy(&v4(result).sin_addr, a.bytes, 4);
  } else {
    result.ss_family = AF_INET6;
    v6(result).sin6_scope_id = a.scope;
    std::memcpy(&v6(result).sin6_addr, a.bytes, 16);
  }
  set_port(result, a.port);
  return result;
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
