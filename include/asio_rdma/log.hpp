// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_LOG_HPP
#define ASIO_RDMA_LOG_HPP

#include <asio_rdma/detail/core/config.hpp>

namespace asio_rdma {
inline namespace v1 {

/// How much a log message matters.
enum class log_level : int {
  debug,    ///< for whoever changes the library; it has no such messages yet
  info,     ///< what goes its way; it has no such messages yet
  warning,  ///< what goes on, though not as it was asked for, or ends a connection
  error     ///< what fails without anybody who could be told
};

/// What receives log messages: level, one line of text without a line end, and the context given to set_log().
/// Called from any thread, internal ones included, while internal locks may be held: it must not call into asio_rdma
/// and should not block.
using log_function = void (*)(log_level level, const char* text, void* context);

/// Sends what the library has to say, from the given level on, to a function; null turns it off, which is the default:
/// the library itself writes to no stream. When set_log() returns, the former function is no longer running.
/// Thread-safe.
ASIO_RDMA_DECL void set_log(log_function function, void* context = nullptr, log_level from = log_level::info) noexcept;

} // namespace v1
} // namespace asio_rdma

#endif
