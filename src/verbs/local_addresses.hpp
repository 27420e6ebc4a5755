// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_VERBS_LOCAL_ADDRESSES_HPP
#define ASIO_RDMA_SRC_VERBS_LOCAL_ADDRESSES_HPP

#include <sys/socket.h>
#include <cstdint>
#include <string>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// An address of this host that an RDMA device carries.
struct rdma_address {
  sockaddr_storage address;  ///< port 0
  std::string interface;     ///< network interface that has it
  std::string device;        ///< RDMA device attached to that interface
  std::uint8_t port;         ///< its port, counted from 1
  bool active;               ///< whether the port is up
};

/// The addresses of this host that RDMA devices carry, from sysfs and the interfaces' addresses; needs no privilege.
/// Those most likely to work come first: on active ports, IPv4, global IPv6, link-local IPv6 at last.
std::vector<rdma_address> rdma_addresses();

/// Whether a port of the kernel's device of that name is up.
bool has_active_port(const std::string& device);

/// All addresses of this host's interfaces, loopback included, with port 0.
std::vector<sockaddr_storage> local_addresses();

/// Of rdma_addresses(), those that can stand in for a loopback address of a family (AF_INET or AF_INET6), on one device
/// or, if device is null, on any: the active ones; link-local ones only if there are no others.
std::vector<rdma_address> loopback_candidates(int family, const char* device = nullptr);

/// True for loopback addresses and those of this host's interfaces, whatever the port; IPv4-mapped ones as IPv4.
bool is_local_address(const sockaddr& address);

/// True for 127.0.0.0/8, ::1 and IPv4-mapped loopback addresses.
bool is_loopback_address(const sockaddr& address) noexcept;

/// True for 224.0.0.0/4, ff00::/8, and the former mapped into IPv6.
bool is_multicast_address(const sockaddr& address) noexcept;

/// ::ffff:a.b.c.d as a.b.c.d; everything else as it is.
sockaddr_storage unmapped(const sockaddr& address) noexcept;

/// The network interface that has this address; empty if none does.
std::string interface_of(const sockaddr& address);

/// True if two addresses are of the same family and host, whatever their ports. IPv6 scopes differ only if both are
/// given.
bool same_host(const sockaddr& a, const sockaddr& b) noexcept;

/// The address, copied as its family says; zeros for a family that is neither AF_INET nor AF_INET6.
sockaddr_storage to_storage(const sockaddr& address) noexcept;

/// The numeric form without the port.
std::string to_string(const sockaddr_storage& address);

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
