// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/identifier.hpp"

#include "soft/calls.hpp"
#include "soft/cm/address.hpp"
#include "soft/cm/calls.hpp"
#include "soft/cm/manager.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

void manager::give_up(identifier& i) {
  i.deadline.reset();
  message m;
  switch (i.state) {
    case id_state::requested:
    case id_state::answered:
    case id_state::incoming:
    case id_state::accepted:
      m.type = message_type::reject;
      m.reason = i.ps == RDMA_PS_UDP             ? datagram_status::refused
                 : i.state == id_state::requested ? reason::timeout
                                                  : reason::consumer;
      // The listener has not said yet which id of its has the request: it looks for ours.
      if (i.state == id_state::requested && i.remote_number == 0) i.remote_number = i.listener;
      send(i, m);
      break;
    case id_state::established:
      m.type = message_type::disconnect;
      send(i, m);
      break;
    case id_state::asked_to:
      m.type = message_type::disconnected;
      send(i, m);
      break;
    default:
      break;
  }
  i.state = id_state::over;
  if (i.knocking) device_.helper().unwatch(i.knocking.get());
  i.knocking = descriptor();
}

void manager::shut_down(identifier& i) {
  give_up(i);
  for (const descriptor& d : i.doors) device_.helper().unwatch(d.get());
  i.doors.clear();
  i.port.release();
  for (const auto& taken : i.events->extract([&](const cm_event& e) { return e.owner == &i; })) {
    if (taken->event != RDMA_CM_EVENT_CONNECT_REQUEST) continue;
    identifier& fresh = to_identifier(taken->id);
    shut_down(fresh);
    remove(fresh);
  }
}

int create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context, rdma_port_space space) {
  if (space != RDMA_PS_TCP && space != RDMA_PS_UDP) return fail(EPROTONOSUPPORT);
  rdma_event_channel* const events = channel != nullptr ? channel : create_event_channel();
  if (events == nullptr) return -1;
  std::unique_ptr<identifier> i(new (std::nothrow) identifier);
  if (!i) {
    if (channel == nullptr) destroy_event_channel(events);
    return fail(ENOMEM);
  }
  i->channel = events;
  i->events = static_cast<event_channel*>(events);
  i->is_synchronous = channel == nullptr;
  i->context = context;
  i->ps = space;
  i->qp_type = space == RDMA_PS_UDP ? IBV_QPT_UD : IBV_QPT_RC;
  manager& m = manager::instance();
  const lock_type lock(m.mutex);
  *id = &m.add(std::move(i));
  return 0;
}

int destroy_id(rdma_cm_id* id) {
  if (id == nullptr) return fail(EINVAL);
  manager& m = manager::instance();
  identifier& i = to_identifier(id);
  std::unique_ptr<identifier> owner;
  {
    const lock_type lock(m.mutex);
    owner = m.remove(i);
    m.shut_down(i);
  }
  if (i.event != nullptr) ack_event(i.event);
  {
    lock_type lock(m.mutex);
    m.acknowledged.wait(lock, [&] { return i.unacknowledged == 0; });
  }
  if (i.is_synchronous) destroy_event_channel(i.channel);
  return 0;
}

int migrate_id(rdma_cm_id* id, rdma_event_channel* channel) {
  identifier& i = to_identifier(id);
  rdma_event_channel* const events = channel != nullptr ? channel : create_event_channel();
  if (events == nullptr) return -1;
  manager& m = manager::instance();
  {
    lock_type lock(m.mutex);
    auto& target = static_cast<event_channel&>(*events);
    for (auto& moved : i.events->extract([&](const cm_event& e) { return e.owner == &i; })) {
      // A connection that was not taken yet goes where its listener goes.
      if (moved->event == RDMA_CM_EVENT_CONNECT_REQUEST) to_identifier(moved->id).events = &target;
      target.push(std::move(moved));
    }
    i.events = &target;
    m.acknowledged.wait(lock, [&] { return i.unacknowledged == (i.event != nullptr ? 1u : 0u); });
  }
  if (i.is_synchronous) destroy_event_channel(i.channel);
  i.is_synchronous = channel == nullptr;
  i.channel = events;
  return 0;
}

int set_option(rdma_cm_id* id, int level, int name, void* value, std::size_t size) {
  if (level != RDMA_OPTION_ID) return fail(ENOSYS);
  identifier& i = to_identifier(id);
  const lock_type lock(manager::instance().mutex);
  if (name == RDMA_OPTION_ID_TOS || name == RDMA_OPTION_ID_ACK_TIMEOUT) {
    if (size != sizeof(std::uint8_t)) return fail(EINVAL);
    const std::uint8_t number = *static_cast<const std::uint8_t*>(value);
    if (name == RDMA_OPTION_ID_TOS) return 0;  // there is no network that could care
    if (i.ps != RDMA_PS_TCP || number > 31) return fail(EINVAL);
    i.ack_timeout = number;
    return 0;
  }
  if (name != RDMA_OPTION_ID_REUSEADDR && name != RDMA_OPTION_ID_AFONLY) return fail(ENOSYS);
  if (size != sizeof(int) || i.state != id_state::idle) return fail(EINVAL);
  int number = 0;
  std::memcpy(&number, value, sizeof number);
  (name == RDMA_OPTION_ID_REUSEADDR ? i.reuse : i.v6_only) = number != 0;
  return 0;
}

int complete(identifier& i) {
  if (!i.is_synchronous) return 0;
  if (i.event != nullptr) ack_event(i.event);
  i.event = nullptr;
  if (get_event(i.channel, &i.event) != 0) return -1;
  const rdma_cm_event& e = *i.event;
  if (e.status == 0) return 0;
  return fail(e.event == RDMA_CM_EVENT_REJECTED ? ECONNREFUSED : std::abs(e.status));
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
