// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_POWER_OF_TWO_HPP
#define ASIO_RDMA_SRC_SOFT_POWER_OF_TWO_HPP

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// The least power of two that is not below.
template <class Unsigned>
constexpr Unsigned power_of_two(Unsigned at_least) noexcept {
  Unsigned result = 1;
  while (result < at_least) result *= 2;
  return result;
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
