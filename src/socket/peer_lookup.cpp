// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "socket/peer_lookup.hpp"

#include "io/verbs_error.hpp"
#include "socket/address.hpp"
#include "socket/carrier.hpp"
#include "transfer/datagram.hpp"
#include "verbs/local_addresses.hpp"

#include <cerrno>
#include <chrono>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace core {

using verbs::error_code;

namespace {

/// The kernel has an ENOTSUPP of its own, which no program knows: its connection manager joins no IPv6 groups over RoCE
/// v2. For a socket there is no device then that could.
error without_kernels_own(const error& e) noexcept {
  constexpr int kernels_enotsupp = 524;
  return e == error(kernels_enotsupp) ? error(ENODEV) : e;
}

const sockaddr* given(const sockaddr_storage& a) noexcept {
  return a.ss_family == 0 ? nullptr : as_sockaddr(a);
}

}  // namespace

error peer_lookup::start(std::shared_ptr<cm::service> service) {
  service_ = std::move(service);
  if (const error e = service_->create_id(shared_from_this(), id_, RDMA_PS_UDP)) return e;
  error e = carrier_of(devices_, question_.destination, carried_);
  error_code ec;
  if (!e && question_.is_group) {
    e = join();
  } else if (!e) {
    id_.resolve_address(given(question_.source), as_sockaddr(carried_), cm::resolve_timeout, ec);
    if (ec) e = explain_resolve_error(devices_, io::to_error(ec), carried_);
  }
  if (e) end();
  return e;
}

error peer_lookup::join() noexcept {
  error_code ec;
  id_.bind(as_sockaddr(question_.source), ec);
  if (ec) return explain_bind_error(devices_, io::to_error(ec), question_.source);
  if (!id_.context()) return library_error::no_device;
  if (const error e = check_device(devices_, id_.context().name(), question_.source)) return e;
  if (question_.send_only) {
    id_.join_multicast(as_sockaddr(carried_), RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER, nullptr, ec);
  } else {
    id_.join_multicast(as_sockaddr(carried_), nullptr, ec);
  }
  has_joined_ = !ec;
  return without_kernels_own(io::to_error(ec));
}

void peer_lookup::end() noexcept {
  if (!id_) return;
  if (has_joined_) {
    // The kernel leaves when the id is destroyed; librdmacm would keep what it has allocated for the group.
    error_code ignored;
    id_.leave_multicast(as_sockaddr(carried_), ignored);
  }
  service_->destroy(std::move(id_));
}

peer_lookup::status peer_lookup::go_on(const error& e, failure_step step) noexcept {
  if (!e) return status::waiting;
  error_ = e;
  step_ = step;
  return status::failed;
}

peer_lookup::status peer_lookup::advance(const verbs::cm_event& event) {
  error_code ec;
  switch (event.type) {
    case RDMA_CM_EVENT_ADDR_RESOLVED: {
      if (!id_.context()) return go_on(library_error::no_device, failure_step::resolve_address);
      const error e = check_device(devices_, id_.context().name(), carried_);
      if (e) return go_on(e, failure_step::resolve_address);
      const int traffic_class = question_.traffic_class;
      if (traffic_class >= 0) id_.type_of_service(static_cast<std::uint8_t>(traffic_class), ec);
      id_.resolve_route(cm::resolve_timeout, ec);
      return go_on(io::to_error(ec), failure_step::resolve_route);
    }
    case RDMA_CM_EVENT_ROUTE_RESOLVED: {
      transfer::datagram_greeting ours;
      ours.asked_loopback = question_.asked_loopback;
      const auto text = transfer::encode_datagram_greeting(ours);
      rdma_conn_param p{};
      p.private_data = text.data();
      p.private_data_len = static_cast<std::uint8_t>(text.size());
      id_.connect(p, ec);
      return go_on(io::to_error(ec), failure_step::connect);
    }
    case RDMA_CM_EVENT_ESTABLISHED:
    case RDMA_CM_EVENT_MULTICAST_JOIN:
      return answered(event);
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
    case RDMA_CM_EVENT_UNREACHABLE:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_REJECTED:
    case RDMA_CM_EVENT_MULTICAST_ERROR:
    case RDMA_CM_EVENT_DEVICE_REMOVAL: {
      const failure_step step = event.type == RDMA_CM_EVENT_ADDR_ERROR    ? failure_step::resolve_address
                                : event.type == RDMA_CM_EVENT_ROUTE_ERROR ? failure_step::resolve_route
                                                                          : failure_step::connect;
      return go_on(explain(event), step);
    }
    default:
      return status::waiting;
  }
}

peer_lookup::status peer_lookup::answered(const verbs::cm_event& event) noexcept {
  answer_.path = event.datagram.ah_attr;
  answer_.queue_pair = event.datagram.qp_num;
  answer_.qkey = event.datagram.qkey;
  if (question_.is_group) return status::found;
  const auto greeting = transfer::decode_datagram_greeting(event.private_data.data(), event.private_data_size);
  if (!greeting) {
    return go_on(greeting.error == transfer::handshake_error::incompatible_version ? library_error::incompatible_version
                 : greeting.error == transfer::handshake_error::not_ours           ? library_error::not_asio_rdma
                                                                                   : library_error::protocol_error,
                 failure_step::connect);
  }
  answer_.largest_payload = greeting.value.largest_payload;
  return status::found;
}

error peer_lookup::explain(const verbs::cm_event& event) noexcept {
  switch (event.type) {
    case RDMA_CM_EVENT_UNREACHABLE:
      // A negative status is an errno, a positive one the peer's own (IBTA 16.8.1.2): it has no such socket.
      return event.status > 0 ? error(ECONNREFUSED) : error(event.status == 0 ? ETIMEDOUT : -event.status);
    case RDMA_CM_EVENT_REJECTED:
      return error(ECONNREFUSED);
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR: {
      const bool unanswered = event.status == 0 || event.status == -ETIMEDOUT;
      return explain_resolve_error(devices_, error(unanswered ? EHOSTUNREACH : -event.status), carried_);
    }
    default:
      return without_kernels_own(io::to_error(event.error()));
  }
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
