// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_CARRIER_HPP
#define ASIO_RDMA_SRC_SOCKET_CARRIER_HPP

#include <asio_rdma/detail/core/error.hpp>

#include <sys/socket.h>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// The address that carries one the user asked for. No RDMA device owns loopback, so that it is carried on an address
/// of a local port: of the same family if there is one. Other addresses carry themselves; mapped ones as IPv4. As a
/// destination, the unspecified address means loopback, as TCP has it.
error carrier_of(const sockaddr_storage& asked, bool is_destination, sockaddr_storage& result);

/// What an error of binding to an address, or of resolving one, really means: the connection manager says ENODEV for an
/// address of this host that no RDMA device owns, as it does for a peer that is reached by such an interface.
error explain_bind_error(error e, const sockaddr_storage& address);
error explain_resolve_error(error e, const sockaddr_storage& destination);

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
