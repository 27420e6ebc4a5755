// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "transfer/link_record.hpp"

#include "transfer/little_endian.hpp"

#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

namespace {

constexpr std::size_t kind_at = 0;
constexpr std::size_t mtu_at = 1;
constexpr std::size_t reads_answered_at = 2;
constexpr std::size_t reads_begun_at = 3;
constexpr std::size_t queue_pair_at = 4;
constexpr std::size_t psn_at = 8;
constexpr std::size_t lid_at = 12;
constexpr std::size_t gid_at = 16;

constexpr std::uint32_t most_24_bits = 0xffffff;

}  // namespace

std::array<unsigned char, link_record_size> encode_link_record(const link_record& r) noexcept {
  std::array<unsigned char, link_record_size> bytes{};
  unsigned char* const to = bytes.data();
  to[kind_at] = r.datagram ? 1 : 0;
  to[mtu_at] = r.mtu;
  to[reads_answered_at] = r.reads_answered;
  to[reads_begun_at] = r.reads_begun;
  store_little(to + queue_pair_at, r.queue_pair);
  store_little(to + psn_at, r.psn);
  store_little(to + lid_at, r.lid);
  std::memcpy(to + gid_at, r.gid.data(), r.gid.size());
  return bytes;
}

std::optional<link_record> decode_link_record(const void* data, std::size_t size) noexcept {
  if (size < link_record_size) return std::nullopt;
  const auto* const from = static_cast<const unsigned char*>(data);
  link_record r;
  if (from[kind_at] > 1 || from[mtu_at] < 1 || from[mtu_at] > 5) return std::nullopt;
  r.datagram = from[kind_at] == 1;
  r.mtu = from[mtu_at];
  r.reads_answered = from[reads_answered_at];
  r.reads_begun = from[reads_begun_at];
  r.queue_pair = load_little<std::uint32_t>(from + queue_pair_at);
  r.psn = load_little<std::uint32_t>(from + psn_at);
  r.lid = load_little<std::uint16_t>(from + lid_at);
  std::memcpy(r.gid.data(), from + gid_at, r.gid.size());
  if (r.queue_pair == 0 || r.queue_pair > most_24_bits || r.psn > most_24_bits) return std::nullopt;
  return r;
}

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma
