// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "socket/listener.hpp"

#include "io/background.hpp"
#include "io/verbs_error.hpp"
#include "log/log.hpp"
#include "socket/address.hpp"
#include "socket/carrier.hpp"
#include "socket/failure_record.hpp"
#include "socket/registry.hpp"
#include "verbs/local_addresses.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace asio_rdma {
inline namespace v1 {
namespace core {

using transfer::reject_reason;
using verbs::error_code;

namespace {

/// Each waiting connection holds buffers and queues, some 30 KiB. As many as the kernel's own limit (rdma_ucm's
/// max_backlog) for requests that the internal thread has not seen yet.
constexpr int largest_backlog = 1024;

/// Closes a connection that nobody is left to accept: later, since its own mutex is locked now.
void close_later(const std::shared_ptr<connection>& c) {
  io::background::instance().post([c] { c->close(); });
}

}  // namespace

error listener::listen(verbs::cm_id id, std::shared_ptr<cm::service> service, int backlog) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!notifier_.open()) return error(errno);
  backlog_ = static_cast<std::size_t>(std::clamp(backlog, 1, largest_backlog));
  service_ = std::move(service);
  service_->adopt(shared_from_this(), id);
  id_ = std::move(id);
  error_code ec;
  id_.listen(largest_backlog, ec);
  if (ec) {
    service_->destroy(std::move(id_));
  } else {
    number_ = registry::instance().add(shared_from_this());
  }
  return io::to_error(ec);
}

void listener::set_backlog(int backlog) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  backlog_ = static_cast<std::size_t>(std::clamp(backlog, 1, largest_backlog));
}

void listener::on_event(const verbs::cm_event& event) noexcept {
  if (event.type == RDMA_CM_EVENT_CONNECT_REQUEST) requested(event);
  // Without its device a listener on a specific address hears nothing more; one on any address goes on with the others.
  if (event.type == RDMA_CM_EVENT_DEVICE_REMOVAL) log(log_level::warning, "listener: its device was removed");
}

void listener::requested(const verbs::cm_event& event) {
  verbs::cm_id id = verbs::cm_id::adopt(event.id, service_->table());
  transfer::handshake_result peer;
  reject_reason reason{};
  settings s;
  if (!may_take(event, id, peer, reason)) return refuse(std::move(id), reason);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    s = settings_;
  }
  const auto c = std::make_shared<connection>(mode_, s, devices_);
  const bool v6_socket = asked_.ss_family == AF_INET6;
  const error e = c->accept(id, service_, peer.value, event.connection, v6_socket,
                            [weak = weak_from_this()](const std::shared_ptr<connection>& decided, bool established) {
                              if (const auto self = weak.lock()) {
                                self->decided(decided, established);
                              } else if (established) {
                                close_later(decided);
                              }
                            });
  if (!e) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    --pending_;
  }
  char text[512];
  error_text(e, text, sizeof text);
  log(log_level::warning, "listener: cannot take a connection: %s", text);
  refuse(std::move(id),
         e == library_error::mode_mismatch ? reject_reason::mode_mismatch : reject_reason::out_of_resources);
}

bool listener::may_take(const verbs::cm_event& event, const verbs::cm_id& id, transfer::handshake_result& peer,
                        reject_reason& reason) {
  peer = transfer::decode_handshake(event.private_data.data(), event.private_data_size);
  if (!peer) {
    reason = transfer::reason_for(peer.error);
  } else if (peer.value.mode != mode_) {
    reason = reject_reason::mode_mismatch;
  } else if (!reaches_us(peer.value, id)) {
    reason = reject_reason::not_loopback;
  } else {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!closed_ && pending_ + established_.size() < backlog_) {
      ++pending_;
      return true;
    }
    reason = closed_ ? reject_reason::closing : reject_reason::backlog_full;
  }
  return false;
}

bool listener::reaches_us(const transfer::handshake& peer, const verbs::cm_id& id) const {
  // A listener on any address hears what comes to devices that were not chosen, too.
  if (!id.context() || !devices_.allows(id.context().name())) return false;
  if (!carries_loopback(devices_)) return peer.loopback == transfer::loopback::none;
  // What TCP's kernel would do: a socket bound to loopback hears loopback only, one bound to another address does not
  // hear loopback at all, and an IPv4 socket hears no IPv6. All of these may arrive at one address here.
  if (peer.loopback == transfer::loopback::none) return !is_loopback(asked_);
  if (!verbs::is_local_address(id.peer_address())) return false;
  if (!is_loopback(asked_) && !is_any(asked_)) return false;
  return peer.loopback == transfer::loopback::v4 ? asked_.ss_family == AF_INET || is_any(asked_)
                                                 : asked_.ss_family == AF_INET6;
}

void listener::count_refusal(reject_reason reason) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  switch (reason) {
    case reject_reason::backlog_full:
      ++counters_.refused_backlog;
      break;
    case reject_reason::out_of_resources:
      ++counters_.refused_resources;
      break;
    default:
      ++counters_.refused_other;
  }
}

void listener::refuse(verbs::cm_id id, reject_reason reason) noexcept {
  count_refusal(reason);
  service_->refuse(std::move(id), mode_, reason);
}

void listener::decided(const std::shared_ptr<connection>& c, bool established) {
  const std::lock_guard<std::mutex> lock(mutex_);
  --pending_;
  if (!established) {
    ++counters_.unconfirmed;
    return;
  }
  if (closed_) return close_later(c);
  established_.push_back(c);
  notifier_.signal();
  threads_.wake_all();
}

error listener::accept(std::shared_ptr<connection>& result) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return error(EBADF);
  if (established_.empty()) return error(EAGAIN);
  result = std::move(established_.front());
  established_.pop_front();
  ++counters_.accepted;
  return {};
}

error listener::ready(readiness kind) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return error(EBADF);
  return kind == readiness::read && !established_.empty() ? error() : error(EAGAIN);
}

void listener::close() noexcept {
  std::deque<std::shared_ptr<connection>> orphans;
  verbs::cm_id id;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return;
    closed_ = true;
    socket_statistics last;
    collect(last);
    registry::instance().remove_listener(last);
    orphans.swap(established_);
    id = std::move(id_);
    threads_.wake_all();
  }
  // At once, so that the port is free when this returns.
  service_->destroy(std::move(id));
  for (const auto& c : orphans) {
    (void)c->set_option(option::linger, 0);
    c->close();
  }
}

int listener::prepare_wait() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  notifier_.clear();
  return closed_ || !established_.empty() ? -1 : notifier_.fd();
}

void listener::wait() noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!closed_ && established_.empty()) threads_.sleep(lock, -1);
}

void listener::set_option(option name, int value) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  (void)settings_.set(name, value);
}

void* listener::native_id() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return id_.native_handle();
}

void listener::statistics(socket_statistics& result) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  collect(result);
}

void listener::collect(socket_statistics& result) const noexcept {
  result.number = number_;
  result.state = closed_ ? connection_state::closed : connection_state::listening;
  result.local = asked_;
  if (id_ && id_.context()) {
    std::snprintf(result.device, sizeof result.device, "%s", id_.context().name());
    result.port = id_.port();
  }
  result.listener = counters_;
  result.listener.waiting = established_.size();
  result.listener.pending = pending_;
  result.listener.backlog = backlog_;
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
