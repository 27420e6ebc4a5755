// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/calls.hpp"
#include "soft/cm/manager.hpp"
#include "soft/cm/parameters.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

// The side that was asked.
namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

namespace {

int accept_datagrams(manager& m, identifier& i, const message& reply) {
  const lock_type lock(m.mutex);
  if (i.state != id_state::incoming) return fail(EINVAL);
  i.state = id_state::over;
  m.send(i, reply);
  return 0;
}

}  // namespace

int accept(rdma_cm_id* id, rdma_conn_param* parameters) {
  manager& m = manager::instance();
  identifier& i = to_identifier(id);
  message reply;
  if (const int e = make_message(i, message_type::reply, parameters, reply)) return fail(e);
  if (i.ps == RDMA_PS_UDP) return accept_datagrams(m, i, reply);
  {
    const lock_type lock(m.mutex);
    if (i.state != id_state::incoming) return fail(EINVAL);
    // Where the user leaves it to us, it is what the other side asked for.
    if (!parameters || parameters->responder_resources == RDMA_MAX_RESP_RES) {
      reply.responder_resources = std::min(reply.responder_resources, i.responder_resources);
    }
    if (!parameters || parameters->initiator_depth == RDMA_MAX_INIT_DEPTH) {
      reply.initiator_depth = std::min(reply.initiator_depth, i.initiator_depth);
    }
    i.ours = reply;
    i.responder_resources = reply.responder_resources;
    i.initiator_depth = reply.initiator_depth;
  }
  {
    const std::lock_guard<std::mutex> qp_lock(i.qp_mutex);
    if (i.qp != nullptr) {
      if (const int e = make_ready(i)) return fail(e);
    }
    const lock_type lock(m.mutex);
    if (i.state == id_state::incoming) {
      i.state = id_state::accepted;
      m.set_deadline(i, answer_timeout);
      m.send(i, reply);
    } else {
      reply.type = message_type{};  // the other side has given up meanwhile
    }
  }
  if (reply.type == message_type::reply) return complete(i);
  const std::lock_guard<std::mutex> qp_lock(i.qp_mutex);
  to_error(i);
  return fail(EINVAL);
}

int reject(rdma_cm_id* id, const void* private_data, std::uint8_t size) {
  manager& m = manager::instance();
  identifier& i = to_identifier(id);
  if (private_data == nullptr) size = 0;
  if (size > private_data_limit(message_type::reject, i.ps)) return fail(EINVAL);
  message no;
  no.type = message_type::reject;
  no.reason = i.ps == RDMA_PS_UDP ? datagram_status::refused : reason::consumer;
  no.private_size = size;
  if (size != 0) std::memcpy(no.private_data, private_data, size);
  const lock_type lock(m.mutex);
  if (i.state != id_state::incoming && i.state != id_state::answered) return fail(EINVAL);
  i.state = id_state::over;
  m.send(i, no);
  return 0;
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
