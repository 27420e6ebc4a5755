// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/calls.hpp"
#include "soft/cm/manager.hpp"

#include <cerrno>

// What comes from other processes. All of it is checked: a message for an id that is gone, or that has another state or
// another partner than the sender thinks, changes nothing.
namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

namespace {

identifier* find_partner(const manager& m, const std::shared_ptr<peer>& from, const message& x) noexcept {
  identifier* const i = m.find(x.to);
  return i && i->process == from && i->remote_number == x.from ? i : nullptr;
}

/// The id that has sent the request that x answers. Until then it does not know the other id's number.
identifier* find_asker(const manager& m, const std::shared_ptr<peer>& from, const message& x) noexcept {
  identifier* const i = m.find(x.to);
  if (!i || i->state != id_state::requested || i->process != from || i->ps != static_cast<int>(x.space)) return nullptr;
  return i->remote_number == 0 || i->remote_number == x.from || x.from == i->listener ? i : nullptr;
}

void receive_wait(manager& m, const std::shared_ptr<peer>& from, const message& x) {
  identifier* i = find_asker(m, from, x);
  if (i) i->remote_number = x.from;
  if (!i) i = find_partner(m, from, x);
  if (i && i->deadline) m.set_deadline(*i, answer_timeout);
}

void receive_reply(manager& m, const std::shared_ptr<peer>& from, const message& x) {
  identifier* const i = find_asker(m, from, x);
  if (!i) {
    if (x.space == RDMA_PS_TCP) m.answer(from, x, message_type::reject, reason::invalid_id);
    return;
  }
  i->deadline.reset();
  i->remote_number = x.from;
  i->theirs = x;
  if (i->ps == RDMA_PS_UDP) {
    i->state = id_state::over;
    return m.report(*i, RDMA_CM_EVENT_ESTABLISHED, 0, x);
  }
  i->state = id_state::answered;
  i->responder_resources = x.initiator_depth;
  i->initiator_depth = x.responder_resources;
  m.report(*i, RDMA_CM_EVENT_CONNECT_RESPONSE, 0, x);
  m.answer(from, x, message_type::wait);  // until the user takes the event
}

void receive_ready(manager& m, const std::shared_ptr<peer>& from, const message& x) {
  identifier* const i = find_partner(m, from, x);
  if (!i || i->state != id_state::accepted) return;
  i->deadline.reset();
  i->state = id_state::established;
  m.report(*i, RDMA_CM_EVENT_ESTABLISHED);
}

void receive_reject(manager& m, const std::shared_ptr<peer>& from, const message& x) {
  identifier* i = find_asker(m, from, x);
  if (!i) i = find_partner(m, from, x);
  if (!i) {
    // An id that did not wait until it knew which one has its request.
    m.for_each([&](identifier& candidate) {
      const bool waits = candidate.state == id_state::incoming || candidate.state == id_state::accepted;
      if (waits && candidate.process == from && candidate.remote_number == x.from) i = &candidate;
    });
  }
  if (!i) return;
  switch (i->state) {
    case id_state::requested:
    case id_state::answered:
    case id_state::accepted:
      i->deadline.reset();
      i->state = id_state::over;
      m.report(*i, i->ps == RDMA_PS_UDP ? RDMA_CM_EVENT_UNREACHABLE : RDMA_CM_EVENT_REJECTED,
               static_cast<int>(x.reason), x);
      break;
    case id_state::established:  // it was destroyed before our last message arrived there
    case id_state::disconnecting:
      i->deadline.reset();
      i->state = id_state::over;
      m.report(*i, RDMA_CM_EVENT_DISCONNECTED);
      break;
    case id_state::incoming:
      i->state = id_state::over;  // the user may not have the id yet: it will find out when it accepts
      break;
    default:
      break;
  }
}

void receive_disconnect(manager& m, const std::shared_ptr<peer>& from, const message& x) {
  identifier* const i = find_partner(m, from, x);
  if (!i || i->state == id_state::over) return m.answer(from, x, message_type::disconnected);
  switch (i->state) {
    case id_state::answered:
    case id_state::accepted:
    case id_state::established:
    case id_state::disconnecting:
      i->deadline.reset();
      i->state = id_state::asked_to;
      m.report(*i, RDMA_CM_EVENT_DISCONNECTED);
      m.answer(from, x, message_type::wait);  // until the user disconnects too
      break;
    default:
      break;
  }
}

void receive_disconnected(manager& m, const std::shared_ptr<peer>& from, const message& x) {
  identifier* const i = find_partner(m, from, x);
  if (!i) return;
  if (i->state == id_state::disconnecting) m.report(*i, RDMA_CM_EVENT_DISCONNECTED);
  if (i->state != id_state::disconnecting && i->state != id_state::asked_to) return;
  i->deadline.reset();
  i->state = id_state::over;
}

}  // namespace

void on_message(const std::shared_ptr<peer>& from, const unsigned char* data, std::size_t size) {
  manager& m = manager::instance();
  message x;
  if (!decode(data, size, x) || x.instance != m.own_instance()) return;
  const lock_type lock(m.mutex);
  switch (x.type) {
    case message_type::request:
      return receive_request(m, from, x);
    case message_type::wait:
      return receive_wait(m, from, x);
    case message_type::reply:
      return receive_reply(m, from, x);
    case message_type::ready:
      return receive_ready(m, from, x);
    case message_type::reject:
      return receive_reject(m, from, x);
    case message_type::disconnect:
      return receive_disconnect(m, from, x);
    case message_type::disconnected:
      return receive_disconnected(m, from, x);
  }
}

void on_up(const std::shared_ptr<peer>& p) {
  manager& m = manager::instance();
  const lock_type lock(m.mutex);
  m.for_each([&](identifier& i) {
    if (i.state == id_state::reaching && i.listener_slot == p->slot()) send_request(m, i);
  });
}

void on_down(const std::shared_ptr<peer>& p) {
  manager& m = manager::instance();
  const lock_type lock(m.mutex);
  m.for_each([&](identifier& i) {
    if (i.process == p || (i.state == id_state::reaching && i.listener_slot == p->slot())) lose(m, i);
  });
}

void expire(manager& m, identifier& i) {
  switch (i.state) {
    case id_state::looking:
    case id_state::reaching:
    case id_state::requested:
    case id_state::accepted:
      m.give_up(i);
      m.report(i, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
      break;
    case id_state::disconnecting:
      i.state = id_state::over;
      m.report(i, RDMA_CM_EVENT_DISCONNECTED, -ETIMEDOUT);
      break;
    default:
      break;
  }
}

void lose(manager& m, identifier& i) {
  i.deadline.reset();
  const id_state before = i.state;
  i.state = id_state::over;
  switch (before) {
    case id_state::reaching:
    case id_state::requested:
    case id_state::answered:
      return refuse_locally(m, i);
    case id_state::accepted:
      return m.report(i, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
    case id_state::established:
    case id_state::disconnecting:
      return m.report(i, RDMA_CM_EVENT_DISCONNECTED);
    default:
      return;  // the user knows already, or has not been told of the connection yet
  }
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
