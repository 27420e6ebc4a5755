// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "raw/cm_listener.hpp"

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
using transfer::reject_reason;
using verbs::error_code;
using lock_type = std::lock_guard<std::mutex>;

error cm_listener::listen(int backlog) {
  const lock_type lock(mutex_);
  if (!notifier_.open()) return error(errno);
  backlog_ = static_cast<std::size_t>(std::max(backlog, 1));
  if (const error e = cm::service::instance(*devices_.table, service_)) return e;
  if (const error e = service_->create_id(shared_from_this(), id_, port_space(settings_.transport))) return e;
  sockaddr_storage carried;
  error e = core::carrier_of(devices_, asked_, carried);
  error_code ec;
  if (!e) {
    id_.reuse_address(true, ec);
    id_.bind(core::as_sockaddr(carried), ec);
    e = core::explain_bind_error(devices_, io::to_error(ec), carried);
  }
  if (!e && id_.context()) e = core::check_device(devices_, id_.context().name(), carried);
  if (!e) {
    id_.listen(static_cast<int>(backlog_), ec);
    e = io::to_error(ec);
  }
  if (e) {
    service_->destroy(std::move(id_));
    return e;
  }
  core::set_port(asked_, id_.source_port());
  return {};
}

void cm_listener::on_event(const verbs::cm_event& event) noexcept {
  if (event.type != RDMA_CM_EVENT_CONNECT_REQUEST) return;
  cm_request request;
  request.id = verbs::cm_id::adopt(event.id, service_->table());
  request.parameters = event.connection;
  reject_reason reason{};
  if (!may_take(event, request, reason)) refuse(std::move(request.id), reason);
}

bool cm_listener::may_take(const verbs::cm_event& event, cm_request& request, reject_reason& reason) {
  transfer::handshake_error fault{};
  bool is_raw = false;
  if (!read_greeting(event, settings_.transport, request.peer, fault, is_raw)) {
    const bool other_mode = fault == transfer::handshake_error::none && !is_raw;
    reason = other_mode ? reject_reason::mode_mismatch : transfer::reason_for(fault);
  } else if (!reaches_us(request.id)) {
    reason = reject_reason::not_loopback;
  } else {
    const lock_type lock(mutex_);
    reason = closed_ ? reject_reason::closing : reject_reason::backlog_full;
    if (closed_ || requests_.size() >= backlog_) return false;
    requests_.push_back(std::move(request));
    notifier_.signal();
    return true;
  }
  return false;
}

bool cm_listener::reaches_us(const verbs::cm_id& id) const {
  // A listener on any address hears what comes to devices that were not chosen, too.
  if (!id.context() || !devices_.allows(id.context().name())) return false;
  if (!core::carries_loopback(devices_) || !core::is_loopback(asked_)) return true;
  return verbs::is_local_address(id.peer_address());
}

void cm_listener::refuse(verbs::cm_id id, reject_reason reason) noexcept {
  service_->refuse(std::move(id), transfer::mode::raw, reason);
}

error cm_listener::take(std::shared_ptr<connection>& result) {
  cm_request request;
  if (const error e = take_first(requests_, request)) return e;
  const auto made = std::make_shared<cm_connection>(settings_, devices_);
  if (const error e = made->take(request, service_)) {
    refuse(std::move(request.id), reject_reason::out_of_resources);
    return e;
  }
  result = made;
  return {};
}

void cm_listener::close() noexcept {
  verbs::cm_id id;
  std::deque<cm_request> orphans;
  {
    const lock_type lock(mutex_);
    if (closed_) return;
    closed_ = true;
    id = std::move(id_);
    orphans.swap(requests_);
    notifier_.signal();
  }
  if (id) service_->destroy(std::move(id));
  for (cm_request& r : orphans) refuse(std::move(r.id), reject_reason::closing);
}

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma
