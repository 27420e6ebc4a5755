// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_HANDSHAKE_HPP
#define ASIO_RDMA_TRANSFER_HANDSHAKE_HPP

#include "transfer/message.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

/// Protocol versions, both ends included; 1 <= lowest <= highest.
struct version_range {
  std::uint8_t lowest = 1;
  std::uint8_t highest = 1;
};

/// What this library speaks.
inline constexpr version_range supported_versions{1, 1};

/// The highest version that both ranges hold, if any.
std::optional<std::uint8_t> choose_version(version_range a, version_range b) noexcept;

/// What the client asked to connect to, where that was loopback: the connection runs over another address of the host,
/// and both ends report loopback.
enum class loopback : std::uint8_t { none = 0, v4 = 1, v6 = 2 };

/// What each end tells the other before the first byte, in the private data of connect and of accept.
struct handshake {
  version_range versions = supported_versions;
  transfer::mode mode = transfer::mode::stream;
  std::uint32_t features = 0;        ///< bits of feature; unknown ones are kept
  std::uint32_t ring_size = 0;       ///< bytes, a power of two from min_ring_size to max_ring_size; 0 in raw mode
  std::uint16_t queue_depth = 0;     ///< receives kept posted, min_queue_depth to max_queue_depth
  std::uint32_t max_chunk = 0;       ///< longest data message taken, min_chunk to max_ring_size
  std::uint64_t ring_address = 0;    ///< where the peer writes data
  std::uint32_t ring_key = 0;        ///< and its remote key
  std::uint64_t mirror_address = 0;  ///< where the peer writes the text of control messages; a multiple of 64
  std::uint32_t mirror_key = 0;      ///< and its remote key
  transfer::loopback loopback = transfer::loopback::none;  ///< in connect only
  std::uint32_t loopback_v4 = 0;  ///< for loopback::v4 the address asked for, in 127.0.0.0/8, in host order
  bool asked_v6 = false;          ///< the client's socket is of the IPv6 family; in connect only
};

inline constexpr std::uint32_t min_ring_size = 4u << 10;
inline constexpr std::uint32_t max_ring_size = 64u << 20;
inline constexpr std::uint16_t min_queue_depth = 16;
inline constexpr std::uint16_t max_queue_depth = 8192;
inline constexpr std::uint32_t min_chunk = 1024;

/// Whether a peer may have such a ring.
bool is_possible(const ring_offer& r) noexcept;

/// Bytes of the first version's handshake. Later ones append, up to max_handshake_size, what RDMA_PS_TCP leaves of a
/// connect's private data.
inline constexpr std::size_t handshake_size = 48;
inline constexpr std::size_t max_handshake_size = 56;

/// Why a handshake cannot be accepted, in the order in which it is looked for.
enum class handshake_error : std::uint8_t {
  none,
  not_ours,              ///< no magic: the peer is another program
  truncated,             ///< shorter than it says, or than its version needs
  bad_versions,          ///< a range that holds no version
  incompatible_version,  ///< no version in common; the peer's range is known
  bad_mode,
  out_of_range,  ///< a size, depth, chunk, address or flag that the protocol excludes
};

struct handshake_result {
  handshake value;  ///< versions are valid from incompatible_version on, mode from out_of_range on, the rest with none
  handshake_error error = handshake_error::none;
  explicit operator bool() const noexcept { return error == handshake_error::none; }
};

/// The values must be in range.
std::array<unsigned char, handshake_size> encode_handshake(const handshake& h) noexcept;

/// Reads private data of any size; a connection manager pads it. What a later version appended is ignored.
handshake_result decode_handshake(const void* data, std::size_t size, version_range ours = supported_versions) noexcept;

/// What holds for a connection after both handshakes: both ends compute the same.
struct agreement {
  std::uint8_t version = 0;
  std::uint32_t features = 0;
  std::uint32_t max_chunk = 0;  ///< the smaller one of both, for both directions
};

/// Nothing if the modes differ or no version is common.
std::optional<agreement> agree(const handshake& a, const handshake& b) noexcept;

/// Why a listener refused. Numbers never change; ones not listed may come from later versions.
enum class reject_reason : std::uint8_t {
  backlog_full = 1,
  out_of_resources = 2,  ///< no memory, file descriptors or queue pairs
  incompatible_version = 3,
  mode_mismatch = 4,
  not_ours = 5,       ///< the request carried no handshake of ours
  bad_handshake = 6,  ///< it carried one with values that the protocol excludes
  not_loopback = 7,   ///< the listener is bound to loopback and the client is on another host
  closing = 8,        ///< the listener was closed while the request waited
};

/// The private data of a reject.
struct reject {
  version_range versions = supported_versions;
  std::uint8_t mode = 0;  ///< the listener's, a number of transfer::mode
  reject_reason reason = reject_reason::out_of_resources;
};

inline constexpr std::size_t reject_size = 9;

std::array<unsigned char, reject_size> encode_reject(const reject& r) noexcept;
/// That of a listener of this version.
std::array<unsigned char, reject_size> encode_reject(mode listener, reject_reason reason) noexcept;

/// Nothing if the private data is not ours: the reject then comes from another program, or from the connection manager.
std::optional<reject> decode_reject(const void* data, std::size_t size) noexcept;

/// The reason to give for a handshake that could not be accepted; error is not none.
reject_reason reason_for(handshake_error error) noexcept;

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
