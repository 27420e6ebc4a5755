// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_CM_SERVICE_HPP
#define ASIO_RDMA_SRC_CM_SERVICE_HPP

#include "io/background.hpp"
#include "transfer/handshake.hpp"

#include <asio_rdma/detail/core/error.hpp>
#include <asio_rdma/verbs/cm_id.hpp>
#include <asio_rdma/verbs/event_channel.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace asio_rdma {
inline namespace v1 {
namespace cm {

/// How long the kernel looks for a link address or a route. Who waits for it bounds all steps together.
constexpr std::chrono::milliseconds resolve_timeout{2000};

/// What receives the events of a connection manager id.
class endpoint {
public:
  /// Called on the internal thread with an event that has been copied and acknowledged, so that it may destroy the id.
  /// For a connect request, which goes to the listener's endpoint, event.id is the new connection's.
  virtual void on_event(const verbs::cm_event& event) noexcept = 0;

protected:
  ~endpoint() = default;
};

/// The connection manager of one kind of devices: one event channel for each table of functions, served by the internal
/// thread. Thread-safe.
class service final : public io::background::watched, public std::enable_shared_from_this<service> {
public:
  /// The process's instance for a table. Opens the event channel on first use; while that fails (no device, no
  /// rdma_ucm, no thread), every call tries again and says why.
  static core::error instance(const verbs::api& table, std::shared_ptr<service>& result);

  const verbs::api& table() const noexcept { return channel_.table(); }

  /// Makes an id whose events go to the endpoint, which is kept alive until destroy().
  core::error create_id(std::shared_ptr<endpoint> e, verbs::cm_id& result, rdma_port_space space = RDMA_PS_TCP);
  /// The same for an id that came with a connect request.
  void adopt(std::shared_ptr<endpoint> e, const verbs::cm_id& id);
  /// Destroys an id and its queue pair. No event of it is delivered after one that is being delivered now. May be
  /// called from on_event().
  void destroy(verbs::cm_id id) noexcept;
  /// Refuses a connect request, and destroys its id.
  void refuse(verbs::cm_id id, transfer::mode listener, transfer::reject_reason reason) noexcept;

  void on_readable() noexcept override;

private:
  core::error open(const verbs::api& table);

  std::mutex mutex_;
  verbs::event_channel channel_;
  io::background::watch_id watch_ = 0;
  std::unordered_map<rdma_cm_id*, std::shared_ptr<endpoint>> endpoints_;
};

}  // namespace cm
}  // namespace v1
}  // namespace asio_rdma

#endif
