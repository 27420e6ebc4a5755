// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/event_channel.hpp"

#include "soft/cm/address.hpp"
#include "soft/cm/calls.hpp"
#include "soft/cm/manager.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

namespace {

/// The next event, taken; waits for one unless the descriptor is not to block.
std::unique_ptr<cm_event> take(manager& m, event_channel& c) {
  for (;;) {
    {
      const lock_type lock(m.mutex);
      if (std::unique_ptr<cm_event> e = c.pop()) {
        ++e->owner->unacknowledged;
        if (e->event == RDMA_CM_EVENT_CONNECT_REQUEST) --e->owner->requests;
        for (membership& g : e->owner->groups) {
          if (g.number == e->group) ++g.unacknowledged;
        }
        return e;
      }
    }
    const int flags = ::fcntl(c.fd, F_GETFL);
    if (flags < 0) return nullptr;
    if ((flags & O_NONBLOCK) != 0) {
      errno = EAGAIN;
      return nullptr;
    }
    pollfd ready{c.fd, POLLIN, 0};
    if (::poll(&ready, 1, -1) < 0) return nullptr;
  }
}

void acknowledge(manager& m, std::unique_ptr<cm_event> e) noexcept {
  const lock_type lock(m.mutex);
  --e->owner->unacknowledged;
  for (membership& g : e->owner->groups) {
    if (g.number == e->group) --g.unacknowledged;
  }
  m.acknowledged.notify_all();
}

/// The parameters, as this side sees them: what the other offers as a responder, this one may initiate.
void fill_connection(cm_event& e) noexcept {
  rdma_conn_param& p = e.param.conn;
  p.private_data = e.cause.private_size == 0 ? nullptr : e.cause.private_data;
  p.private_data_len = static_cast<std::uint8_t>(e.cause.private_size);
  p.responder_resources = e.cause.initiator_depth;
  p.initiator_depth = e.cause.responder_resources;
  p.flow_control = e.cause.flow_control;
  p.retry_count = e.cause.retry_count;
  p.rnr_retry_count = e.cause.rnr_retry_count;
  p.srq = e.cause.srq;
  p.qp_num = e.cause.qp_num;
}

void fill_datagram(cm_event& e) noexcept {
  rdma_ud_param& p = e.param.ud;
  p.private_data = e.cause.private_size == 0 ? nullptr : e.cause.private_data;
  p.private_data_len = static_cast<std::uint8_t>(e.cause.private_size);
}

/// The reply to a request has come: the id's own queue pair, if it has one, becomes ready, and the other side is told.
void process_reply(manager& m, cm_event& e) {
  identifier& i = *e.owner;
  const std::lock_guard<std::mutex> qp_lock(i.qp_mutex);
  if (i.qp == nullptr) return;  // rdma_establish() goes on
  if (const int error = make_ready(i)) {
    to_error(i);
    i.connect_error = true;
    e.event = RDMA_CM_EVENT_CONNECT_ERROR;
    e.status = -error;
    return;
  }
  e.event = RDMA_CM_EVENT_ESTABLISHED;
  const lock_type lock(m.mutex);
  if (i.state != id_state::answered) return;  // it has been disconnected since
  i.state = id_state::established;
  message ready;
  ready.type = message_type::ready;
  m.send(i, ready);
}

void process_datagram_reply(manager& m, cm_event& e) {
  ibv_gid source, destination;
  {
    const lock_type lock(m.mutex);
    source = gid_of(e.owner->local);
    destination = gid_of(e.owner->remote);
  }
  e.param.ud.ah_attr = path_to(destination, source);
  e.param.ud.qp_num = e.cause.qp_num;
  e.param.ud.qkey = e.cause.qkey;
}

void process_join(manager& m, cm_event& e) {
  identifier& i = *e.owner;
  ibv_gid source, group{};
  {
    const lock_type lock(m.mutex);
    source = gid_of(i.local);
    for (const membership& g : i.groups) {
      if (g.number != e.group) continue;
      group = g.gid;
      e.param.ud.private_data = g.context;
    }
  }
  if (const int error = attach(m, i, e.group)) {
    e.event = RDMA_CM_EVENT_MULTICAST_ERROR;
    e.status = -error;
    return;
  }
  e.param.ud.ah_attr = path_to(group, source);
  e.param.ud.qp_num = 0xffffff;
  e.param.ud.qkey = RDMA_UDP_QKEY;
}

/// What an event does to its id, which happens when the user takes it, as with librdmacm: so it happens on a thread that
/// the user knows of. False if it is not to be reported.
bool process(manager& m, cm_event& e) {
  identifier& i = *e.owner;
  if (i.qp_type == IBV_QPT_UD) {
    fill_datagram(e);
  } else {
    fill_connection(e);
  }
  switch (e.event) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
      publish(m, i);
      break;
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
      i.route.num_paths = 1;
      break;
    case RDMA_CM_EVENT_CONNECT_REQUEST: {
      identifier& fresh = to_identifier(e.id);
      fresh.context = i.context;
      fresh.channel = i.channel;
      publish(m, fresh);
      fresh.route.num_paths = 1;
      break;
    }
    case RDMA_CM_EVENT_CONNECT_RESPONSE:
      process_reply(m, e);
      break;
    case RDMA_CM_EVENT_ESTABLISHED:
      if (i.qp_type == IBV_QPT_UD) process_datagram_reply(m, e);
      break;
    case RDMA_CM_EVENT_REJECTED:
    case RDMA_CM_EVENT_DISCONNECTED: {
      const std::lock_guard<std::mutex> qp_lock(i.qp_mutex);
      if (i.connect_error) return false;
      if (e.event == RDMA_CM_EVENT_REJECTED) to_error(i);
      break;
    }
    case RDMA_CM_EVENT_MULTICAST_JOIN:
      process_join(m, e);
      break;
    default:
      break;
  }
  return true;
}

}  // namespace

