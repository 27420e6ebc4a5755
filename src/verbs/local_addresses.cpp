// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "verbs/local_addresses.hpp"

#include "verbs/sysfs.hpp"

#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

namespace {

struct interface_address {
  std::string interface;
  sockaddr_storage address;
};

std::vector<interface_address> interface_addresses() {
  std::vector<interface_address> result;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return result;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, &::freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr) continue;
    if (entry->ifa_addr->sa_family == AF_INET || entry->ifa_addr->sa_family == AF_INET6)
      result.push_back({entry->ifa_name, to_storage(*entry->ifa_addr)});
  }
  return result;
}

struct attached_interface {
  std::string interface;
  std::string device;
  std::uint8_t port;
  bool active;

  bool operator==(const attached_interface& other) const {
    return interface == other.interface && device == other.device && port == other.port;
  }
};

/// Which port of a PCI function with several an interface is on, counted from 1.
std::uint8_t port_of_interface(const std::string& device_folder, const std::string& interface) {
  const std::string number = first_line(device_folder + "/device/net/" + interface + "/dev_port");
  return static_cast<std::uint8_t>(std::atoi(number.c_str()) + 1);
}

std::string devices_folder() {
  return sysfs_path() + "/class/infiniband";
}

bool is_active(const std::string& device_folder, const std::string& port) {
  return first_line(device_folder + "/ports/" + port + "/state") == "4: ACTIVE";
}

std::vector<attached_interface> attached_interfaces() {
  std::vector<attached_interface> result;
  const std::string root = devices_folder();
  for (const std::string& device : list_folder(root)) {
    const std::string folder = root + "/" + device;
    const auto add = [&](const std::string& interface, std::uint8_t port) {
      const attached_interface found{interface, device, port, is_active(folder, std::to_string(port))};
      if (!interface.empty() && std::find(result.begin(), result.end(), found) == result.end()) result.push_back(found);
    };
    // RoCE: each entry of the table of GIDs names its interface, VLANs and bonds included.
    for (const std::string& port : list_folder(folder + "/ports")) {
      const std::string interfaces = folder + "/ports/" + port + "/gid_attrs/ndevs";
      for (const std::string& index : list_folder(interfaces))
        add(first_line(interfaces + "/" + index), static_cast<std::uint8_t>(std::atoi(port.c_str())));
    }
    // InfiniBand and iWARP: the interfaces of the same PCI function.
    for (const std::string& interface : list_folder(folder + "/device/net"))
      add(interface, port_of_interface(folder, interface));
  }
  return result;
}

const sockaddr& plain(const sockaddr_storage& address) noexcept {
  return reinterpret_cast<const sockaddr&>(address);
}

bool is_link_local(const sockaddr_storage& address) noexcept {
  return address.ss_family == AF_INET6 &&
         IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

/// Smaller is more likely to work.
int rank(const rdma_address& a) noexcept {
  const int family = a.address.ss_family == AF_INET ? 0 : is_link_local(a.address) ? 2 : 1;
  return (a.active ? 0 : 3) + family;
}

}  // namespace

std::vector<rdma_address> rdma_addresses() {
  std::vector<rdma_address> result;
  const auto addresses = interface_addresses();
  for (const attached_interface& attached : attached_interfaces()) {
    for (const interface_address& own : addresses) {
      // The connection manager refuses loopback addresses, also where a device is attached to lo.
      if (own.interface == attached.interface && !is_loopback_address(plain(own.address)))
        result.push_back({own.address, attached.interface, attached.device, attached.port, attached.active});
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const rdma_address& a, const rdma_address& b) { return rank(a) < rank(b); });
  return result;
}

bool has_active_port(const std::string& device) {
  const std::string folder = devices_folder() + "/" + device;
  const auto ports = list_folder(folder + "/ports");
  return std::any_of(ports.begin(), ports.end(), [&](const std::string& port) { return is_active(folder, port); });
}

std::vector<sockaddr_storage> local_addresses() {
  std::vector<sockaddr_storage> result;
  for (const interface_address& own : interface_addresses()) result.push_back(own.address);
  return result;
}

std::vector<rdma_address> loopback_candidates(int family, const char* device) {
  std::vector<rdma_address> result = rdma_addresses();
  const auto keep_if = [&result](auto condition) {
    result.erase(std::remove_if(result.begin(), result.end(), [&](const rdma_address& a) { return !condition(a); }),
                 result.end());
  };
  keep_if([&](const rdma_address& a) {
    return a.active && a.address.ss_family == family && (device == nullptr || a.device == device);
  });
  const auto global = [](const rdma_address& a) { return !is_link_local(a.address); };
  if (std::any_of(result.begin(), result.end(), global)) keep_if(global);
  return result;
}

bool is_local_address(const sockaddr& address) {
  return is_loopback_address(address) || !interface_of(address).empty();
}

bool is_loopback_address(const sockaddr& address) noexcept {
  const sockaddr_storage copy = unmapped(address);
  if (copy.ss_family == AF_INET)
    return ntohl(reinterpret_cast<const sockaddr_in&>(copy).sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  return copy.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(copy).sin6_addr);
}

bool is_multicast_address(const sockaddr& address) noexcept {
  const sockaddr_storage copy = unmapped(address);
  if (copy.ss_family == AF_INET) return IN_MULTICAST(ntohl(reinterpret_cast<const sockaddr_in&>(copy).sin_addr.s_addr));
  return copy.ss_family == AF_INET6 && IN6_IS_ADDR_MULTICAST(&reinterpret_cast<const sockaddr_in6&>(copy).sin6_addr);
}

sockaddr_storage unmapped(const sockaddr& address) noexcept {
  const sockaddr_storage copy = to_storage(address);
  if (copy.ss_family != AF_INET6) return copy;
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(copy);
  if (!IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) return copy;
  sockaddr_storage result{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(result);
  v4.sin_family = AF_INET;
  v4.sin_port = v6.sin6_port;
  std::memcpy(&v4.sin_addr, v6.sin6_addr.s6_addr + 12, sizeof v4.sin_addr);
  return result;
}

std::string interface_of(const sockaddr& address) {
  const sockaddr_storage wanted = unmapped(address);
  for (const interface_address& own : interface_addresses())
    if (same_host(plain(own.address), plain(wanted))) return own.interface;
  return {};
}

bool same_host(const sockaddr& a, const sockaddr& b) noexcept {
  if (a.sa_family != b.sa_family) return false;
  if (a.sa_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(a).sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in&>(b).sin_addr.s_addr;
  }
  if (a.sa_family != AF_INET6) return false;
  const auto& v6a = reinterpret_cast<const sockaddr_in6&>(a);
  const auto& v6b = reinterpret_cast<const sockaddr_in6&>(b);
  const bool scopes_differ = v6a.sin6_scope_id != 0 && v6b.sin6_scope_id != 0 && v6a.sin6_scope_id != v6b.sin6_scope_id;
  return IN6_ARE_ADDR_EQUAL(&v6a.sin6_addr, &v6b.sin6_addr) && !scopes_differ;
}

sockaddr_storage to_storage(const sockaddr& address) noexcept {
  sockaddr_storage result{};
  if (address.sa_family == AF_INET) std::memcpy(&result, &address, sizeof(sockaddr_in));
  if (address.sa_family == AF_INET6) std::memcpy(&result, &address, sizeof(sockaddr_in6));
  return result;
}

std::string to_string(const sockaddr_storage& address) {
  char host[NI_MAXHOST];
  const socklen_t size = address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  if (::getnameinfo(&plain(address), size, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0) return "(no address)";
  return host;
}

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma
