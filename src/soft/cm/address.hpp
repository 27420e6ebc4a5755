// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_CM_ADDRESS_HPP
#define ASIO_RDMA_SRC_SOFT_CM_ADDRESS_HPP

#include "soft/cm/message.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <sys/socket.h>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

/// Copies an IPv4 or IPv6 address; false for null and other families.
bool copy_address(const sockaddr* address, sockaddr_storage& result) noexcept;
bool is_any(const sockaddr_storage& a) noexcept;
/// An IPv4 address, or an IPv6 one that means an IPv4 one.
bool is_v4(const sockaddr_storage& a) noexcept;
bool is_multicast(const sockaddr_storage& a) noexcept;
bool is_link_local(const sockaddr_storage& a) noexcept;
std::uint16_t port_of(const sockaddr_storage& a) noexcept;
void set_port(sockaddr_storage& a, std::uint16_t port) noexcept;
bool same_host(const sockaddr_storage& a, const sockaddr_storage& b) noexcept;
/// The same family's loopback address, with the same port.
sockaddr_storage loopback_for(const sockaddr_storage& a) noexcept;

/// Where packets to one of this host's addresses come from, as TCP has it.
sockaddr_storage source_for(const sockaddr_storage& destination) noexcept;

/// One of this host's, or any of its loopback network's.
bool is_own(const sockaddr_storage& a) noexcept;

/// As RoCE v2 has it: the IPv6 address, or the IPv4 one mapped into IPv6.
ibv_gid gid_of(const sockaddr_storage& a) noexcept;

wire_address to_wire(const sockaddr_storage& a) noexcept;
sockaddr_storage from_wire(const wire_address& a) noexcept;

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
