// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/address.hpp"
#include "soft/cm/calls.hpp"
#include "soft/cm/manager.hpp"
#include "soft/local_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

namespace {

/// The kernel's limit for requests that the user has not taken yet (rdma_ucm's max_backlog).
constexpr int max_backlog = 1024;

/// Tells everybody who knocks at a listener's port where to send the request to.
void answer_knocks(manager& m, std::uint64_t number, int fd) {
  const lock_type lock(m.mutex);
  const identifier* const i = m.find(number);
  // The descriptor was closed if the listener is gone.
  if (!i || std::none_of(i->doors.begin(), i->doors.end(), [&](const descriptor& d) { return d.get() == fd; })) return;
  while (const descriptor caller = accept_local(fd)) {
    whereabouts answer;
    answer.instance = m.own_instance();
    answer.id = number;
    answer.slot = m.soft0().slot();
    (void)send_packet(caller.get(), &answer, sizeof answer);
  }
}

int open_doors(const std::vector<std::string>& names, std::vector<descriptor>& result) {
  for (const std::string& name : names) {
    descriptor d = bind_local(SOCK_SEQPACKET, local_name(name));
    if (!d || ::listen(d.get(), 128) != 0) return errno;
    result.push_back(std::move(d));
  }
  return 0;
}

/// One that is shared with others cannot be listened on.
int make_exclusive(manager& m, identifier& i, const sockaddr_storage& local, bool v6_only) {
  port_claim exclusive;
  {
    const lock_type lock(m.mutex);
    i.port.release();
  }
  const int e = exclusive.take(plan_port(i.ps, local, v6_only, false));
  if (e) (void)exclusive.take(plan_port(i.ps, local, v6_only, true));
  const lock_type lock(m.mutex);
  std::swap(i.port, exclusive);
  return e;
}

}  // namespace

int listen(rdma_cm_id* id, int backlog) {
  manager& m = manager::instance();
  identifier& i = to_identifier(id);
  bool is_idle = false;
  {
    const lock_type lock(m.mutex);
    is_idle = i.state == id_state::idle;
  }
  if (is_idle) {
    sockaddr_storage any{};
    any.ss_family = AF_INET;
    if (const int e = bind(m, i, any)) return fail(e);
    publish(m, i);
  }
  sockaddr_storage local;
  bool v6_only = false, reuse = false;
  {
    const lock_type lock(m.mutex);
    if (i.state != id_state::bound) return fail(EINVAL);
    local = i.local;
    v6_only = i.v6_only;
    reuse = i.reuse;
  }
  if (reuse) {
    if (const int e = make_exclusive(m, i, local, v6_only)) return fail(e);
  }
  std::vector<descriptor> doors;
  const lock_type lock(m.mutex);
  if (i.state != id_state::bound) return fail(EINVAL);
  if (const int e = open_doors(i.port.names(), doors)) return fail(e);
  i.doors = std::move(doors);
  i.backlog = static_cast<unsigned>(backlog > 0 && backlog < max_backlog ? backlog : max_backlog);
  i.state = id_state::listening;
  for (const descriptor& d : i.doors) {
    m.soft0().helper().watch(d.get(),
                             [&m, number = i.number, fd = d.get()] { answer_knocks(m, number, fd); });
  }
  return 0;
}

void receive_request(manager& m, const std::shared_ptr<peer>& from, const message& request) {
  const bool datagram = request.space == RDMA_PS_UDP;
  const auto refuse = [&](std::uint32_t why) { m.answer(from, request, message_type::reject, why); };
  identifier* const listener = m.find(request.to);
  const sockaddr_storage destination = from_wire(request.destination);
  if (!listener || listener->state != id_state::listening || listener->ps != static_cast<int>(request.space) ||
      port_of(listener->local) != port_of(destination)) {
    return refuse(datagram ? datagram_status::unsupported : reason::invalid_service);
  }
  if (listener->requests >= listener->backlog) return refuse(datagram ? datagram_status::no_qp : reason::no_resources);

  auto fresh = std::make_unique<identifier>();
  fresh->ps = listener->ps;
  fresh->qp_type = listener->qp_type;
  fresh->events = listener->events;
  fresh->state = id_state::incoming;
  fresh->local = destination;
  fresh->remote = from_wire(request.source);
  fresh->process = from;
  fresh->remote_number = request.from;
  fresh->theirs = request;
  fresh->responder_resources = request.initiator_depth;
  fresh->initiator_depth = request.responder_resources;
  identifier& i = m.add(std::move(fresh));
  ++listener->requests;
  m.report(*listener, RDMA_CM_EVENT_CONNECT_REQUEST, 0, request);
  listener->events->waiting.back()->listen_id = listener;
  listener->events->waiting.back()->id = &i;
  message wait;
  wait.type = message_type::wait;
  m.send(i, wait);
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
