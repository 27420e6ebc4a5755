// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "transfer/datagram.hpp"

#include "transfer/handshake_header.hpp"
#include "transfer/little_endian.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace transfer {
namespace {

constexpr unsigned char datagram_magic[2] = {'A', 'D'};
constexpr unsigned char datagram_version = 1;
constexpr std::size_t version_at = 2;
constexpr std::size_t header_flags_at = 3;
constexpr std::size_t source_port_at = 4;
constexpr std::size_t destination_port_at = 6;

constexpr std::uint8_t datagram_mode = 4;
constexpr std::size_t greeting_flags_at = 8;
constexpr std::size_t largest_payload_at = 10;

constexpr unsigned char loopback_v4_flag = 1;
constexpr unsigned char loopback_v6_flag = 2;
constexpr unsigned char not_to_own_host_flag = 4;

unsigned char flags_of(loopback asked) noexcept {
  return asked == loopback::v4 ? loopback_v4_flag : asked == loopback::v6 ? loopback_v6_flag : 0;
}

/// False if both flags are set.
bool read_flags(unsigned char flags, loopback& asked) noexcept {
  const bool v4 = (flags & loopback_v4_flag) != 0;
  const bool v6 = (flags & loopback_v6_flag) != 0;
  asked = v4 ? loopback::v4 : v6 ? loopback::v6 : loopback::none;
  return !(v4 && v6);
}

}  // namespace

datagram_header_text encode_datagram_header(const datagram_header& h) noexcept {
  datagram_header_text bytes{};
  bytes[0] = datagram_magic[0];
  bytes[1] = datagram_magic[1];
  bytes[version_at] = datagram_version;
  bytes[header_flags_at] = flags_of(h.asked_loopback);
  if (h.not_to_own_host) bytes[header_flags_at] |= not_to_own_host_flag;
  store_little(bytes.data() + source_port_at, h.source_port);
  store_little(bytes.data() + destination_port_at, h.destination_port);
  return bytes;
}

std::optional<datagram_header> decode_datagram_header(const unsigned char* bytes, std::size_t size) noexcept {
  if (size < datagram_header::size || std::memcmp(bytes, datagram_magic, sizeof datagram_magic) != 0 ||
      bytes[version_at] != datagram_version) {
    return std::nullopt;
  }
  datagram_header h;
  if (!read_flags(bytes[header_flags_at], h.asked_loopback)) return std::nullopt;
  h.not_to_own_host = (bytes[header_flags_at] & not_to_own_host_flag) != 0;
  h.source_port = load_little<std::uint16_t>(bytes + source_port_at);
  h.destination_port = load_little<std::uint16_t>(bytes + destination_port_at);
  if (h.source_port == 0) return std::nullopt;
  return h;
}

datagram_greeting_text encode_datagram_greeting(const datagram_greeting& g) noexcept {
  datagram_greeting_text bytes{};
  write_header(bytes.data(), datagram_greeting_size, supported_versions, datagram_mode);
  bytes[greeting_flags_at] = flags_of(g.asked_loopback);
  store_little(bytes.data() + largest_payload_at, g.largest_payload);
  return bytes;
}

datagram_greeting_result decode_datagram_greeting(const unsigned char* bytes, std::size_t size) noexcept {
  datagram_greeting_result result;
  result.error = check_header(bytes, size, supported_versions);
  if (!result) return result;
  if (bytes[mode_at] != datagram_mode) {
    result.error = handshake_error::bad_mode;
  } else if (size < datagram_greeting_size || bytes[length_at] < datagram_greeting_size) {
    result.error = handshake_error::truncated;
  } else if (!read_flags(bytes[greeting_flags_at], result.value.asked_loopback)) {
    result.error = handshake_error::out_of_range;
  } else {
    result.value.largest_payload = load_little<std::uint16_t>(bytes + largest_payload_at);
  }
  return result;
}

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma
