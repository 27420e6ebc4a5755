// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_LOG_LOG_HPP
#define ASIO_RDMA_SRC_LOG_LOG_HPP

#include <asio_rdma/log.hpp>

namespace asio_rdma {
inline namespace v1 {

/// Formats a line and hands it to the user's log function, if that wants the level. Costs one load otherwise.
[[gnu::format(printf, 2, 3)]] void log(log_level level, const char* format, ...) noexcept;

}  // namespace v1
}  // namespace asio_rdma

#endif
