// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What a connection tells of itself, and its place in the registry.

#include "socket/connection.hpp"
#include "socket/registry.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

/// Bytes of one of verbs' path MTUs.
std::uint32_t bytes_of(ibv_mtu mtu) noexcept {
  return mtu < IBV_MTU_256 || mtu > IBV_MTU_4096 ? 0 : 128u << mtu;
}

}  // namespace

void connection::statistics(socket_statistics& result) noexcept {
  const lock_type lock(mutex_);
  if (was_established()) ask_queue_pair();
  collect(result);
}

connection_state connection::state() const noexcept {
  switch (phase_) {
    case phase::idle:
      break;
    case phase::resolving_address:
    case phase::resolving_route:
    case phase::connecting:
      return connection_state::connecting;
    case phase::accepting:
      return connection_state::accepting;
    case phase::established:
      if (user_closed_) return connection_state::lingering;
      return has_ended() || peer_disconnected_ ? connection_state::ended : connection_state::established;
    case phase::disconnecting:
      return connection_state::disconnecting;
    case phase::failed:
      return connection_state::failed;
    case phase::closed:
      return connection_state::closed;
  }
  return connection_state::unconnected;
}

void connection::collect(socket_statistics& result) const noexcept {
  result.number = number_;
  result.state = state();
  result.accepted = passive_;
  result.sending_ended = engine_.sending_ended();
  result.receiving_ended = engine_.peer_ended();
  result.local = local_;
  result.remote = remote_;
  if (was_established()) {
    const std::chrono::nanoseconds age = std::chrono::steady_clock::now() - established_at_;
    result.established_for = std::max(age, std::chrono::nanoseconds(1));
  }
  std::memcpy(result.device, failure_.get().device, sizeof result.device);
  result.port = path_.port;
  std::copy(std::begin(path_.gid.raw), std::end(path_.gid.raw), result.gid);
  result.gid_index = path_.gid_index;
  result.path_mtu = path_.mtu;
  result.queue_pair = path_.number;
  result.peer_queue_pair = path_.peer_number;
  result.ack_timeout = path_.ack_timeout;
  result.retry_count = path_.retry_count;
  result.rnr_retry = path_.rnr_retry;
  result.counters = engine_.count();
  result.levels = engine_.levels();
  result.last_error = has_ended() ? ended_ : connect_error_;
  std::memcpy(result.failure, failure_.get().text, sizeof result.failure);
}

void connection::ask_queue_pair() noexcept {
  if (path_.is_known || !id_) return;
  verbs::error_code ec;
  const verbs::queue_pair_description asked = engine_.queues().describe_queue_pair(ec);
  if (ec) return;
  const ibv_qp_attr& a = asked.attributes;
  path_.is_known = true;
  path_.port = a.port_num;
  path_.mtu = bytes_of(a.path_mtu);
  path_.number = id_.queue_pair().number();
  path_.peer_number = a.dest_qp_num;
  path_.ack_timeout = a.timeout;
  path_.retry_count = a.retry_cnt;
  path_.rnr_retry = a.rnr_retry;
  if (a.ah_attr.is_global == 0) return;  // InfiniBand within one subnet
  path_.gid_index = a.ah_attr.grh.sgid_index;
  path_.gid = engine_.queues().query_gid(path_.port, path_.gid_index, ec);
}

void connection::enter_registry() {
  number_ = registry::instance().add(shared_from_this());
  registered_ = true;
}

void connection::leave_registry() noexcept {
  if (!std::exchange(registered_, false)) return;
  socket_statistics last;
  collect(last);
  registry::instance().remove_connection(last);
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
