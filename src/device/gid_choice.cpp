// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "device/gid_choice.hpp"

#include "io/verbs_error.hpp"
#include "socket/address.hpp"

#include <asio_rdma/verbs/context.hpp>

#include <netinet/in.h>

#include <cerrno>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

in6_addr as_gid(const sockaddr_storage& address) noexcept {
  const sockaddr_storage v6 = mapped(address);
  return reinterpret_cast<const sockaddr_in6&>(v6).sin6_addr;
}

int rank(const ibv_gid_entry& entry, const in6_addr& own) noexcept {
  in6_addr gid;
  std::memcpy(&gid, entry.gid.raw, sizeof gid);
  int result = 1;
  if (std::memcmp(&gid, &own, sizeof gid) == 0) result += 8;
  if (!IN6_IS_ADDR_LINKLOCAL(&gid)) result += 1;
  if (entry.gid_type == IBV_GID_TYPE_ROCE_V2) result += 4;
  if (entry.gid_type == IBV_GID_TYPE_IB) result += 2;
  return result;
}

}  // namespace

error choose_gid(const device_choice& devices, const sockaddr_storage& own_address, int port, int index,
                 gid_choice& result) {
  verbs::error_code ec;
  const auto list = verbs::device_list::get(ec, *devices.table);
  if (ec) return io::to_error(ec);
  const in6_addr own = as_gid(own_address);
  int best = 0;
  for (ibv_device* const device : list) {
    const char* const name = list.name(device);
    if (!devices.allows(name)) continue;
    const auto context = verbs::context::open(device, ec, *devices.table);
    if (ec) continue;
    for (const ibv_gid_entry& entry : context.query_gid_table(ec)) {
      const auto its_port = static_cast<std::uint8_t>(entry.port_num);
      if ((port != 0 && its_port != port) || (index >= 0 && static_cast<int>(entry.gid_index) != index)) continue;
      const int r = rank(entry, own);
      if (r <= best || context.query_port(its_port, ec).state != IBV_PORT_ACTIVE) continue;
      best = r;
      result = {name, its_port, static_cast<int>(entry.gid_index), entry.gid};
    }
  }
  return best != 0 ? error() : error(ENODEV);
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
