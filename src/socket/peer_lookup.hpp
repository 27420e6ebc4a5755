// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_PEER_LOOKUP_HPP
#define ASIO_RDMA_SRC_SOCKET_PEER_LOOKUP_HPP

#include "cm/service.hpp"
#include "device/choice.hpp"
#include "transfer/handshake.hpp"

#include <asio_rdma/detail/core/error.hpp>
#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/verbs/cm_id.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

namespace asio_rdma {
inline namespace v1 {
namespace core {

class peer_lookup;

/// Whoever has asked. It guards its lookups by its mutex.
class lookup_owner {
public:
  /// An event for the lookup, on the internal thread: to be passed to advance().
  virtual void on_lookup_event(const std::shared_ptr<peer_lookup>& lookup, const verbs::cm_event& event) noexcept = 0;

protected:
  ~lookup_owner() = default;
};

/// Asks the connection manager where datagrams to an address have to go: for one peer its queue pair (SIDR), for a
/// multicast group the group's. A group is joined meanwhile, and stays so until this is destroyed.
class peer_lookup final : public cm::endpoint, public std::enable_shared_from_this<peer_lookup> {
public:
  enum class status { waiting, found, failed };

  struct question {
    sockaddr_storage source{};       ///< family 0: the route's
    sockaddr_storage destination{};  ///< as the user means it; its carrier is found here
    bool is_group = false;
    bool send_only = true;  ///< of a group: to send to it, and not to receive
    transfer::loopback asked_loopback = transfer::loopback::none;
    int traffic_class = -1;  ///< -1: the connection manager's
  };

  struct answer {
    ibv_ah_attr path{};
    std::uint32_t queue_pair = 0;
    std::uint32_t qkey = 0;
    std::uint32_t largest_payload = 0;  ///< 0 if it was not told
  };

  peer_lookup(std::weak_ptr<lookup_owner> owner, const device_choice& devices, const question& q)
      : owner_(std::move(owner)), devices_(devices), question_(q) {}

  /// Begins. On failure, which is what the calls say at once, it is over.
  error start(std::shared_ptr<cm::service> service);
  status advance(const verbs::cm_event& event);
  /// Destroys the id. No event comes afterwards.
  void end() noexcept;

  bool is_over() const noexcept { return !id_; }
  const question& asked() const noexcept { return question_; }
  const answer& found() const noexcept { return answer_; }
  const verbs::cm_id_ref& id() const noexcept { return id_; }
  const error& why() const noexcept { return error_; }
  failure_step step() const noexcept { return step_; }

  void on_event(const verbs::cm_event& event) noexcept override {
    if (const auto owner = owner_.lock()) owner->on_lookup_event(shared_from_this(), event);
  }

private:
  error join() noexcept;
  status go_on(const error& e, failure_step step) noexcept;
  status answered(const verbs::cm_event& event) noexcept;
  error explain(const verbs::cm_event& event) noexcept;

  const std::weak_ptr<lookup_owner> owner_;
  const device_choice& devices_;  // the owner's
  const question question_;
  std::shared_ptr<cm::service> service_;
  verbs::cm_id id_;
  bool has_joined_ = false;
  sockaddr_storage carried_{};
  answer answer_;
  error error_;
  failure_step step_ = failure_step::resolve_address;
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
