// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_GID_TABLE_HPP
#define ASIO_RDMA_SRC_SOFT_GID_TABLE_HPP

#include <asio_rdma/detail/rdma_core.hpp>

#include <netinet/in.h>
#include <optional>
#include <vector>

// The GIDs of soft0 are the addresses of this host: those of IPv4 first, since most programs take index 0, the loopback
// addresses last of each family. An address keeps its index as long as the process lives, also while it is gone.
namespace asio_rdma {
inline namespace v1 {
namespace soft {

constexpr int gid_table_size = 256;

struct gid_row {
  ibv_gid gid{};
  unsigned interface = 0;
};

/// The table as it is now.
std::vector<gid_row> gid_table();
std::optional<ibv_gid> gid_at(int index);
/// -1 if there is none.
int index_of_gid(const ibv_gid& gid);

ibv_gid mapped_v4(in_addr_t address) noexcept;
bool is_mapped_v4(const ibv_gid& gid) noexcept;
bool is_multicast(const ibv_gid& gid) noexcept;
/// An address of this host, the whole of 127.0.0.0/8 included.
bool is_own_address(const ibv_gid& gid);

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
