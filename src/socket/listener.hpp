// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_LISTENER_HPP
#define ASIO_RDMA_SRC_SOCKET_LISTENER_HPP

#include "cm/service.hpp"
#include "device/choice.hpp"
#include "io/notifier.hpp"
#include "io/wait_list.hpp"
#include "options/settings.hpp"
#include "socket/connection.hpp"
#include "transfer/handshake.hpp"

#include <asio_rdma/detail/core/statistics.hpp>
#include <asio_rdma/verbs/cm_id.hpp>

#include <deque>
#include <memory>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// Takes connections in the background, up to its backlog, so that a peer's connect succeeds before any accept() and
/// without one. Thread-safe. Lock order: a connection's mutex before its listener's.
class listener final : public cm::endpoint, public std::enable_shared_from_this<listener> {
public:
  /// asked is the address that the user bound to; the id given to listen() is bound to the one that carries it.
  /// mode, stream or message, is that of its connections.
  listener(transfer::mode mode, const settings& s, const sockaddr_storage& asked, const device_choice& devices)
      : mode_(mode), settings_(s), asked_(asked), devices_(devices) {}

  error listen(verbs::cm_id id, std::shared_ptr<cm::service> service, int backlog);
  void set_backlog(int backlog) noexcept;
  error accept(std::shared_ptr<connection>& result) noexcept;
  error ready(readiness kind) noexcept;
  void close() noexcept;

  int prepare_wait() noexcept;
  void wait() noexcept;

  void set_option(option name, int value) noexcept;
  void* native_id() noexcept;
  void statistics(socket_statistics& result) noexcept;

  void on_event(const verbs::cm_event& event) noexcept override;

private:
  void requested(const verbs::cm_event& event);
  bool may_take(const verbs::cm_event& event, const verbs::cm_id& id, transfer::handshake_result& peer,
                transfer::reject_reason& reason);
  bool reaches_us(const transfer::handshake& peer, const verbs::cm_id& id) const;
  void decided(const std::shared_ptr<connection>& c, bool established);
  void refuse(verbs::cm_id id, transfer::reject_reason reason) noexcept;
  void count_refusal(transfer::reject_reason reason) noexcept;
  void collect(socket_statistics& result) const noexcept;

  const transfer::mode mode_;
  std::mutex mutex_;
  settings settings_;
  const sockaddr_storage asked_;
  const device_choice devices_;
  std::shared_ptr<cm::service> service_;
  verbs::cm_id id_;
  bool closed_ = false;
  std::size_t backlog_ = 1;
  std::size_t pending_ = 0;  // accepted, and the peer has not confirmed
  std::deque<std::shared_ptr<connection>> established_;
  listener_counters counters_;
  std::uint64_t number_ = 0;  // in the registry
  io::notifier notifier_;
  io::wait_list threads_;
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
