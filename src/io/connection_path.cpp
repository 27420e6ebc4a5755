// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/connection_path.hpp"

#include "error/option_error.hpp"
#include "error/text.hpp"
#include "io/verbs_error.hpp"

#include <arpa/inet.h>
#include <endian.h>
#include <netinet/in.h>

#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace io {

using verbs::error_code;

namespace {

/// Receiver-not-ready answers are to be repeated after 0.64 ms (IBTA table 46). The connection manager leaves 0, which
/// means 655 ms.
constexpr std::uint8_t min_rnr_timer = 12;

/// Bits that kernels use among themselves, and some let through to us (librdmacm masks them too).
constexpr int kernel_bits = 0xe00000;

/// A line that is built for option_error.
struct complaint {
  char buffer[512];
  core::text line{buffer, sizeof buffer};

  core::error refuse() const noexcept { return core::refuse_option(buffer); }
};

verbs::qp_modification ask(const verbs::cm_id_ref& id, ibv_qp_state state, error_code& ec) {
  verbs::qp_modification m;
  m.attributes.qp_state = state;
  id.init_qp_attributes(m, ec);
  m.mask &= ~kernel_bits;
  return m;
}

/// A GID as people read it, the address inside it where there is one.
void add_gid(core::text& out, const ibv_gid& gid) {
  in6_addr v6;
  std::memcpy(&v6, gid.raw, sizeof v6);
  char text[INET6_ADDRSTRLEN] = "";
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    ::inet_ntop(AF_INET, gid.raw + 12, text, sizeof text);
  } else {
    ::inet_ntop(AF_INET6, gid.raw, text, sizeof text);
  }
  out.add("%s", text);
}

const char* type_of(const ibv_gid_entry& gid) noexcept {
  if (gid.gid_type == IBV_GID_TYPE_IB) return "InfiniBand";
  return gid.gid_type == IBV_GID_TYPE_ROCE_V1 ? "RoCE v1" : "RoCE v2";
}

core::error check_gid(const verbs::cm_id_ref& id, int wanted, int chosen) {
  if (wanted < 0 || wanted == chosen) return {};
  const verbs::context_ref device = id.context();
  error_code no_wanted, no_chosen;
  const auto w = device.query_gid_entry(id.port(), static_cast<std::uint32_t>(wanted), no_wanted);
  const auto c = device.query_gid_entry(id.port(), static_cast<std::uint32_t>(chosen), no_chosen);
  complaint problem;
  core::text& line = problem.line;
  line.add("option gid_index is %d", wanted);
  if (no_wanted) {
    line.add(", and port %d of %s has no such GID; the connection has GID %d", id.port(), device.name(), chosen);
    return problem.refuse();
  }
  line.add(" (");
  add_gid(line, w.gid);
  line.add(", %s), and the address of this end leads %s to GID %d (", type_of(w), device.name(), chosen);
  add_gid(line, c.gid);
  line.add(", %s): ", type_of(c));
  if (std::memcmp(w.gid.raw, c.gid.raw, sizeof w.gid.raw) == 0) {
    line.add("they differ in the version of RoCE, which cma_roce_mode -d %s sets for all connections", device.name());
  } else {
    line.add("bind to ");
    add_gid(line, w.gid);
    line.add(" to have it");
  }
  return problem.refuse();
}

core::error check_pkey(const verbs::cm_id_ref& id, int wanted, int actual) {
  constexpr int partition = 0x7fff;  // the uppermost bit tells full from limited members
  if (wanted == 0 || (wanted & partition) == (actual & partition)) return {};
  complaint problem;
  problem.line.add(
      "option pkey is 0x%04x, and the address of this end leads %s to partition 0x%04x: bind to an address of an "
      "interface of the partition (over Ethernet there is 0xffff only)",
      static_cast<unsigned>(wanted), id.context().name(), static_cast<unsigned>(actual));
  return problem.refuse();
}

core::error check_value(const verbs::cm_id_ref& id, const char* name, int wanted, int unset, int actual,
                        const char* remedy) {
  if (wanted == unset || wanted == actual) return {};
  complaint problem;
  problem.line.add("option %s is %d, and %s uses %d all the same: %s", name, wanted, id.context().name(), actual,
                   remedy);
  return problem.refuse();
}

int pkey_at(const verbs::cm_id_ref& id, std::uint16_t index) noexcept {
  error_code ec;
  const __be16 pkey = id.context().query_pkey(id.port(), index, ec);
  return ec ? 0 : be16toh(pkey);
}

void amend(ibv_ah_attr& path, const connection_path& wish) noexcept {
  if (wish.service_level >= 0) path.sl = static_cast<std::uint8_t>(wish.service_level);
  if (path.is_global == 0) return;
  if (wish.traffic_class >= 0) path.grh.traffic_class = static_cast<std::uint8_t>(wish.traffic_class);
  if (wish.hop_limit > 0) path.grh.hop_limit = static_cast<std::uint8_t>(wish.hop_limit);
}

