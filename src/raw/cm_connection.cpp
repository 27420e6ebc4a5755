// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "raw/cm_connection.hpp"

#include "cm/answers.hpp"
#include "io/verbs_error.hpp"
#include "socket/address.hpp"
#include "socket/carrier.hpp"
#include "verbs/local_addresses.hpp"

#include <algorithm>
#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

using core::error;
using core::library_error;
using verbs::error_code;
using lock_type = std::lock_guard<std::mutex>;

namespace {

/// How long the kernel looks for a link address or a route; the deadline bounds all steps together.
constexpr std::chrono::milliseconds resolve_timeout{2000};

}  // namespace

error cm_connection::open(const sockaddr_storage& address) {
  const lock_type lock(mutex_);
  if (const error e = open_notifier()) return e;
  remote_ = core::unmapped(address);
  if (core::is_any(remote_)) {
    const std::uint16_t port = core::port_of(remote_);
    remote_ = remote_.ss_family == AF_INET ? core::make_v4(INADDR_LOOPBACK, port) : core::loopback_v6(port);
  }
  if (core::port_of(remote_) == 0) return error(ECONNREFUSED);  // as TCP has it
  if (const error e = core::carrier_of(devices_, remote_, carried_)) return e;
  if (const error e = cm::service::instance(*devices_.table, service_)) return e;
  if (const error e = service_->create_id(self(), id_)) return e;
  start_deadline();
  error_code ec;
  id_.resolve_address(nullptr, core::as_sockaddr(carried_), resolve_timeout, ec);
  if (!ec) return {};
  const error e = core::explain_resolve_error(devices_, io::to_error(ec), carried_);
  fail(e);
  return e;
}

error cm_connection::take(cm_request& request, std::shared_ptr<cm::service> service) {
  const lock_type lock(mutex_);
  if (const error e = open_notifier()) return e;
  passive_ = true;
  service_ = std::move(service);
  id_ = std::move(request.id);
  request_ = request.parameters;
  take_greeting(request.greeting);
  local_ = verbs::to_storage(id_.local_address());
  remote_ = verbs::to_storage(id_.peer_address());
  if (const error e = create_queues()) {
    queues_.destroy();
    request.id = std::move(id_);
    return e;
  }
  service_->adopt(self(), id_);
  become_prepared();
  return {};
}

error cm_connection::create_queues() {
  std::shared_ptr<io::device_domain> device;
  error e = io::device_domain::get(id_.context(), device);
  if (!e) e = queues_.create(std::move(device), id_.port(), settings_);
  if (!e) e = io::initialize(id_, queues_.queue_pair(), wish());
  return e;
}

void cm_connection::on_event(const verbs::cm_event& event) noexcept {
  const lock_type lock(mutex_);
  switch (event.type) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
      if (phase_ == phase::opening) address_resolved();
      break;
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
      if (phase_ != phase::opening) break;
      if (const error e = create_queues()) {
        fail(e);
      } else {
        local_ = verbs::to_storage(id_.local_address());
        become_prepared();
      }
      break;
    case RDMA_CM_EVENT_CONNECT_RESPONSE:
      if (phase_ == phase::establishing) answered(event);
      break;
    case RDMA_CM_EVENT_ESTABLISHED:
      if (phase_ == phase::establishing && passive_) become_established();
      break;
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_UNREACHABLE:
    case RDMA_CM_EVENT_REJECTED:
      failed(event);
      break;
    case RDMA_CM_EVENT_DISCONNECTED:
      disconnected(event);
      break;
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
      phase_ == phase::established ? end(error(ENODEV)) : fail(error(ENODEV));
      break;
    default:
      break;  // ADDR_CHANGE and TIMEWAIT_EXIT change nothing for us
  }
}

void cm_connection::address_resolved() {
  if (!id_.context()) return fail(library_error::no_device);
  if (!devices_.allows(id_.context().name())) {
    return fail(core::check_device(devices_, id_.context().name(), verbs::to_storage(id_.peer_address())));
  }
  error_code ec;
  if (settings_.traffic_class >= 0) id_.type_of_service(static_cast<std::uint8_t>(settings_.traffic_class), ec);
  id_.resolve_route(resolve_timeout, ec);
  if (ec) fail(io::to_error(ec));
}

