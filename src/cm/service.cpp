// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "cm/service.hpp"

#include "io/verbs_error.hpp"
#include "log/log.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <map>

namespace asio_rdma {
inline namespace v1 {
namespace cm {

using verbs::error_code;

core::error service::instance(const verbs::api& table, std::shared_ptr<service>& result) {
  // Never destroyed: events may come until the process ends.
  static std::mutex& mutex = *new std::mutex;
  static auto& services = *new std::map<const verbs::api*, std::shared_ptr<service>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<service>& opened = services[&table];
  if (!opened) {
    auto candidate = std::make_shared<service>();
    if (const core::error e = candidate->open(table)) return e;
    opened = std::move(candidate);
  }
  result = opened;
  return {};
}

core::error service::open(const verbs::api& table) {
  error_code ec;
  channel_ = verbs::event_channel::create(ec, table);
  if (!ec) channel_.nonblocking(true, ec);
  if (ec) return io::to_error(ec);
  io::background& thread = io::background::instance();
  if (const int e = thread.start()) return core::error(e);
  watch_ = thread.add(channel_.fd(), weak_from_this());
  thread.arm(watch_, channel_.fd());
  return {};
}

core::error service::create_id(std::shared_ptr<endpoint> e, verbs::cm_id& result, rdma_port_space space) {
  error_code ec;
  result = verbs::cm_id::create(channel_, space, nullptr, ec);
  if (ec) return io::to_error(ec);
  adopt(std::move(e), result);
  return {};
}

void service::adopt(std::shared_ptr<endpoint> e, const verbs::cm_id& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  endpoints_[id.native_handle()] = std::move(e);
}

void service::destroy(verbs::cm_id id) noexcept {
  if (!id) return;
  std::shared_ptr<endpoint> last_reference;  // let go of after the lock
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = endpoints_.find(id.native_handle());
    if (found != endpoints_.end()) {
      last_reference = std::move(found->second);
      endpoints_.erase(found);
    }
  }
  id.reset();
}

void service::refuse(verbs::cm_id id, transfer::mode listener, transfer::reject_reason reason) noexcept {
  const auto text = transfer::encode_reject(listener, reason);
  error_code ignored;
  id.reject(text.data(), static_cast<std::uint8_t>(text.size()), ignored);
  destroy(std::move(id));
}

void service::on_readable() noexcept {
  for (;;) {
    verbs::cm_event event;
    std::shared_ptr<endpoint> target;
    {
      // The event is taken and its endpoint looked up in one step. Between the two, the id could be destroyed and
      // another be made at its address.
      const std::lock_guard<std::mutex> lock(mutex_);
      error_code ec;
      event = channel_.get_event(ec);
      if (ec) {
        if (ec != boost::system::errc::operation_would_block) {
          log(log_level::error, "connection manager: %s", ec.message().c_str());
        }
        break;
      }
      const bool request = event.type == RDMA_CM_EVENT_CONNECT_REQUEST;
      const auto found = endpoints_.find(request ? event.listen_id : event.id);
      if (found != endpoints_.end()) target = found->second;
    }
    if (target) {
      target->on_event(event);
    } else if (event.type == RDMA_CM_EVENT_CONNECT_REQUEST) {
      verbs::cm_id::adopt(event.id, table()).reset();  // its listener is gone; destroying the id refuses the request
    }
  }
  io::background::instance().arm(watch_, channel_.fd());
}

}  // namespace cm
}  // namespace v1
}  // namespace asio_rdma
