// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_TRANSFER_HANDSHAKE_HEADER_HPP
#define ASIO_RDMA_SRC_TRANSFER_HANDSHAKE_HEADER_HPP

#include "transfer/handshake.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

// The first eight bytes have the same meaning in handshakes, rejects and greetings of all versions: they must tell who
// speaks, and which versions, to ends that have none in common.
inline constexpr unsigned char magic[4] = {'A', 'R', 'D', 'M'};
inline constexpr std::size_t length_at = 4;
inline constexpr std::size_t lowest_at = 5;
inline constexpr std::size_t highest_at = 6;
inline constexpr std::size_t mode_at = 7;
inline constexpr std::size_t header_size = 8;

inline void write_header(unsigned char* to, std::size_t length, version_range versions,
                         std::uint8_t mode_number) noexcept {
  std::memcpy(to, magic, sizeof magic);
  to[length_at] = static_cast<unsigned char>(length);
  to[lowest_at] = versions.lowest;
  to[highest_at] = versions.highest;
  to[mode_at] = mode_number;
}

inline bool has_magic(const unsigned char* bytes, std::size_t size) noexcept {
  return size >= sizeof magic && std::memcmp(bytes, magic, sizeof magic) == 0;
}

/// Looks at everything before the mode.
inline handshake_error check_header(const unsigned char* bytes, std::size_t size, version_range ours) noexcept {
  if (!has_magic(bytes, size)) return handshake_error::not_ours;
  if (size < header_size || bytes[length_at] < header_size) return handshake_error::truncated;
  const version_range theirs{bytes[lowest_at], bytes[highest_at]};
  if (theirs.lowest == 0 || theirs.lowest > theirs.highest) return handshake_error::bad_versions;
  // Before anything else is looked at: what lies behind the header is another protocol's if there is none in common.
  return choose_version(theirs, ours) ? handshake_error::none : handshake_error::incompatible_version;
}

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
