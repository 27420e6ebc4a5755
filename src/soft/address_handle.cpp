// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/address_handle.hpp"

#include "soft/calls.hpp"
#include "soft/gid_table.hpp"
#include "soft/memory.hpp"

#include <arpa/inet.h>
#include <netinet/ip.h>

#include <cerrno>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

// The Internet checksum of an IPv4 header (RFC 1071).
std::uint16_t checksum(const iphdr& h) noexcept {
  std::uint16_t words[sizeof h / 2];
  std::memcpy(words, &h, sizeof h);
  std::uint32_t sum = 0;
  for (const std::uint16_t w : words) sum += w;
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

constexpr std::size_t v4_offset = sizeof(ibv_grh) - sizeof(iphdr);

}  // namespace

void fill_grh(const ibv_gid& from, const ibv_gid& to, std::uint32_t payload, std::uint8_t traffic_class,
              std::uint8_t hop_limit, ibv_grh& result) noexcept {
  std::memset(&result, 0, sizeof result);
  constexpr std::uint32_t udp = 8, base_header = 12, datagram_header = 8, check = 4;
  const auto length = static_cast<std::uint16_t>(udp + base_header + datagram_header + payload + check);
  if (is_mapped_v4(from)) {
    iphdr h{};
    h.version = 4;
    h.ihl = 5;
    h.tos = traffic_class;
    h.tot_len = htons(static_cast<std::uint16_t>(length + sizeof h));
    h.frag_off = htons(IP_DF);
    h.ttl = hop_limit;
    h.protocol = IPPROTO_UDP;
    std::memcpy(&h.saddr, from.raw + 12, 4);
    std::memcpy(&h.daddr, to.raw + 12, 4);
    h.check = checksum(h);
    std::memcpy(reinterpret_cast<unsigned char*>(&result) + v4_offset, &h, sizeof h);
    return;
  }
  result.version_tclass_flow = htonl(6u << 28 | std::uint32_t{traffic_class} << 20);
  result.paylen = htons(length);
  result.next_hdr = IPPROTO_UDP;
  result.hop_limit = hop_limit;
  result.sgid = from;
  result.dgid = to;
}

ibv_ah* create_ah(ibv_pd* pd, ibv_ah_attr* attributes) {
  const ibv_gid& to = attributes->grh.dgid;
  const std::optional<ibv_gid> from = gid_at(attributes->grh.sgid_index);
  if (attributes->is_global == 0 || attributes->port_num != 1 || !from) {
    errno = EINVAL;
    return nullptr;
  }
  if (!is_multicast(to) && !is_own_address(to)) {
    errno = EHOSTUNREACH;  // soft0 reaches this host only
    return nullptr;
  }
  auto* const result = new address_handle();
  result->context = pd->context;
  result->pd = pd;
  result->attributes = *attributes;
  result->from = *from;
  ++own(pd)->users;
  return result;
}

int init_ah_from_wc(ibv_context*, std::uint8_t port, ibv_wc* wc, ibv_grh* grh, ibv_ah_attr* attributes) {
  if ((wc->wc_flags & IBV_WC_GRH) == 0 || port != 1) return EINVAL;
  std::memset(attributes, 0, sizeof *attributes);
  iphdr v4{};
  std::memcpy(&v4, reinterpret_cast<const unsigned char*>(grh) + v4_offset, sizeof v4);
  ibv_gid from{}, to{};
  if (ntohl(grh->version_tclass_flow) >> 28 == 6) {
    from = grh->sgid;
    to = grh->dgid;
  } else if (v4.version == 4 && checksum(v4) == 0) {
    from = mapped_v4(v4.saddr);
    to = mapped_v4(v4.daddr);
  } else {
    return EINVAL;
  }
  const int index = index_of_gid(to);
  attributes->is_global = 1;
  attributes->port_num = port;
  attributes->grh.dgid = from;
  // What was sent to a group is answered from any address.
  attributes->grh.sgid_index = static_cast<std::uint8_t>(index >= 0 ? index : std::max(index_of_gid(from), 0));
  attributes->grh.hop_limit = 0xff;
  return 0;
}

ibv_ah* create_ah_from_wc(ibv_pd* pd, ibv_wc* wc, ibv_grh* grh, std::uint8_t port) {
  ibv_ah_attr attributes{};
  const int e = init_ah_from_wc(pd->context, port, wc, grh, &attributes);
  if (e != 0) {
    errno = e;
    return nullptr;
  }
  return create_ah(pd, &attributes);
}

int destroy_ah(ibv_ah* ah) {
  --own(ah->pd)->users;
  delete own(ah);
  return 0;
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
