// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_MEMLOCK_HPP
#define ASIO_RDMA_SRC_SOFT_MEMLOCK_HPP

#include <cstddef>

// soft0 pins nothing. Where ASIO_RDMA_SOFT_MEMLOCK is set (to anything but 0), registering counts against the process's
// RLIMIT_MEMLOCK all the same, as it does on a card, so that a program can be tried out for it.
namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace memlock {

constexpr std::size_t refused = ~std::size_t{0};

/// The bytes of whole pages that were counted, for discharge(); 0 where nothing is counted.
std::size_t charge(const void* address, std::size_t length) noexcept;
void discharge(std::size_t charged) noexcept;
/// Whether so many bytes more would be refused now.
bool is_beyond_limit(std::size_t bytes) noexcept;

}  // namespace memlock
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
