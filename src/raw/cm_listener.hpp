// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_RAW_CM_LISTENER_HPP
#define ASIO_RDMA_SRC_RAW_CM_LISTENER_HPP

#include "raw/cm_connection.hpp"
#include "raw/listener.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace raw {

/// A listener of the connection manager's. A request waits here, unanswered, until it is taken: so its taker can post
/// receives and register memory before the peer may send.
class cm_listener final : public listener,
                          public cm::endpoint,
                          public std::enable_shared_from_this<cm_listener> {
public:
  cm_listener(const core::raw_settings& s, const core::device_choice& devices, const sockaddr_storage& asked)
      : listener(s, asked), devices_(devices) {}

  core::error listen(int backlog);
  core::error take(std::shared_ptr<connection>& result) override;
  void close() noexcept override;

  void on_event(const verbs::cm_event& event) noexcept override;

private:
  bool may_take(const verbs::cm_event& event, cm_request& request, transfer::reject_reason& reason);
  bool reaches_us(const verbs::cm_id& id) const;
  void refuse(verbs::cm_id id, transfer::reject_reason reason) noexcept;

  const core::device_choice devices_;
  std::shared_ptr<cm::service> service_;
  verbs::cm_id id_;
  std::deque<cm_request> requests_;
};

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma

#endif
