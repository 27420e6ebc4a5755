// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_MULTICAST_OPTIONS_HPP
#define ASIO_RDMA_DETAIL_MULTICAST_OPTIONS_HPP

#include <asio_rdma/detail/core/socket.hpp>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// The options of setsockopt that boost::asio::ip::multicast has (ip(7), ipv6(7)), by level and name.
enum class multicast_option { none, join_v4, leave_v4, join_v6, leave_v6, loopback, hops, interface_v4, interface_v6 };

inline multicast_option find_multicast_option(int level, int name) noexcept {
  if (level == IPPROTO_IP) {
    switch (name) {
      case IP_ADD_MEMBERSHIP:
        return multicast_option::join_v4;
      case IP_DROP_MEMBERSHIP:
        return multicast_option::leave_v4;
      case IP_MULTICAST_LOOP:
        return multicast_option::loopback;
      case IP_MULTICAST_TTL:
        return multicast_option::hops;
      case IP_MULTICAST_IF:
        return multicast_option::interface_v4;
      default:
        return multicast_option::none;
    }
  }
  if (level != IPPROTO_IPV6) return multicast_option::none;
  switch (name) {
    case IPV6_JOIN_GROUP:
      return multicast_option::join_v6;
    case IPV6_LEAVE_GROUP:
      return multicast_option::leave_v6;
    case IPV6_MULTICAST_LOOP:
      return multicast_option::loopback;
    case IPV6_MULTICAST_HOPS:
      return multicast_option::hops;
    case IPV6_MULTICAST_IF:
      return multicast_option::interface_v6;
    default:
      return multicast_option::none;
  }
}

/// The option of the core; only for those that have a value.
inline core::option core_option_of(multicast_option o) noexcept {
  switch (o) {
    case multicast_option::loopback:
      return core::option::multicast_loopback;
    case multicast_option::hops:
      return core::option::multicast_hops;
    case multicast_option::interface_v4:
      return core::option::multicast_interface_v4;
    default:
      return core::option::multicast_interface_v6;
  }
}

inline core::error change_membership_v4(core::socket& s, bool join, const void* data, std::size_t size) noexcept {
  ip_mreq request;
  if (size != sizeof request) return core::error(EINVAL);
  std::memcpy(&request, data, size);
  sockaddr_storage group = {}, by = {};
  group.ss_family = by.ss_family = AF_INET;
  reinterpret_cast<sockaddr_in&>(group).sin_addr = request.imr_multiaddr;
  reinterpret_cast<sockaddr_in&>(by).sin_addr = request.imr_interface;
  return join ? s.join_group(group, by, 0) : s.leave_group(group, by, 0);
}

inline core::error change_membership_v6(core::socket& s, bool join, const void* data, std::size_t size) noexcept {
  ipv6_mreq request;
  if (size != sizeof request) return core::error(EINVAL);
  std::memcpy(&request, data, size);
  sockaddr_storage group = {};
  group.ss_family = AF_INET6;
  reinterpret_cast<sockaddr_in6&>(group).sin6_addr = request.ipv6mr_multiaddr;
  const unsigned index = request.ipv6mr_interface;
  return join ? s.join_group(group, {}, index) : s.leave_group(group, {}, index);
}

/// As setsockopt, which takes a byte or an int for most of them.
inline core::error set_multicast_option(core::socket& s, multicast_option o, const void* data,
                                        std::size_t size) noexcept {
  switch (o) {
    case multicast_option::join_v4:
    case multicast_option::leave_v4:
      return change_membership_v4(s, o == multicast_option::join_v4, data, size);
    case multicast_option::join_v6:
    case multicast_option::leave_v6:
      return change_membership_v6(s, o == multicast_option::join_v6, data, size);
    default:
      break;
  }
  int value = 0;
  if (size == 1) {
    value = *static_cast<const unsigned char*>(data);
  } else if (size == sizeof value) {
    std::memcpy(&value, data, size);
  } else {
    return core::error(EINVAL);
  }
  if (o == multicast_option::loopback) value = value != 0;
  if (o == multicast_option::hops && value == -1) value = 1;  // the default, as ipv6(7) has it
  return s.set_option(core_option_of(o), value);
}

/// As getsockopt. ENOPROTOOPT for memberships, which cannot be asked for.
inline core::error get_multicast_option(const core::socket& s, multicast_option o, void* data,
                                        std::size_t size) noexcept {
  const bool has_value = o == multicast_option::loopback || o == multicast_option::hops ||
                         o == multicast_option::interface_v4 || o == multicast_option::interface_v6;
  if (!has_value) return core::error(ENOPROTOOPT);
  int value = 0;
  if (size != 1 && size != sizeof value) return core::error(EINVAL);
  if (const core::error e = s.get_option(core_option_of(o), value)) return e;
  if (size == 1) {
    *static_cast<unsigned char*>(data) = static_cast<unsigned char>(value);
  } else {
    std::memcpy(data, &value, size);
  }
  return {};
}

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
