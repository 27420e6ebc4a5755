// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_ADDRESS_HANDLE_HPP
#define ASIO_RDMA_SRC_SOFT_ADDRESS_HANDLE_HPP

#include <asio_rdma/detail/rdma_core.hpp>

#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

struct address_handle final : ibv_ah {
  ibv_ah_attr attributes{};
  ibv_gid from{};  // found when the handle is made: to look at the host's addresses takes some 20 us
};

inline address_handle* own(ibv_ah* ah) noexcept {
  return static_cast<address_handle*>(ah);
}

/// Fills the 40 bytes before a datagram as a RoCE v2 card does: an IPv6 header, or an IPv4 header in the last 20.
void fill_grh(const ibv_gid& from, const ibv_gid& to, std::uint32_t payload, std::uint8_t traffic_class,
              std::uint8_t hop_limit, ibv_grh& result) noexcept;

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
