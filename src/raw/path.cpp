// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "raw/path.hpp"

#include "io/verbs_error.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

using core::error;
using verbs::error_code;

namespace {

/// As far as the Internet's own default goes: a route may have routers.
constexpr std::uint8_t default_hop_limit = 64;

ibv_mtu to_mtu(int bytes) noexcept {
  int code = IBV_MTU_256;
  while (128 << code < bytes) ++code;
  return static_cast<ibv_mtu>(code);
}

}  // namespace

error path::describe(const queues& q) {
  error_code ec;
  const ibv_port_attr port = q.device()->device.query_port(source_.port, ec);
  if (ec) return io::to_error(ec);
  const ibv_device_attr& limits = q.device()->limits;
  own_.datagram = settings_.transport == core::raw_transport::datagram;
  own_.mtu = static_cast<std::uint8_t>(
      settings_.mtu == 0 ? port.active_mtu : std::min(to_mtu(settings_.mtu), port.active_mtu));
  own_.reads_answered = static_cast<std::uint8_t>(std::min({settings_.read_depth, limits.max_qp_rd_atom, 255}));
  own_.reads_begun = static_cast<std::uint8_t>(std::min({settings_.read_depth, limits.max_qp_init_rd_atom, 255}));
  own_.queue_pair = q.queue_pair().number();
  (void)!::getrandom(&own_.psn, sizeof own_.psn, GRND_NONBLOCK);
  own_.psn &= 0xffffff;
  own_.lid = port.link_layer == IBV_LINK_LAYER_INFINIBAND ? port.lid : std::uint16_t{0};
  std::memcpy(own_.gid.data(), source_.gid.raw, own_.gid.size());
  return {};
}

error path::initialize(const queues& q, unsigned access) const {
  verbs::init_attributes a;
  a.port = source_.port;
  a.access = access;
  error_code ec;
  q.queue_pair().to_init(a, ec);
  return io::to_error(ec);
}

ibv_ah_attr path::route(const transfer::link_record& peer) const noexcept {
  ibv_ah_attr a{};
  a.port_num = source_.port;
  a.dlid = peer.lid;
  if (settings_.service_level >= 0) a.sl = static_cast<std::uint8_t>(settings_.service_level);
  if (own_.lid != 0 && peer.lid != 0) return a;  // InfiniBand, which finds a peer of the same subnet by its LID
  a.is_global = 1;
  std::memcpy(a.grh.dgid.raw, peer.gid.data(), peer.gid.size());
  a.grh.sgid_index = static_cast<std::uint8_t>(source_.index);
  a.grh.hop_limit = settings_.hop_limit > 0 ? static_cast<std::uint8_t>(settings_.hop_limit) : default_hop_limit;
  if (settings_.traffic_class >= 0) a.grh.traffic_class = static_cast<std::uint8_t>(settings_.traffic_class);
  return a;
}

error path::make_ready(const queues& q, const transfer::link_record& peer) const {
  verbs::rtr_attributes rtr;
  rtr.path = route(peer);
  rtr.path_mtu = static_cast<ibv_mtu>(std::min(own_.mtu, peer.mtu));
  rtr.destination_qp = peer.queue_pair;
  rtr.receive_psn = peer.psn;
  rtr.responder_resources = std::min(own_.reads_answered, peer.reads_begun);
  verbs::rts_attributes rts;
  rts.timeout = static_cast<std::uint8_t>(settings_.ack_timeout);
  rts.retry_count = static_cast<std::uint8_t>(settings_.retry_count);
  rts.rnr_retry = static_cast<std::uint8_t>(settings_.rnr_retry);
  rts.send_psn = own_.psn;
  rts.initiator_depth = std::min(own_.reads_begun, peer.reads_answered);
  error_code ec;
  q.queue_pair().to_rtr(rtr, ec);
  if (!ec) q.queue_pair().to_rts(rts, ec);
  return io::to_error(ec);
}

error path::make_address(const queues& q, const transfer::link_record& peer, verbs::address_handle& result) const {
  error_code ec;
  result = verbs::address_handle::create(q.device()->domain, route(peer), ec);
  return io::to_error(ec);
}

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma
