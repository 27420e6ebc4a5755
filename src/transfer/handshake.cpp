// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "transfer/handshake.hpp"

#include "transfer/extent.hpp"
#include "transfer/handshake_header.hpp"
#include "transfer/little_endian.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {
namespace {

constexpr std::size_t features_at = 8;
constexpr std::size_t flags_at = 12;
constexpr std::size_t ring_size_log2_at = 13;
constexpr std::size_t queue_depth_at = 14;
constexpr std::size_t max_chunk_at = 16;
constexpr std::size_t ring_key_at = 20;
constexpr std::size_t ring_address_at = 24;
constexpr std::size_t mirror_address_at = 32;
constexpr std::size_t mirror_key_at = 40;
constexpr std::size_t loopback_v4_at = 44;

constexpr std::size_t reason_at = 8;

constexpr unsigned char loopback_v4_flag = 1;
constexpr unsigned char loopback_v6_flag = 2;
constexpr unsigned char asked_v6_flag = 4;

unsigned char log2_of(std::uint32_t power_of_two) noexcept {
  unsigned char n = 0;
  while (power_of_two >>= 1) ++n;
  return n;
}

// A region that wraps around the address space is not one.
bool is_region(std::uint64_t address, std::uint64_t size) noexcept {
  return address != 0 && address + size > address;
}

bool flags_in_range(const handshake& h, unsigned char flags) noexcept {
  constexpr unsigned char both = loopback_v4_flag | loopback_v6_flag;
  if ((flags & both) == both) return false;
  const bool in_127 = h.loopback_v4 >> 24 == 127;
  return h.loopback == loopback::v4 ? in_127 : h.loopback_v4 == 0;
}

bool memory_in_range(const handshake& h) noexcept {
  return is_possible(ring_offer{h.ring_address, h.ring_key, h.ring_size}) && h.queue_depth >= min_queue_depth &&
         h.queue_depth <= max_queue_depth && h.max_chunk >= min_chunk && h.max_chunk <= max_ring_size &&
         is_region(h.mirror_address, mirror_size) && h.mirror_address % mirror_slot_size == 0;
}

}  // namespace

bool is_possible(const ring_offer& r) noexcept {
  return r.size >= min_ring_size && r.size <= max_ring_size && is_region(r.address, r.size);
}

std::optional<std::uint8_t> choose_version(version_range a, version_range b) noexcept {
  const std::uint8_t highest = std::min(a.highest, b.highest);
  if (highest < std::max(a.lowest, b.lowest)) return std::nullopt;
  return highest;
}

std::array<unsigned char, handshake_size> encode_handshake(const handshake& h) noexcept {
  assert(h.versions.lowest != 0 && h.versions.lowest <= h.versions.highest);
  assert((h.ring_size == 0 || is_power_of_two(h.ring_size)));
  std::array<unsigned char, handshake_size> bytes{};
  unsigned char* const to = bytes.data();
  write_header(to, handshake_size, h.versions, static_cast<std::uint8_t>(h.mode));
  store_little(to + features_at, h.features);
  unsigned char flags = 0;
  if (h.loopback == loopback::v4) flags |= loopback_v4_flag;
  if (h.loopback == loopback::v6) flags |= loopback_v6_flag;
  if (h.asked_v6) flags |= asked_v6_flag;
  to[flags_at] = flags;
  to[ring_size_log2_at] = log2_of(h.ring_size);
  store_little(to + queue_depth_at, h.queue_depth);
  store_little(to + max_chunk_at, h.max_chunk);
  store_little(to + ring_key_at, h.ring_key);
  store_little(to + ring_address_at, h.ring_address);
  store_little(to + mirror_address_at, h.mirror_address);
  store_little(to + mirror_key_at, h.mirror_key);
  store_little(to + loopback_v4_at, h.loopback_v4);
  return bytes;
}

