// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_ERROR_REFUSAL_HPP
#define ASIO_RDMA_SRC_ERROR_REFUSAL_HPP

#include <asio_rdma/detail/core/error.hpp>

#include <sys/socket.h>
#include <string>

namespace asio_rdma {
inline namespace v1 {
namespace core {

class text;

// What the device policy refuses. An error is a number, and its text needs a name or an address: the process remembers
// the first 256 of them, each once; an error for a later one does not name it. Thread-safe.

/// The policy names a device that this machine does not have. origin says where it does, as given_default has it;
/// empty: the program did.
error refuse_unknown_device(const std::string& name, const std::string& origin) noexcept;

/// An address, AF_INET or AF_INET6, that is not one of the device's that the policy names.
error refuse_other_device(const sockaddr& address, const std::string& device) noexcept;

/// An address that is not one of this host's, where the software device is used.
error refuse_other_host(const sockaddr& address) noexcept;

/// The library_error that such an error means: unknown_device, foreign_address or other_host.
library_error refusal_meaning(int value) noexcept;

/// Says what was refused, and what would work.
void describe_refusal(int value, text& out);

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
