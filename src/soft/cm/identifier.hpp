// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_CM_IDENTIFIER_HPP
#define ASIO_RDMA_SRC_SOFT_CM_IDENTIFIER_HPP

#include "soft/cm/event_channel.hpp"
#include "soft/cm/message.hpp"
#include "soft/cm/ports.hpp"
#include "soft/descriptor.hpp"
#include "soft/loop.hpp"
#include "soft/peer.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <sys/socket.h>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

enum class id_state {
  idle,
  bound,
  resolving_address,
  address_resolved,
  resolving_route,
  route_resolved,
  listening,
  // The side that connects:
  looking,    // for the process that listens
  reaching,   // waits until that process can be sent to
  requested,  // the request is sent
  answered,   // the reply came
  // The side that accepts:
  incoming,  // the request came
  accepted,  // the reply is sent
  // Both:
  established,
  disconnecting,  // disconnect is sent
  asked_to,       // disconnect came
  over,           // of datagram ids too, which are done once the request is answered
};

/// One that an id has joined.
struct membership {
  std::uint64_t number = 0;
  sockaddr_storage address{};
  void* context = nullptr;
  ibv_gid gid{};
  bool send_only = false;
  bool attached = false;  // guarded by the id's qp_mutex
  unsigned unacknowledged = 0;
};

/// An id. What the public struct has is written by the user's threads only, as by librdmacm, so that users can read it
/// without a lock: the rest is guarded by the manager's mutex.
struct identifier : rdma_cm_id {
  identifier() noexcept : rdma_cm_id() {}

  std::uint64_t number = 0;
  id_state state = id_state::idle;
  event_channel* events = nullptr;
  unsigned unacknowledged = 0;  // events that the user has taken
  bool is_synchronous = false;  // the channel is the id's own

  bool reuse = false;
  bool v6_only = false;
  std::optional<std::uint8_t> ack_timeout;

  sockaddr_storage local{};
  sockaddr_storage remote{};
  port_claim port;
  ibv_sa_path_rec path{};  // the public struct points to it

  std::vector<descriptor> doors;  // of a listener: where those who look for it knock
  unsigned backlog = 0;
  unsigned requests = 0;  // that the user has not taken

  std::vector<std::string> names_to_try;
  descriptor knocking;
  unsigned listener_slot = 0;
  std::uint64_t listener = 0;
  std::uint64_t listener_instance = 0;

  std::shared_ptr<peer> process;  // the other side's
  std::uint64_t remote_number = 0;
  message ours;    // what this side sends: request or reply
  message theirs;  // what the other side sent
  std::uint8_t responder_resources = 0;
  std::uint8_t initiator_depth = 0;
  /// When waiting ends.
  std::optional<loop::clock::time_point> deadline;

  std::list<membership> groups;

  /// What get_request() makes queue pairs with.
  std::optional<ibv_qp_init_attr> request_qp;

  /// Held while the connection manager works on qp, which may take long. Before the manager's mutex.
  std::mutex qp_mutex;
  bool connect_error = false;  // guarded by qp_mutex: CONNECT_ERROR was reported, nothing else will be
};

inline identifier& to_identifier(rdma_cm_id* id) noexcept {
  return static_cast<identifier&>(*id);
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
