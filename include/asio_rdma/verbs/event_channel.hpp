// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_EVENT_CHANNEL_HPP
#define ASIO_RDMA_VERBS_EVENT_CHANNEL_HPP

#include <asio_rdma/verbs/cm_event.hpp>
#include <asio_rdma/verbs/detail/nonblocking.hpp>
#include <asio_rdma/verbs/detail/owner.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// Where the connection manager reports its events (rdma_event_channel). All ids on it have to be destroyed or
/// migrated before it. Thread-safe.
class event_channel : public detail::owner<ref<rdma_event_channel>, &api::cm_destroy_event_channel> {
public:
  event_channel() noexcept = default;
  /// rdma_create_event_channel. Throws boost::system::system_error.
  explicit event_channel(const api& table) {
    error_code ec;
    *this = create(ec, table);
    detail::throw_error(ec, "rdma_create_event_channel");
  }
  /// errc::no_device on a machine without hardware: it is the first call of the connection manager to find out. EACCES
  /// without access to /dev/infiniband/rdma_cm. The software device gives errno.
  static event_channel create(error_code& ec, const api& table = rdma_core()) noexcept {
    rdma_event_channel* const channel = table.cm_create_event_channel();
    ec = channel != nullptr ? error_code() : detail::device_error_code(errno, &table == &software_device());
    return event_channel(ref<rdma_event_channel>(channel, table));
  }
  /// Throws boost::system::system_error.
  static event_channel create(const api& table = rdma_core()) { return event_channel(table); }

  /// Becomes readable when an event waits.
  int fd() const noexcept { return handle_->fd; }

  /// Makes get_event() return would_block instead of waiting.
  void nonblocking(bool on, error_code& ec) const noexcept { detail::set_nonblocking(fd(), on, ec); }
  /// Throws boost::system::system_error.
  void nonblocking(bool on) const {
    error_code ec;
    nonblocking(on, ec);
    detail::throw_error(ec, "verbs: nonblocking");
  }

  /// Takes the next event and acknowledges it at once (rdma_get_cm_event, rdma_ack_cm_event): what is returned is a
  /// copy, and its id may be destroyed right away.
  cm_event get_event(error_code& ec) const noexcept {
    rdma_cm_event* event = nullptr;
    if (!detail::check(table_->cm_get_event(handle_, &event), ec)) return {};
    const cm_event result = cm_event::copy(*event);
    table_->cm_ack_event(event);  // fails for a null pointer only
    return result;
  }
  /// Throws boost::system::system_error.
  cm_event get_event() const {
    error_code ec;
    const cm_event result = get_event(ec);
    detail::throw_error(ec, "rdma_get_cm_event");
    return result;
  }

private:
  explicit event_channel(ref<rdma_event_channel> view) noexcept : owner(view) {}
};

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
