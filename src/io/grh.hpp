// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_GRH_HPP
#define ASIO_RDMA_SRC_IO_GRH_HPP

#include <asio_rdma/detail/rdma_core.hpp>

#include <cstddef>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// Bytes that every receive of a datagram begins with, whether they mean anything or not.
constexpr std::size_t grh_size = sizeof(ibv_grh);

/// Where a datagram came from and went to. IPv4 addresses are mapped into IPv6.
struct grh_addresses {
  ibv_gid from;
  ibv_gid to;
};

/// Reads the network's header. RoCE v2 over IPv4 puts an IPv4 header into the last 20 of the 40 bytes and leaves the
/// others undefined. False if it is neither.
bool read_grh(const std::byte* header, grh_addresses& result) noexcept;

/// 224.0.0.0/4 (mapped) and ff00::/8.
bool is_multicast(const ibv_gid& gid) noexcept;

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