handshake_result decode_handshake(const void* data, std::size_t size, version_range ours) noexcept {
  const auto* const from = static_cast<const unsigned char*>(data);
  handshake_result result;
  handshake& h = result.value;
  const auto failed = [&result](handshake_error e) {
    result.error = e;
    return result;
  };

  const handshake_error header = check_header(from, size, ours);
  if (header == handshake_error::not_ours || header == handshake_error::truncated) return failed(header);
  h.versions = {from[lowest_at], from[highest_at]};
  if (header != handshake_error::none) return failed(header);
  if (from[mode_at] < static_cast<std::uint8_t>(mode::stream) || from[mode_at] > static_cast<std::uint8_t>(mode::raw)) {
    return failed(handshake_error::bad_mode);
  }
  h.mode = static_cast<mode>(from[mode_at]);
  if (size < from[length_at] || from[length_at] < handshake_size) return failed(handshake_error::truncated);

  h.features = load_little<std::uint32_t>(from + features_at);
  const unsigned char flags = from[flags_at];
  if (flags & loopback_v4_flag) h.loopback = loopback::v4;
  if (flags & loopback_v6_flag) h.loopback = loopback::v6;
  h.asked_v6 = (flags & asked_v6_flag) != 0;
  const unsigned log2 = from[ring_size_log2_at];
  if (log2 > log2_of(max_ring_size)) return failed(handshake_error::out_of_range);
  h.ring_size = log2 == 0 ? 0 : std::uint32_t{1} << log2;
  h.queue_depth = load_little<std::uint16_t>(from + queue_depth_at);
  h.max_chunk = load_little<std::uint32_t>(from + max_chunk_at);
  h.ring_key = load_little<std::uint32_t>(from + ring_key_at);
  h.ring_address = load_little<std::uint64_t>(from + ring_address_at);
  h.mirror_address = load_little<std::uint64_t>(from + mirror_address_at);
  h.mirror_key = load_little<std::uint32_t>(from + mirror_key_at);
  h.loopback_v4 = load_little<std::uint32_t>(from + loopback_v4_at);

  // A raw connection has no ring of ours; its ends know their memory from elsewhere.
  const bool ringless = h.mode == mode::raw && h.ring_size == 0;
  if (!flags_in_range(h, flags) || !(ringless || memory_in_range(h))) return failed(handshake_error::out_of_range);
  return result;
}

std::optional<agreement> agree(const handshake& a, const handshake& b) noexcept {
  const std::optional<std::uint8_t> version = choose_version(a.versions, b.versions);
  if (!version || a.mode != b.mode) return std::nullopt;
  return agreement{*version, a.features & b.features, std::min(a.max_chunk, b.max_chunk)};
}

std::array<unsigned char, reject_size> encode_reject(const reject& r) noexcept {
  std::array<unsigned char, reject_size> bytes{};
  write_header(bytes.data(), reject_size, r.versions, r.mode);
  bytes[reason_at] = static_cast<unsigned char>(r.reason);
  return bytes;
}

std::array<unsigned char, reject_size> encode_reject(mode listener, reject_reason reason) noexcept {
  reject r;
  r.mode = static_cast<std::uint8_t>(listener);
  r.reason = reason;
  return encode_reject(r);
}

std::optional<reject> decode_reject(const void* data, std::size_t size) noexcept {
  const auto* const from = static_cast<const unsigned char*>(data);
  if (!has_magic(from, size) || size < reject_size || from[length_at] < reject_size) return std::nullopt;
  reject r;
  r.versions = {from[lowest_at], from[highest_at]};
  r.mode = from[mode_at];
  r.reason = static_cast<reject_reason>(from[reason_at]);
  return r;
}

reject_reason reason_for(handshake_error error) noexcept {
  switch (error) {
    case handshake_error::not_ours:
      return reject_reason::not_ours;
    case handshake_error::incompatible_version:
      return reject_reason::incompatible_version;
    case handshake_error::bad_mode:
      return reject_reason::mode_mismatch;
    case handshake_error::none:
    case handshake_error::truncated:
    case handshake_error::bad_versions:
    case handshake_error::out_of_range:
      break;
  }
  return reject_reason::bad_handshake;
}

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma
