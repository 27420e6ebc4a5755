// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// How a connection comes to be, and what the connection manager has to say about it afterwards.

#include "cm/answers.hpp"
#include "io/verbs_error.hpp"
#include "log/log.hpp"
#include "socket/address.hpp"
#include "socket/carrier.hpp"
#include "socket/connection.hpp"
#include "socket/exit_drain.hpp"
#include "verbs/local_addresses.hpp"

#include <cerrno>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace core {

using verbs::error_code;

namespace {

rdma_conn_param parameters(const settings& s, std::uint32_t queue_pair, const unsigned char* private_data,
                           std::size_t size) noexcept {
  rdma_conn_param p{};
  p.private_data = private_data;
  p.private_data_len = static_cast<std::uint8_t>(size);
  p.responder_resources = 1;
  p.initiator_depth = 1;
  p.flow_control = 1;
  // A peer that leaves its transitions to the connection manager does as these say; we do as our own options say.
  p.retry_count = static_cast<std::uint8_t>(s[option::retry_count]);
  p.rnr_retry_count = static_cast<std::uint8_t>(s[option::rnr_retry]);
  p.qp_num = queue_pair;
  return p;
}

}  // namespace

error connection::connect(verbs::cm_id id, std::shared_ptr<cm::service> service, const sockaddr* address,
                          socklen_t size) {
  const lock_type lock(mutex_);
  service_ = std::move(service);
  service_->adopt(shared_from_this(), id);
  id_ = std::move(id);
  enter_registry();
  const error e = start_resolving(address, size);
  if (e) fail_connect(e, failure_step::resolve_address);
  return e;
}

error connection::start_resolving(const sockaddr* address, socklen_t size) {
  if (!copy_address(address, size, remote_)) return error(EINVAL);
  failure_.set_peer(remote_);
  v6_socket_ = remote_.ss_family == AF_INET6;
  const sockaddr_storage meant = unmapped(remote_);
  if (is_loopback(meant) || is_any(meant)) {
    const bool v4 = meant.ss_family == AF_INET;
    if (is_any(meant)) remote_ = v4 ? make_v4(INADDR_LOOPBACK, port_of(meant)) : loopback_v6(port_of(meant));
    if (v6_socket_) remote_ = mapped(remote_);
    if (carries_loopback(devices_)) {
      loopback_ = v4 ? transfer::loopback::v4 : transfer::loopback::v6;
      loopback_v4_ = v4 ? v4_of(remote_) : 0;
    }
  }
  if (port_of(remote_) == 0) return error(ECONNREFUSED);  // as TCP has it
  if (!notifier_.open()) return error(errno);

  sockaddr_storage carried;
  if (const error e = carrier_of(devices_, remote_, carried)) return e;
  phase_ = phase::resolving_address;
  error_code ec;
  id_.resolve_address(nullptr, as_sockaddr(carried), cm::resolve_timeout, ec);
  if (ec) return explain_resolve_error(devices_, io::to_error(ec), carried);
  setup_timer_ = after(std::chrono::milliseconds(settings_[option::connect_timeout]), &connection::connect_timed_out);
  return {};
}

error connection::connect_result() noexcept {
  const lock_type lock(mutex_);
  if (user_closed_) return error(EBADF);
  if (is_pending()) return not_yet();
  return phase_ == phase::established ? error() : connect_error_;
}

void connection::connect_timed_out() noexcept {
  if (!is_pending()) return;
  const bool resolving = phase_ != phase::connecting;
  fail_connect(error(resolving ? EHOSTUNREACH : ETIMEDOUT),
               resolving ? failure_step::resolve_address : failure_step::connect);
}

void connection::fail_connect(const error& e, failure_step step, const char* detail) noexcept {
  phase_ = phase::failed;
  io::background::instance().cancel(setup_timer_);  // it would keep our memory
  connect_error_ = e;
  failure_.set(e, step, detail);
  engine_.destroy(id_);
  service_->destroy(std::move(id_));
  leave_registry();
  wake_everybody();
}

void connection::on_event(const verbs::cm_event& event) noexcept {
  const lock_type lock(mutex_);
  switch (event.type) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
      if (phase_ == phase::resolving_address) address_resolved();
      break;
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
      if (phase_ == phase::resolving_route) route_resolved();
      break;
    case RDMA_CM_EVENT_CONNECT_RESPONSE:
      if (phase_ == phase::connecting) answered(event);
      break;
    case RDMA_CM_EVENT_ESTABLISHED:
      if (phase_ == phase::accepting) established(event);
      break;
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_UNREACHABLE:
      connect_failed(event);
      break;
    case RDMA_CM_EVENT_REJECTED:
      // A server that goes before it has heard that the connection stands, for us, takes its answer back.
      phase_ == phase::established ? disconnected(event) : connect_failed(event);
      break;
    case RDMA_CM_EVENT_DISCONNECTED:
      disconnected(event);
      break;
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
      failure_.set_event(event);
      if (is_pending()) fail_connect(error(ENODEV), failure_step::connect);
      if (phase_ == phase::established && !has_ended()) end(error(ENODEV));
      wake_everybody();
      break;
    default:
      break;  // ADDR_CHANGE and TIMEWAIT_EXIT change nothing for us
  }
}

void connection::address_resolved() {
  if (!id_.context()) return fail_connect(library_error::no_device, failure_step::resolve_address);
  if (!devices_.allows(id_.context().name())) {
    const sockaddr_storage destination = verbs::to_storage(id_.peer_address());
    return fail_connect(check_device(devices_, id_.context().name(), destination), failure_step::resolve_address);
  }
  failure_.set_device(id_.context().name());
  phase_ = phase::resolving_route;
  error_code ec;
  // The peer's packets, the connection manager's own and, over Ethernet, the priority follow from it too.
  const int traffic_class = settings_[option::traffic_class];
  if (traffic_class >= 0) id_.type_of_service(static_cast<std::uint8_t>(traffic_class), ec);
  id_.resolve_route(cm::resolve_timeout, ec);
  if (ec) fail_connect(io::to_error(ec), failure_step::resolve_route);
}

void connection::route_resolved() {
  if (const error e = engine_.create(id_, settings_)) return fail_connect(e, failure_step::create_resources);
  transfer::handshake ours = engine_.describe();
  ours.loopback = loopback_;
  ours.loopback_v4 = loopback_v4_;
  ours.asked_v6 = v6_socket_;
  const auto text = transfer::encode_handshake(ours);
  phase_ = phase::connecting;
  error_code ec;
  id_.connect(parameters(settings_, engine_.queues().number(), text.data(), text.size()), ec);
  if (ec) fail_connect(io::to_error(ec), failure_step::connect);
}

void connection::answered(const verbs::cm_event& event) {
  const auto peer = transfer::decode_handshake(event.private_data.data(), event.private_data_size);
  if (!peer) return fail_connect(cm::handshake_error(peer.error), failure_step::connect);
  const auto agreed = transfer::agree(engine_.describe(), peer.value);
  if (!agreed) return fail_connect(library_error::mode_mismatch, failure_step::connect);
  engine_.start(peer.value, *agreed);
  if (const error e = engine_.make_ready(id_, settings_)) return fail_connect(e, failure_step::create_resources);
  if (const error e = cm::establish(id_)) return fail_connect(e, failure_step::connect);
  engine_.queues().show(id_);

  const std::uint16_t port = id_.source_port();
  switch (loopback_) {
    case transfer::loopback::v4:
      local_ = make_v4(INADDR_LOOPBACK, port);
      break;
    case transfer::loopback::v6:
      local_ = loopback_v6(port);
      break;
    case transfer::loopback::none:
      local_ = verbs::to_storage(id_.local_address());
      break;
  }
  if (v6_socket_) local_ = mapped(local_);
  become_established();
}

