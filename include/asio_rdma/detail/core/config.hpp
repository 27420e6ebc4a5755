// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_CORE_CONFIG_HPP
#define ASIO_RDMA_DETAIL_CORE_CONFIG_HPP

// Systems that cannot have RDMA by this library: sockets are there, and opening one gives operation_not_supported. Raw
// connections and the verbs classes are not.
#if !defined(__linux__) && !defined(ASIO_RDMA_STUB)
#define ASIO_RDMA_STUB
#endif

// Marks what the compiled core offers to the headers. Everything else in the library is hidden.
#ifdef _WIN32
#define ASIO_RDMA_DECL
#else
#define ASIO_RDMA_DECL __attribute__((visibility("default")))
#endif

// Everything lives in the inline namespace asio_rdma::v1. It changes together with the soname, when a program built
// against the old headers could no longer work with the new library.

#endif
