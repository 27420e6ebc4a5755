// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_CARRIER_HPP
#define ASIO_RDMA_SRC_SOCKET_CARRIER_HPP

#include "device/choice.hpp"

#include <asio_rdma/detail/core/error.hpp>

#include <sys/socket.h>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// Whether loopback has to be carried on an address of a device. The software device has loopback itself.
inline bool carries_loopback(const device_choice& devices) noexcept {
  return !devices.is_software();
}

/// The address that carries one the user asked for. No hardware owns loopback, so that there it is carried on an
/// address of a local port: of the same family if there is one. Other addresses carry themselves; mapped ones as IPv4.
/// As a destination, the unspecified address means loopback, as TCP has it, and the user's has been made that before.
error carrier_of(const device_choice& devices, const sockaddr_storage& asked, sockaddr_storage& result);

/// The local address from which the kernel's routes reach a destination, with port 0. False if there is no route.
bool source_towards(const sockaddr_storage& destination, sockaddr_storage& result) noexcept;

/// The local address by which a multicast group is joined and sent to where the user names none: the route's if a
/// device has it, else one of a device.
error group_carrier(const device_choice& devices, const sockaddr_storage& group, sockaddr_storage& result);

/// What an error of binding to an address, or of resolving one, really means: the connection manager says ENODEV for an
/// address of this host that no RDMA device owns, as it does for a peer that is reached by such an interface; the
/// software device reaches no address of another host.
error explain_bind_error(const device_choice& devices, error e, const sockaddr_storage& address);
error explain_resolve_error(const device_choice& devices, error e, const sockaddr_storage& destination);

/// No error if a device is one of those chosen; otherwise why the address, of this host or of another that it reaches,
/// is refused.
error check_device(const device_choice& devices, const char* device, const sockaddr_storage& address);

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
