// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SOCKET_HEAP_COUNTER_HPP
#define ASIO_RDMA_TEST_SOCKET_HEAP_COUNTER_HPP

#include <cstddef>

/// How often this thread has taken memory from the heap by new, so far.
std::size_t heap_allocations() noexcept;

#endif
