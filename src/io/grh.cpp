// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/grh.hpp"

#include <netinet/in.h>
#include <netinet/ip.h>

#include <cstdint>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace io {

namespace {

constexpr std::size_t v4_at = grh_size - sizeof(iphdr);

/// The Internet checksum (RFC 1071): 0 over a header that holds its own.
std::uint16_t checksum(const std::byte* bytes, std::size_t size) noexcept {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < size; i += 2) {
    std::uint16_t word;
    std::memcpy(&word, bytes + i, sizeof word);
    sum += word;
  }
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

ibv_gid mapped_v4(std::uint32_t address) noexcept {
  ibv_gid result{};
  result.raw[10] = result.raw[11] = 0xff;
  std::memcpy(result.raw + 12, &address, sizeof address);
  return result;
}

}  // namespace

bool read_grh(const std::byte* header, grh_addresses& result) noexcept {
  iphdr v4;
  ibv_grh v6;
  std::memcpy(&v4, header + v4_at, sizeof v4);
  std::memcpy(&v6, header, sizeof v6);
  const bool may_be_v4 = v4.version == 4 && v4.ihl == 5;
  const bool may_be_v6 = ntohl(v6.version_tclass_flow) >> 28 == 6;
  // What lies before an IPv4 header may look like IPv6, and the middle of an IPv6 header like IPv4. Only then does the
  // sum decide: rxe leaves it out where a packet does not leave the host.
  if (may_be_v4 && (!may_be_v6 || checksum(header + v4_at, sizeof v4) == 0)) {
    result.from = mapped_v4(v4.saddr);
    result.to = mapped_v4(v4.daddr);
    return true;
  }
  if (!may_be_v6) return false;
  result.from = v6.sgid;
  result.to = v6.dgid;
  return true;
}

bool is_multicast(const ibv_gid& gid) noexcept {
  in6_addr v6;
  std::memcpy(&v6, gid.raw, sizeof v6);
  return gid.raw[0] == 0xff || (IN6_IS_ADDR_V4MAPPED(&v6) && gid.raw[12] >> 4 == 0xe);
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
