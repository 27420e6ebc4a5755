// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "socket/carrier.hpp"

#include "error/foreign_address.hpp"
#include "error/refusal.hpp"
#include "io/unique_fd.hpp"
#include "socket/address.hpp"
#include "verbs/local_addresses.hpp"

#include <netinet/in.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

/// An address of a local port, of the family wanted if there is one.
error find_loopback_carrier(int family, const std::string& device, sockaddr_storage& result) {
  const char* const name = device.empty() ? nullptr : device.c_str();
  auto candidates = verbs::loopback_candidates(family, name);
  if (candidates.empty()) candidates = verbs::loopback_candidates(family == AF_INET ? AF_INET6 : AF_INET, name);
  if (candidates.empty()) return library_error::no_device;
  result = candidates.front().address;
  return {};
}

/// The same, remembered for a while: looking through a device's table of GIDs means a thousand files of sysfs.
error loopback_carrier(int family, const std::string& device, sockaddr_storage& result) {
  using clock = std::chrono::steady_clock;
  struct carrier {
    sockaddr_storage address{};
    clock::time_point good_until{};
  };
  struct memory {
    std::mutex mutex;
    std::map<std::pair<int, std::string>, carrier> carriers;
  };
  static memory& m = *new memory;
  const std::lock_guard<std::mutex> lock(m.mutex);
  carrier& c = m.carriers[{family, device}];
  if (clock::now() >= c.good_until) {
    if (const error e = find_loopback_carrier(family, device, c.address)) return e;
    c.good_until = clock::now() + std::chrono::seconds(2);
  }
  result = c.address;
  return {};
}

/// An address of this host that cannot be used with the devices chosen.
error refuse_own_address(const device_choice& devices, const sockaddr_storage& address) noexcept {
  return devices.name.empty() ? intern_foreign_address(*as_sockaddr(address))
                              : refuse_other_device(*as_sockaddr(address), devices.name);
}

/// The address of this host by which a destination is reached: the destination itself if it is this host's.
bool own_address_towards(const sockaddr_storage& destination, sockaddr_storage& result) {
  result = destination;
  return verbs::is_local_address(*as_sockaddr(destination)) || source_towards(destination, result);
}

}  // namespace

/// A datagram socket finds it and sends nothing.
bool source_towards(const sockaddr_storage& destination, sockaddr_storage& result) noexcept {
  const io::unique_fd fd(::socket(destination.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd || ::connect(fd.get(), as_sockaddr(destination), size_of(destination)) != 0) return false;
  socklen_t size = sizeof result;
  if (::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&result), &size) != 0) return false;
  set_port(result, 0);
  return true;
}

error group_carrier(const device_choice& devices, const sockaddr_storage& group, sockaddr_storage& result) {
  const bool has_route = source_towards(group, result);
  if (devices.is_software()) {
    if (!has_route) result = group.ss_family == AF_INET ? make_v4(INADDR_LOOPBACK, 0) : loopback_v6(0);
    return {};
  }
  if (has_route) {
    for (const verbs::rdma_address& a : verbs::rdma_addresses()) {
      const bool is_usable = a.active && devices.allows(a.device.c_str());
      if (is_usable && verbs::same_host(*as_sockaddr(a.address), *as_sockaddr(result))) return {};
    }
  }
  return loopback_carrier(group.ss_family, devices.name, result);
}

error carrier_of(const device_choice& devices, const sockaddr_storage& asked, sockaddr_storage& result) {
  result = unmapped(asked);
  if (!is_loopback(asked) || !carries_loopback(devices)) return {};
  const std::uint16_t port = port_of(asked);
  if (const error e = loopback_carrier(result.ss_family, devices.name, result)) return e;
  set_port(result, port);
  return {};
}

error explain_bind_error(const device_choice& devices, error e, const sockaddr_storage& address) {
  const bool no_owner = e == error(ENODEV) || e == error(EADDRNOTAVAIL);
  if (!no_owner || devices.is_software()) return e;
  return verbs::is_local_address(*as_sockaddr(address)) ? refuse_own_address(devices, address) : error(EADDRNOTAVAIL);
}

error explain_resolve_error(const device_choice& devices, error e, const sockaddr_storage& destination) {
  if (devices.is_software()) {
    return verbs::is_local_address(*as_sockaddr(destination)) ? e : refuse_other_host(*as_sockaddr(destination));
  }
  if (e != error(ENODEV)) return e;
  sockaddr_storage own{};
  return own_address_towards(destination, own) ? refuse_own_address(devices, own) : error(ENETUNREACH);
}

error check_device(const device_choice& devices, const char* device, const sockaddr_storage& address) {
  if (devices.allows(device)) return {};
  sockaddr_storage own{};
  (void)own_address_towards(address, own);
  return refuse_own_address(devices, own);
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