error connection::accept(verbs::cm_id& id, std::shared_ptr<cm::service> service, const transfer::handshake& peer,
                         const rdma_conn_param& request, bool v6_socket, decision decided) {
  const lock_type lock(mutex_);
  if (const error e = engine_.create(id, settings_)) return e;
  const auto agreed = transfer::agree(engine_.describe(), peer);
  if (!agreed) {
    engine_.destroy(id);
    return library_error::mode_mismatch;
  }
  engine_.start(peer, *agreed);
  if (const error e = engine_.make_ready(id, settings_)) {
    engine_.destroy(id);
    return e;
  }
  const auto text = transfer::encode_handshake(engine_.describe());

  local_ = verbs::to_storage(id.local_address());
  remote_ = verbs::to_storage(id.peer_address());
  switch (peer.loopback) {
    case transfer::loopback::v4:
      local_ = make_v4(peer.loopback_v4, port_of(local_));
      remote_ = make_v4(INADDR_LOOPBACK, port_of(remote_));
      break;
    case transfer::loopback::v6:
      local_ = loopback_v6(port_of(local_));
      remote_ = loopback_v6(port_of(remote_));
      break;
    case transfer::loopback::none:
      break;
  }
  if (v6_socket) {
    local_ = mapped(local_);
    remote_ = mapped(remote_);
  }
  failure_.set_peer(remote_);
  failure_.set_device(id.context().name());

  rdma_conn_param reply = parameters(settings_, engine_.queues().number(), text.data(), text.size());
  reply.responder_resources = std::min(reply.responder_resources, request.initiator_depth);
  reply.initiator_depth = std::min(reply.initiator_depth, request.responder_resources);
  phase_ = phase::accepting;
  service->adopt(shared_from_this(), id);  // before its events can come
  error_code ec;
  id.accept(reply, ec);
  if (ec) {
    phase_ = phase::failed;
    engine_.destroy(id);
    return io::to_error(ec);
  }
  service_ = std::move(service);
  id_ = std::move(id);
  decided_ = std::move(decided);
  passive_ = true;
  enter_registry();
  engine_.queues().show(id_);
  // A client that asked and never answers our reply is given up.
  setup_timer_ = after(std::chrono::milliseconds(settings_[option::connect_timeout]), &connection::accept_timed_out);
  return {};
}

void connection::accept_timed_out() noexcept {
  if (phase_ == phase::accepting) fail_accept();
}

void connection::established(const verbs::cm_event&) {
  become_established();
  tell_listener(true);
}

void connection::become_established() {
  phase_ = phase::established;
  io::background::instance().cancel(setup_timer_);
  established_at_ = std::chrono::steady_clock::now();
  drain_at_exit();
  restart_keepalive();
  engine_.flush();
  wake_everybody();
}

void connection::fail_accept() noexcept {
  phase_ = phase::failed;
  io::background::instance().cancel(setup_timer_);
  engine_.destroy(id_);
  service_->destroy(std::move(id_));
  leave_registry();
  tell_listener(false);
}

void connection::tell_listener(bool is_established) {
  if (const decision decided = std::move(decided_)) decided(shared_from_this(), is_established);
  decided_ = nullptr;
}

void connection::connect_failed(const verbs::cm_event& event) {
  if (phase_ == phase::accepting) return fail_accept();
  if (!is_pending()) return;
  failure_.set_event(event);
  const char* detail = nullptr;
  error e;
  switch (event.type) {
    case RDMA_CM_EVENT_REJECTED:
      e = cm::reject_error(event, detail);
      break;
    case RDMA_CM_EVENT_UNREACHABLE:
      e = error(ETIMEDOUT);
      break;  // our request got no answer
    case RDMA_CM_EVENT_CONNECT_ERROR:
      e = io::to_error(event.error());
      break;
    default: {
      sockaddr_storage carried;
      (void)carrier_of(devices_, remote_, carried);
      const bool unanswered = event.status == 0 || event.status == -ETIMEDOUT;
      e = explain_resolve_error(devices_, error(unanswered ? EHOSTUNREACH : -event.status), carried);
    }
  }
  const failure_step step = phase_ == phase::resolving_address ? failure_step::resolve_address
                            : phase_ == phase::resolving_route ? failure_step::resolve_route
                                                               : failure_step::connect;
  fail_connect(e, step, detail);
}

void connection::disconnected(const verbs::cm_event& event) {
  switch (phase_) {
    case phase::connecting:
      fail_connect(error(ECONNRESET), failure_step::connect);
      break;
    case phase::accepting:
      fail_accept();
      break;
    case phase::disconnecting:
      teardown();
      break;
    case phase::established: {
      failure_.set_event(event);
      peer_disconnected_ = true;
      error_code ignored;
      id_.disconnect(ignored);  // the answer that the peer waits for
      progress();
      stop();  // on rxe of Linux 6.1 a disconnect flushes nothing
      wake_everybody();
      update_background();
      break;
    }
    default:
      break;
  }
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
