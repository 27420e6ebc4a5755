// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_VERBS_RDMA_CORE_LIBRARY_HPP
#define ASIO_RDMA_SRC_VERBS_RDMA_CORE_LIBRARY_HPP

#include <asio_rdma/detail/core/config.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// Loads libibverbs.so.1 and librdmacm.so.1 when it is first called, for good and for the whole process, as if the
/// program were linked to them. Null, or a sentence without its stop that says why they cannot be loaded and what to
/// do. Thread-safe.
ASIO_RDMA_DECL const char* load_rdma_core() noexcept;

/// A function of these libraries of that version, or the one that a preloaded library has in its place; null where
/// there is none. Thread-safe.
void* find_rdma_core(const char* name, const char* version) noexcept;

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
