// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_ERROR_FOREIGN_ADDRESS_HPP
#define ASIO_RDMA_SRC_ERROR_FOREIGN_ADDRESS_HPP

#include <asio_rdma/detail/core/error.hpp>

#include <sys/socket.h>
#include <string>

namespace asio_rdma {
inline namespace v1 {
namespace core {

class text;

/// The error that says that an address, AF_INET or AF_INET6, belongs to no RDMA device. The process remembers the first
/// 1024 of them, each once, whatever its port; an error for a later one does not name its address. Thread-safe.
error intern_foreign_address(const sockaddr& address) noexcept;

/// Names the address of such an error, the interface that has it, and the addresses that would work.
void describe_foreign_address(int value, text& out);

/// Adds the addresses of this host that RDMA devices carry, or the one of that name if it is not empty.
void describe_usable_addresses(text& out, const std::string& device = {});

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
