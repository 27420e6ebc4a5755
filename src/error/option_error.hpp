// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_ERROR_OPTION_ERROR_HPP
#define ASIO_RDMA_SRC_ERROR_OPTION_ERROR_HPP

#include <asio_rdma/detail/core/error.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace core {

class text;

// What is wrong with socket options, and with requests of raw connections. An error is a number, and its text needs
// names and values: the process remembers the first 256 of them, each once; an error for a later one does not say
// which. Thread-safe.

/// A default of an option, from the environment or a file, is wrong: what says where it stands, and what is allowed.
error refuse_default(const char* what) noexcept;

/// A device or the connection manager cannot do what an option asks for; what says that, and the remedy.
error refuse_option(const char* what) noexcept;

/// A request, or what is done with a connection, is wrong in itself; what says why, and the remedy.
error refuse_use(const char* what) noexcept;

/// The library_error that such an error means: bad_default, option_refused or misuse.
library_error option_error_meaning(int value) noexcept;

void describe_option_error(int value, text& out);

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
