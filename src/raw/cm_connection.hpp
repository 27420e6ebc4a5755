// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_RAW_CM_CONNECTION_HPP
#define ASIO_RDMA_SRC_RAW_CM_CONNECTION_HPP

#include "cm/service.hpp"
#include "device/choice.hpp"
#include "raw/connection.hpp"
#include "raw/exchange_greeting.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace raw {

/// A request for a connection that a listener has heard and nobody has answered yet.
struct cm_request {
  verbs::cm_id id;
  exchange_greeting peer;  ///< the link is for datagrams
  rdma_conn_param parameters{};
};

/// What stands in the private data of a request or an answer: true if it is in order for that transport, else why not.
bool read_greeting(const verbs::cm_event& event, core::raw_transport transport, exchange_greeting& result,
                   transfer::handshake_error& fault, bool& is_raw) noexcept;

inline rdma_port_space port_space(core::raw_transport t) noexcept {
  return t == core::raw_transport::reliable ? RDMA_PS_TCP : RDMA_PS_UDP;
}

/// A raw connection that the connection manager sets up. It brings reliable queue pairs together; of datagrams it says
/// only where somebody listens, and both ends tell each other the rest in its private data.
class cm_connection final : public connection, public cm::endpoint {
public:
  cm_connection(const core::raw_settings& s, const core::device_choice& devices) : connection(s), devices_(devices) {}

  /// The active side.
  core::error open(const sockaddr_storage& address);
  /// The passive side: makes the queues. On failure the request is still the caller's.
  core::error take(cm_request& request, std::shared_ptr<cm::service> service);

  void on_event(const verbs::cm_event& event) noexcept override;

protected:
  core::error start_establishing() override;
  rdma_cm_id* native_id() const noexcept override { return id_.native_handle(); }
  void disconnect() noexcept override;

private:
  std::shared_ptr<cm_connection> self() { return std::static_pointer_cast<cm_connection>(shared_from_this()); }
  core::error create_queues();
  void address_resolved();
  void answered(const verbs::cm_event& event);
  void failed(const verbs::cm_event& event);
  void disconnected(const verbs::cm_event& event);
  core::error check(const verbs::cm_event& event);
  core::error make_ready();
  core::error accept(rdma_conn_param reply);
  rdma_conn_param parameters(const void* greeting, std::size_t size) const noexcept;
  /// Lets the id go, and with it the way to the peer.
  void drop_id() noexcept;

  const core::device_choice devices_;
  std::shared_ptr<cm::service> service_;
  verbs::cm_id id_;
  sockaddr_storage carried_{};  // the address that carries the one that was asked for
  bool passive_ = false;
  rdma_conn_param request_{};  // passive: what the peer asked for
  path path_;                  // datagrams
  exchange_greeting peer_;
};

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma

#endif
