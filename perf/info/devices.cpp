// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "report.hpp"

#include <asio_rdma/verbs/verbs.hpp>

#include <arpa/inet.h>
#include <endian.h>
#include <net/if.h>

#include <cstdio>

namespace verbs = asio_rdma::verbs;

namespace info {

namespace {

std::string text_of(const ibv_gid& gid) {
  char result[INET6_ADDRSTRLEN];
  return ::inet_ntop(AF_INET6, gid.raw, result, sizeof result);
}

/// A GID of RoCE is an IPv6 address, or an IPv4 address mapped into one; one of InfiniBand stands for none.
std::string address_of(const ibv_gid_entry& e) {
  if (e.gid_type == IBV_GID_TYPE_IB) return {};
  const auto& v6 = reinterpret_cast<const in6_addr&>(e.gid);
  if (!IN6_IS_ADDR_V4MAPPED(&v6)) return text_of(e.gid);
  char result[INET_ADDRSTRLEN];
  return ::inet_ntop(AF_INET, e.gid.raw + 12, result, sizeof result);
}

const char* type_name(std::uint32_t type) {
  switch (type) {
    case IBV_GID_TYPE_IB:
      return "IB";
    case IBV_GID_TYPE_ROCE_V1:
      return "RoCE v1";
    case IBV_GID_TYPE_ROCE_V2:
      return "RoCE v2";
    default:
      return "unknown";
  }
}

const char* link_layer_name(std::uint8_t layer) {
  switch (layer) {
    case IBV_LINK_LAYER_INFINIBAND:
      return "InfiniBand";
    case IBV_LINK_LAYER_ETHERNET:
      return "Ethernet";
    default:
      return "unspecified";
  }
}

/// Gb/s of a lane and number of lanes, as they are coded in ibv_port_attr (IBTA 14.2.5.6).
double lane_gigabits(std::uint8_t speed) {
  switch (speed) {
    case 1:
      return 2.5;
    case 2:
      return 5;
    case 4:
    case 8:
      return 10;
    case 16:
      return 14;
    case 32:
      return 25;
    case 64:
      return 50;
    case 128:
      return 100;
    default:
      return 0;
  }
}

int lanes(std::uint8_t width) {
  switch (width) {
    case 1:
      return 1;
    case 2:
      return 4;
    case 4:
      return 8;
    case 8:
      return 12;
    case 16:
      return 2;
    default:
      return 0;
  }
}

unsigned bytes_of(ibv_mtu mtu) {
  return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128u << mtu : 0;
}

const char* state_name(ibv_port_state state) {
  switch (state) {
    case IBV_PORT_DOWN:
      return "PORT_DOWN";
    case IBV_PORT_INIT:
      return "PORT_INIT";
    case IBV_PORT_ARMED:
      return "PORT_ARMED";
    case IBV_PORT_ACTIVE:
      return "PORT_ACTIVE";
    case IBV_PORT_ACTIVE_DEFER:
      return "PORT_ACTIVE_DEFER";
    default:
      return "unknown";
  }
}

gid_entry describe(const ibv_gid_entry& e) {
  gid_entry result;
  result.index = e.gid_index;
  result.gid = text_of(e.gid);
  result.type = type_name(e.gid_type);
  result.address = address_of(e);
  char name[IF_NAMESIZE];
  if (e.ndev_ifindex != 0 && ::if_indextoname(e.ndev_ifindex, name)) result.interface = name;
  return result;
}

port describe(std::uint8_t number, const ibv_port_attr& a, const std::vector<ibv_gid_entry>& gids) {
  port result;
  result.number = number;
  result.state = state_name(a.state);
  result.is_active = a.state == IBV_PORT_ACTIVE;
  result.link_layer = link_layer_name(a.link_layer);
  result.gigabits = lane_gigabits(a.active_speed) * lanes(a.active_width);
  result.mtu = bytes_of(a.active_mtu);
  result.max_mtu = bytes_of(a.max_mtu);
  result.lid = a.lid;
  for (const ibv_gid_entry& e : gids) {
    if (e.port_num == number) result.gids.push_back(describe(e));
  }
  return result;
}

device describe(const verbs::device_list& list, ibv_device* d, const verbs::api& table) {
  device result;
  result.name = list.name(d);
  result.kind = &table == &verbs::software_device() ? "software" : "hardware";
  char guid[24];
  const auto number = static_cast<unsigned long long>(be64toh(list.guid(d)));
  std::snprintf(guid, sizeof guid, "%04llx:%04llx:%04llx:%04llx", number >> 48, number >> 32 & 0xffff,
                number >> 16 & 0xffff, number & 0xffff);
  result.guid = guid;
  verbs::error_code ec;
  const verbs::context c = verbs::context::open(d, ec, table);
  const ibv_device_attr a = ec ? ibv_device_attr{} : c.query_device(ec);
  if (ec) {
    result.error = ec.message();
    return result;
  }
  if (c.numa_node() >= 0) result.numa_node = c.numa_node();
  result.firmware = a.fw_ver;
  result.of = {a.max_mr_size, a.max_mr, a.max_qp,  a.max_qp_wr,      a.max_cq,
               a.max_cqe,     a.max_sge, a.max_qp_rd_atom, a.atomic_cap != IBV_ATOMIC_NONE};
  const std::vector<ibv_gid_entry> gids = c.query_gid_table(ec);
  for (std::uint8_t number_of = 1; number_of <= a.phys_port_cnt; ++number_of) {
    const ibv_port_attr p = c.query_port(number_of, ec);
    if (!ec) result.ports.push_back(describe(number_of, p, gids));
  }
  return result;
}

}  // namespace

std::vector<device> find_devices() {
  verbs::error_code ec;
  const verbs::device_list hardware = verbs::device_list::get(ec, verbs::rdma_core());
  const verbs::device_list software = verbs::device_list::get(ec, verbs::software_device());
  std::vector<device> result;
  for (ibv_device* const d : hardware) {
    // Under asio_rdma_soft, rdma-core's functions list the software device as well.
    if (!software.find(hardware.name(d))) result.push_back(describe(hardware, d, verbs::rdma_core()));
  }
  for (ibv_device* const d : software) result.push_back(describe(software, d, verbs::software_device()));
  return result;
}

}  // namespace info
