// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/gid_table.hpp"

#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

bool is_same(const ibv_gid& a, const ibv_gid& b) noexcept {
  return std::memcmp(a.raw, b.raw, sizeof a.raw) == 0;
}

bool is_loopback(const ibv_gid& gid) noexcept {
  return is_mapped_v4(gid) ? gid.raw[12] == IN_LOOPBACKNET
                           : IN6_IS_ADDR_LOOPBACK(reinterpret_cast<const in6_addr*>(gid.raw)) != 0;
}

std::vector<gid_row> addresses_now() {
  std::vector<gid_row> result;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return result;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, &::freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (!entry->ifa_addr) continue;
    gid_row row;
    row.interface = ::if_nametoindex(entry->ifa_name);
    if (entry->ifa_addr->sa_family == AF_INET) {
      row.gid = mapped_v4(reinterpret_cast<const sockaddr_in*>(entry->ifa_addr)->sin_addr.s_addr);
    } else if (entry->ifa_addr->sa_family == AF_INET6) {
      std::memcpy(row.gid.raw, &reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr)->sin6_addr, 16);
    } else {
      continue;
    }
    result.push_back(row);
  }
  const auto rank = [](const gid_row& r) { return (is_mapped_v4(r.gid) ? 0 : 2) + (is_loopback(r.gid) ? 1 : 0); };
  std::stable_sort(result.begin(), result.end(),
                   [rank](const gid_row& a, const gid_row& b) { return rank(a) < rank(b); });
  return result;
}

}  // namespace

std::vector<gid_row> gid_table() {
  static std::mutex& mutex = *new std::mutex;
  static std::vector<gid_row>& table = *new std::vector<gid_row>;
  const std::vector<gid_row> now = addresses_now();
  const std::lock_guard<std::mutex> lock(mutex);
  for (const gid_row& row : now) {
    const bool is_known =
        std::any_of(table.begin(), table.end(), [&](const gid_row& known) { return is_same(known.gid, row.gid); });
    if (!is_known && table.size() < gid_table_size) table.push_back(row);
  }
  return table;
}

std::optional<ibv_gid> gid_at(int index) {
  const std::vector<gid_row> table = gid_table();
  if (index < 0 || static_cast<std::size_t>(index) >= table.size()) return std::nullopt;
  return table[static_cast<std::size_t>(index)].gid;
}

int index_of_gid(const ibv_gid& gid) {
  const std::vector<gid_row> table = gid_table();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const gid_row& row) { return is_same(row.gid, gid); });
  return found == table.end() ? -1 : static_cast<int>(found - table.begin());
}

ibv_gid mapped_v4(in_addr_t address) noexcept {
  ibv_gid result{};
  result.raw[10] = result.raw[11] = 0xff;
  std::memcpy(result.raw + 12, &address, sizeof address);
  return result;
}

bool is_mapped_v4(const ibv_gid& gid) noexcept {
  return IN6_IS_ADDR_V4MAPPED(reinterpret_cast<const in6_addr*>(gid.raw)) != 0;
}

bool is_multicast(const ibv_gid& gid) noexcept {
  return gid.raw[0] == 0xff || (is_mapped_v4(gid) && gid.raw[12] >> 4 == 0xe);
}

bool is_own_address(const ibv_gid& gid) {
  return (is_mapped_v4(gid) && is_loopback(gid)) || index_of_gid(gid) >= 0;
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
