// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "socket/carrier.hpp"

#include "error/foreign_address.hpp"
#include "io/unique_fd.hpp"
#include "socket/address.hpp"
#include "verbs/local_addresses.hpp"

#include <netinet/in.h>

#include <cerrno>
#include <chrono>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

/// The local address from which the kernel's routes reach a destination. A datagram socket finds it and sends nothing.
bool source_towards(const sockaddr_storage& destination, sockaddr_storage& result) noexcept {
  const io::unique_fd fd(::socket(destination.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  socklen_t size = destination.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  if (!fd || ::connect(fd.get(), as_sockaddr(destination), size) != 0) return false;
  size = sizeof result;
  return ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&result), &size) == 0;
}

/// An address of a local port, of the family wanted if there is one.
error find_loopback_carrier(int family, sockaddr_storage& result) {
  auto candidates = verbs::loopback_candidates(family);
  if (candidates.empty()) candidates = verbs::loopback_candidates(family == AF_INET ? AF_INET6 : AF_INET);
  if (candidates.empty()) return library_error::no_device;
  result = candidates.front().address;
  return {};
}

/// The same, remembered for a while: looking through a device's table of GIDs means a thousand files of sysfs.
error loopback_carrier(int family, sockaddr_storage& result) {
  using clock = std::chrono::steady_clock;
  struct memory {
    std::mutex mutex;
    sockaddr_storage address[2]{};
    clock::time_point good_until[2]{};
  };
  static memory& m = *new memory;
  const int which = family == AF_INET ? 0 : 1;
  const std::lock_guard<std::mutex> lock(m.mutex);
  if (clock::now() >= m.good_until[which]) {
    if (const error e = find_loopback_carrier(family, m.address[which])) return e;
    m.good_until[which] = clock::now() + std::chrono::seconds(2);
  }
  result = m.address[which];
  return {};
}

}  // namespace

error carrier_of(const sockaddr_storage& asked, bool is_destination, sockaddr_storage& result) {
  result = unmapped(asked);
  if (!is_loopback(asked) && !(is_destination && is_any(asked))) return {};
  const std::uint16_t port = port_of(asked);
  if (const error e = loopback_carrier(result.ss_family, result)) return e;
  set_port(result, port);
  return {};
}

error explain_bind_error(error e, const sockaddr_storage& address) {
  const bool no_owner = e == error(ENODEV) || e == error(EADDRNOTAVAIL);
  if (!no_owner) return e;
  return verbs::is_local_address(*as_sockaddr(address)) ? intern_foreign_address(*as_sockaddr(address))
                                                        : error(EADDRNOTAVAIL);
}

error explain_resolve_error(error e, const sockaddr_storage& destination) {
  if (e != error(ENODEV)) return e;
  if (verbs::is_local_address(*as_sockaddr(destination))) return intern_foreign_address(*as_sockaddr(destination));
  sockaddr_storage source{};
  if (!source_towards(destination, source)) return error(ENETUNREACH);
  return intern_foreign_address(*as_sockaddr(source));
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
