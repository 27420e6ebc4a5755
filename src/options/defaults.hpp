// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_OPTIONS_DEFAULTS_HPP
#define ASIO_RDMA_SRC_OPTIONS_DEFAULTS_HPP

#include "options/option_table.hpp"
#include "options/settings.hpp"

#include <asio_rdma/detail/core/error.hpp>

#include <optional>
#include <string>

namespace asio_rdma {
inline namespace v1 {
namespace core {

// What whoever starts a process wants in place of the defaults of the table: environment variables ASIO_RDMA_<OPTION>,
// and below them the lines of the file that ASIO_RDMA_CONFIG names. Programs that run with more rights than their
// user's (setuid) look at neither.

/// A default, and where it stands.
struct given_default {
  std::string value;
  std::string origin;  ///< "environment variable ASIO_RDMA_DEVICE", "/etc/asio_rdma.conf:3"
};

/// The default that is given for an option, if there is one. The environment is asked anew each time, the file is read
/// once. Thread-safe; throws std::bad_alloc.
std::optional<given_default> find_default(const option_entry& o);

/// What a socket begins with. Read once; thread-safe; throws std::bad_alloc.
const settings& default_settings();

/// The first thing that is wrong in environment or file: sockets cannot be used before it is put right. Text options
/// are checked where they are used. As default_settings().
error check_defaults();

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
