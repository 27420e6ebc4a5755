// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_LINK_RECORD_HPP
#define ASIO_RDMA_TRANSFER_LINK_RECORD_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

/// What an end has to know to reach the other's queue pair, where no connection manager says it: it follows the
/// handshake (doc/wire.md).
struct link_record {
  bool datagram = false;
  std::uint8_t mtu = 1;             ///< an ibv_mtu: 128 << mtu bytes, 1..5
  std::uint8_t reads_answered = 0;  ///< reads and atomics of the peer at a time
  std::uint8_t reads_begun = 0;     ///< own ones at a time
  std::uint32_t queue_pair = 0;     ///< 24 bits
  std::uint32_t psn = 0;            ///< of the first packet, 24 bits
  std::uint16_t lid = 0;            ///< InfiniBand; 0 elsewhere
  std::array<unsigned char, 16> gid = {};
};

inline constexpr std::size_t link_record_size = 48;

std::array<unsigned char, link_record_size> encode_link_record(const link_record& r) noexcept;

/// Nothing if a field is out of range.
std::optional<link_record> decode_link_record(const void* data, std::size_t size) noexcept;

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
