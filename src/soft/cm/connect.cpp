// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/address.hpp"
#include "soft/cm/calls.hpp"
#include "soft/cm/manager.hpp"
#include "soft/cm/parameters.hpp"
#include "soft/local_socket.hpp"

#include <cerrno>
#include <utility>

// The side that connects: it looks for the process that listens, and sends it a request.
namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

namespace {

void look_for_listener(manager& m, identifier& i);

/// What the helper thread does for an id: unless it was given up meanwhile, its listener is looked for.
auto look(manager& m, const identifier& i) {
  return [&m, number = i.number] {
    const lock_type lock(m.mutex);
    identifier* const found = m.find(number);
    if (found && found->state == id_state::looking) look_for_listener(m, *found);
  };
}

/// The listener's process is known: as soon as it can be sent to, it gets the request.
void reach(manager& m, identifier& i, const whereabouts& answer) {
  const std::shared_ptr<peer> p = m.soft0().processes().reach(answer.slot);
  if (!p) return refuse_locally(m, i);
  i.listener_slot = answer.slot;
  i.listener_instance = answer.instance;
  i.listener = answer.id;
  i.state = id_state::reaching;
  if (p->is_up()) send_request(m, i);
}

/// The listener's process has answered, or closed its door.
void take_answer(manager& m, std::uint64_t number, int fd) {
  const lock_type lock(m.mutex);
  identifier* const i = m.find(number);
  if (!i || i->knocking.get() != fd) return;  // it was given up
  whereabouts answer;
  answer.magic = 0;
  const ssize_t size = receive_packet(fd, &answer, sizeof answer);
  if (size < 0 && errno == EAGAIN) return;
  m.soft0().helper().unwatch(fd);
  i->knocking = descriptor();
  if (size != sizeof answer || answer.magic != whereabouts::right_magic || answer.id == 0 ||
      answer.slot >= max_processes) {
    return refuse_locally(m, *i);
  }
  reach(m, *i, answer);
}

void look_for_listener(manager& m, identifier& i) {
  for (const std::string& name : i.names_to_try) {
    descriptor d = connect_local(SOCK_SEQPACKET, local_name(name));
    // Too many knock there: the listener is slow, or stopped. The deadline ends this.
    if (!d && errno == EAGAIN) return m.soft0().helper().after(std::chrono::milliseconds(5), look(m, i));
    if (!d) continue;
    const int fd = d.get();
    i.knocking = std::move(d);
    m.soft0().helper().watch(fd, [&m, number = i.number, fd] { take_answer(m, number, fd); });
    return;
  }
  refuse_locally(m, i);
}

}  // namespace

void refuse_locally(manager& m, identifier& i) {
  i.state = id_state::over;
  i.deadline.reset();
  if (i.ps == RDMA_PS_UDP) {
    m.report(i, RDMA_CM_EVENT_UNREACHABLE, datagram_status::unsupported);
  } else {
    m.report(i, RDMA_CM_EVENT_REJECTED, reason::invalid_service);
  }
}

void send_request(manager& m, identifier& i) {
  const std::shared_ptr<peer> p = m.soft0().processes().find(i.listener_slot);
  if (!p || !p->is_up() || p->header().instance != i.listener_instance) return refuse_locally(m, i);
  i.process = p;
  i.state = id_state::requested;
  message request = i.ours;
  request.from = i.number;
  request.to = i.listener;
  m.send(p, request);
}

int connect(rdma_cm_id* id, rdma_conn_param* parameters) {
  manager& m = manager::instance();
  identifier& i = to_identifier(id);
  message request;
  if (const int e = make_message(i, message_type::request, parameters, request)) return fail(e);
  {
    const lock_type lock(m.mutex);
    if (i.state != id_state::route_resolved) return fail(EINVAL);
    request.source = to_wire(i.local);
    request.destination = to_wire(i.remote);
    i.ours = request;
    i.responder_resources = request.responder_resources;
    i.initiator_depth = request.initiator_depth;
    i.names_to_try = listener_names(i.ps, i.remote);
    i.state = id_state::looking;
    m.set_deadline(i, answer_timeout);
    m.soft0().helper().post(look(m, i));
  }
  return complete(i);
}

int establish(rdma_cm_id* id) {
  manager& m = manager::instance();
  identifier& i = to_identifier(id);
  if (i.qp != nullptr) return fail(EINVAL);  // get_event() has done it
  const lock_type lock(m.mutex);
  if (i.state != id_state::answered) return fail(EINVAL);
  i.state = id_state::established;
  message ready;
  ready.type = message_type::ready;
  m.send(i, ready);
  return 0;
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