void event_channel::push(std::unique_ptr<cm_event> e) {
  waiting.push_back(std::move(e));
  update();
}

std::unique_ptr<cm_event> event_channel::pop() noexcept {
  if (waiting.empty()) return nullptr;
  std::unique_ptr<cm_event> result = std::move(waiting.front());
  waiting.pop_front();
  update();
  return result;
}

void event_channel::update() noexcept {
  if (is_readable_ == !waiting.empty()) return;
  is_readable_ = !waiting.empty();
  std::uint64_t count = 1;
  if (is_readable_) {
    (void)!::write(fd, &count, sizeof count);
  } else {
    (void)!::read(fd, &count, sizeof count);
  }
}

rdma_event_channel* create_event_channel() {
  if (device::instance() == nullptr) return nullptr;
  const int fd = ::eventfd(0, EFD_CLOEXEC);
  if (fd < 0) return nullptr;
  auto* const result = new (std::nothrow) event_channel;
  if (result) {
    result->fd = fd;
  } else {
    ::close(fd);
    errno = ENOMEM;
  }
  return result;
}

void destroy_event_channel(rdma_event_channel* channel) {
  ::close(channel->fd);
  delete static_cast<event_channel*>(channel);
}

int get_event(rdma_event_channel* channel, rdma_cm_event** event) {
  if (channel == nullptr || event == nullptr) return fail(EINVAL);
  manager& m = manager::instance();
  for (;;) {
    auto e = take(m, static_cast<event_channel&>(*channel));
    if (!e) return -1;
    if (process(m, *e)) {
      *event = e.release();
      return 0;
    }
    acknowledge(m, std::move(e));
  }
}

int ack_event(rdma_cm_event* event) {
  if (event == nullptr) return fail(EINVAL);
  acknowledge(manager::instance(), std::unique_ptr<cm_event>(static_cast<cm_event*>(event)));
  return 0;
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
