// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_HUGE_PAGES_HPP
#define ASIO_RDMA_SRC_IO_HUGE_PAGES_HPP

#include "io/memory_block.hpp"

#include <asio_rdma/detail/core/error.hpp>

#include <cstddef>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// Memory on huge pages; length is rounded up to whole ones. An error that names the remedy if there are not enough.
core::error allocate_huge_pages(std::size_t& length, memory_block& result);

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
