// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "raw/cm_connection.hpp"

#include "cm/answers.hpp"
#include "io/shown_queue_pair.hpp"
#include "io/verbs_error.hpp"
#include "socket/address.hpp"
#include "socket/carrier.hpp"
#include "transfer/handshake_header.hpp"
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
  if (const error e = service_->create_id(self(), id_, port_space(settings_.transport))) return e;
  start_deadline();
  error_code ec;
  id_.resolve_address(nullptr, core::as_sockaddr(carried_), cm::resolve_timeout, ec);
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
  peer_ = request.peer;
  take_greeting(peer_.greeting);
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
  if (e) return e;
  if (is_reliable()) return io::initialize(id_, queues_.queue_pair(), wish());
  core::gid_choice source;
  const core::device_choice this_one{devices_.table, id_.context().name()};
  e = core::choose_gid(this_one, verbs::to_storage(id_.local_address()), id_.port(), settings_.gid_index, source);
  path_ = path(source, settings_);
  if (!e) e = path_.describe(queues_);
  if (!e) e = path_.initialize(queues_, 0);
  return e;
}

void cm_connection::on_event(const verbs::cm_event& event) noexcept {
  const lock_type lock(mutex_);
  if (!id_) return;  // it was let go of while the event was on its way
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
      if (phase_ != phase::establishing) break;
      is_reliable() ? become_established() : answered(event);
      break;
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_UNREACHABLE:
      failed(event);
      break;
    case RDMA_CM_EVENT_REJECTED:
      // A server that goes before it has heard that the connection stands, for us, takes its answer back.
      phase_ == phase::established ? disconnected(event) : failed(event);
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
  id_.resolve_route(cm::resolve_timeout, ec);
  if (ec) fail(io::to_error(ec));
}

error cm_connection::start_establishing() {
  const auto text = encode_exchange_greeting({greeting(), path_.own()});
  // A reliable connection's request has no room for more than the handshake, and its peer no need of it.
  const rdma_conn_param p = parameters(text.data(), is_reliable() ? transfer::handshake_size : text.size());
  if (passive_) return accept(p);
  error_code ec;
  id_.connect(p, ec);
  return io::to_error(ec);
}

rdma_conn_param cm_connection::parameters(const void* text, std::size_t size) const noexcept {
  const ibv_device_attr& limits = queues_.device()->limits;
  rdma_conn_param p{};
  p.private_data = text;
  p.private_data_len = static_cast<std::uint8_t>(size);
  p.qp_num = queues_.queue_pair().number();
  if (!is_reliable()) return p;
  p.responder_resources = static_cast<std::uint8_t>(std::min(settings_.read_depth, limits.max_qp_rd_atom));
  p.initiator_depth = static_cast<std::uint8_t>(std::min(settings_.read_depth, limits.max_qp_init_rd_atom));
  p.flow_control = 1;
  p.retry_count = static_cast<std::uint8_t>(settings_.retry_count);
  p.rnr_retry_count = static_cast<std::uint8_t>(settings_.rnr_retry);
  return p;
}

error cm_connection::make_ready() {
  if (is_reliable()) {
    io::connection_path actual;
    return io::make_ready(id_, queues_.queue_pair(), wish(), actual);
  }
  const error e = path_.make_ready(queues_, peer_.link);
  return e ? e : make_remote_queue(path_, peer_.link);
}

error cm_connection::accept(rdma_conn_param reply) {
  if (const error e = make_ready()) return e;
  reply.responder_resources = std::min(reply.responder_resources, request_.initiator_depth);
  reply.initiator_depth = std::min(reply.initiator_depth, request_.responder_resources);
  error_code ec;
  id_.accept(reply, ec);
  if (ec) return io::to_error(ec);
  if (is_reliable()) {
    io::show_queue_pair(id_, queues_.queue_pair().native_handle());
  } else {
    become_established();  // nobody confirms it
  }
  return {};
}

error cm_connection::check(const verbs::cm_event& event) {
  transfer::handshake_error fault{};
  bool is_raw = false;
  if (read_greeting(event, settings_.transport, peer_, fault, is_raw)) return {};
  return fault == transfer::handshake_error::none && !is_raw ? error(library_error::mode_mismatch)
                                                             : cm::handshake_error(fault);
}

void cm_connection::answered(const verbs::cm_event& event) {
  if (const error e = check(event)) return fail(e);
  take_greeting(peer_.greeting);
  if (const error e = make_ready()) return fail(e);
  if (is_reliable()) {
    if (const error e = cm::establish(id_)) return fail(e);
    io::show_queue_pair(id_, queues_.queue_pair().native_handle());
  }
  become_established();
}

bool read_greeting(const verbs::cm_event& event, core::raw_transport transport, exchange_greeting& result,
                   transfer::handshake_error& fault, bool& is_raw) noexcept {
  const auto peer = transfer::decode_handshake(event.private_data.data(), event.private_data_size);
  fault = peer.error;
  is_raw = peer && peer.value.mode == transfer::mode::raw;
  if (!is_raw) return false;
  result.greeting = transfer::to_raw_greeting(peer.value);
  if (transport == core::raw_transport::reliable) return true;
  const std::size_t length = event.private_data[transfer::length_at];
  const auto link = transfer::decode_link_record(event.private_data.data() + length, event.private_data_size - length);
  if (!link || !link->datagram) {
    fault = transfer::handshake_error::truncated;
    return false;
  }
  result.link = *link;
  return true;
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