/// What the device has made of it.
core::error look_at(const verbs::cm_id& id, verbs::queue_pair_ref pair, const connection_path& wish,
                    connection_path& actual) {
  error_code ec;
  const int mask = IBV_QP_AV | IBV_QP_PKEY_INDEX | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY;
  const ibv_qp_attr a = pair.query(mask, ec).attributes;
  if (ec) return to_error(ec);
  actual = wish;
  actual.ack_timeout = a.timeout;
  actual.retry_count = a.retry_cnt;
  actual.rnr_retry = a.rnr_retry;
  actual.pkey = pkey_at(id, a.pkey_index);
  const bool has_header = a.ah_attr.is_global != 0;
  if (!has_header && a.ah_attr.dlid == 0) return {};  // some drivers tell nothing of the path; we believe them
  actual.service_level = a.ah_attr.sl;
  actual.traffic_class = has_header ? a.ah_attr.grh.traffic_class : 0;
  actual.hop_limit = has_header ? a.ah_attr.grh.hop_limit : 0;
  actual.gid_index = has_header ? a.ah_attr.grh.sgid_index : 0;

  const char* const no_use = "the device or its network has no use for it; leave it at its default";
  core::error e = check_value(id, "traffic_class", wish.traffic_class, -1, actual.traffic_class, no_use);
  if (!e) e = check_value(id, "service_level", wish.service_level, -1, actual.service_level, no_use);
  if (!e) {
    e = check_value(id, "hop_limit", wish.hop_limit, 0, actual.hop_limit,
                    "over Ethernet the kernel takes it from the route to the peer (ip route change ... hoplimit N); "
                    "set it there, or leave it at its default");
  }
  return e;
}

}  // namespace

core::error initialize(const verbs::cm_id& id, verbs::queue_pair_ref pair, const connection_path& wish) {
  error_code ec;
  verbs::qp_modification m = ask(id, IBV_QPS_INIT, ec);
  if (ec) return to_error(ec);
  if (const core::error e = check_pkey(id, wish.pkey, pkey_at(id, m.attributes.pkey_index))) return e;
  m.attributes.qp_access_flags = wish.access;
  m.mask |= IBV_QP_ACCESS_FLAGS;
  pair.modify(m.attributes, m.mask, ec);
  return to_error(ec);
}

core::error make_ready(const verbs::cm_id& id, verbs::queue_pair_ref pair, const connection_path& wish,
                       connection_path& actual) {
  error_code ec;
  verbs::qp_modification m = ask(id, IBV_QPS_RTR, ec);
  if (ec) return to_connection_error(ec);
  ibv_qp_attr& a = m.attributes;
  if (const core::error e = check_gid(id, wish.gid_index, a.ah_attr.is_global != 0 ? a.ah_attr.grh.sgid_index : 0)) {
    return e;
  }
  amend(a.ah_attr, wish);
  a.min_rnr_timer = min_rnr_timer;
  pair.modify(a, m.mask, ec);
  if (ec) return to_error(ec);
  m = ask(id, IBV_QPS_RTS, ec);
  if (ec) return to_connection_error(ec);
  a.timeout = static_cast<std::uint8_t>(wish.ack_timeout);
  a.retry_cnt = static_cast<std::uint8_t>(wish.retry_count);
  a.rnr_retry = static_cast<std::uint8_t>(wish.rnr_retry);
  pair.modify(a, m.mask, ec);
  if (ec) return to_error(ec);
  return look_at(id, pair, wish, actual);
}

core::error make_datagrams_ready(const verbs::cm_id_ref& id, verbs::queue_pair_ref pair, const connection_path& wish,
                                 ibv_qp_attr& attributes) {
  error_code ec;
  attributes = ask(id, IBV_QPS_INIT, ec).attributes;
  if (ec) return to_error(ec);
  if (const core::error e = check_pkey(id, wish.pkey, pkey_at(id, attributes.pkey_index))) return e;
  return make_datagrams_ready(pair, attributes);
}

core::error make_datagrams_ready(verbs::queue_pair_ref pair, const ibv_qp_attr& attributes) {
  error_code ec;
  verbs::init_attributes init;
  init.port = attributes.port_num;
  init.pkey_index = attributes.pkey_index;
  init.qkey = attributes.qkey;
  pair.to_init(init, ec);
  if (!ec) pair.to_rtr({}, ec);
  if (!ec) pair.to_rts({}, ec);
  return to_error(ec);
}

core::error amend_datagram_path(const verbs::cm_id_ref& id, const connection_path& wish, ibv_ah_attr& path) {
  if (const core::error e = check_gid(id, wish.gid_index, path.is_global != 0 ? path.grh.sgid_index : 0)) return e;
  amend(path, wish);
  return {};
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