error cm_connection::start_establishing() {
  const auto text = transfer::encode_handshake(transfer::to_handshake(greeting()));
  return passive_ ? accept(text.data(), text.size()) : ask(text.data(), text.size());
}

rdma_conn_param cm_connection::parameters(const void* text, std::size_t size) const noexcept {
  const ibv_device_attr& limits = queues_.device()->limits;
  rdma_conn_param p{};
  p.private_data = text;
  p.private_data_len = static_cast<std::uint8_t>(size);
  p.responder_resources = static_cast<std::uint8_t>(std::min(settings_.read_depth, limits.max_qp_rd_atom));
  p.initiator_depth = static_cast<std::uint8_t>(std::min(settings_.read_depth, limits.max_qp_init_rd_atom));
  p.flow_control = 1;
  p.retry_count = static_cast<std::uint8_t>(settings_.retry_count);
  p.rnr_retry_count = static_cast<std::uint8_t>(settings_.rnr_retry);
  p.qp_num = queues_.queue_pair().number();
  return p;
}

error cm_connection::ask(const void* text, std::size_t size) {
  error_code ec;
  id_.connect(parameters(text, size), ec);
  return io::to_error(ec);
}

error cm_connection::accept(const void* text, std::size_t size) {
  io::connection_path actual;
  if (const error e = io::make_ready(id_, queues_.queue_pair(), wish(), actual)) return e;
  rdma_conn_param reply = parameters(text, size);
  reply.responder_resources = std::min(reply.responder_resources, request_.initiator_depth);
  reply.initiator_depth = std::min(reply.initiator_depth, request_.responder_resources);
  error_code ec;
  id_.accept(reply, ec);
  if (!ec) id_.native_handle()->qp = queues_.queue_pair().native_handle();
  return io::to_error(ec);
}

void cm_connection::answered(const verbs::cm_event& event) {
  const auto peer = transfer::decode_handshake(event.private_data.data(), event.private_data_size);
  if (!peer) return fail(cm::handshake_error(peer.error));
  if (peer.value.mode != transfer::mode::raw) return fail(library_error::mode_mismatch);
  take_greeting(transfer::to_raw_greeting(peer.value));
  io::connection_path actual;
  if (const error e = io::make_ready(id_, queues_.queue_pair(), wish(), actual)) return fail(e);
  error_code ec;
  id_.establish(ec);
  if (ec) return fail(io::to_error(ec));
  id_.native_handle()->qp = queues_.queue_pair().native_handle();
  become_established();
}

void cm_connection::failed(const verbs::cm_event& event) {
  if (phase_ != phase::opening && phase_ != phase::establishing) return;
  const char* detail = nullptr;
  switch (event.type) {
    case RDMA_CM_EVENT_REJECTED:
      return fail(cm::reject_error(event, detail));
    case RDMA_CM_EVENT_UNREACHABLE:
      return fail(error(ETIMEDOUT));
    case RDMA_CM_EVENT_CONNECT_ERROR:
      return fail(io::to_error(event.error()));
    default: {
      const bool unanswered = event.status == 0 || event.status == -ETIMEDOUT;
      fail(core::explain_resolve_error(devices_, error(unanswered ? EHOSTUNREACH : -event.status), carried_));
    }
  }
}

void cm_connection::disconnected(const verbs::cm_event&) {
  if (phase_ != phase::established) return fail(error(ECONNRESET));
  error_code ignored;
  id_.disconnect(ignored);  // the answer that the peer waits for
  end(error(ECONNRESET));
}

void cm_connection::disconnect() noexcept {
  if (!id_) return;
  error_code ignored;
  const bool connected = id_.native_handle()->qp != nullptr;
  if (connected) id_.disconnect(ignored);
  drop_id();
}

void cm_connection::drop_id() noexcept {
  id_.native_handle()->qp = nullptr;  // the queue pair is ours
  service_->destroy(std::move(id_));
}

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma
