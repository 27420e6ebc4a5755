// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/calls.hpp"
#include "soft/cm/calls.hpp"
#include "soft/cm/manager.hpp"

#include <cerrno>
#include <cstdlib>

// Several steps in one call, for ids without a channel of the user's, each of whose calls waits for its event.
namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

namespace {

constexpr int timeout_ms = 2000;

int prepare_listener(identifier& i, const rdma_addrinfo& a, ibv_pd* pd, const ibv_qp_init_attr* attributes) {
  if (bind_addr(&i, a.ai_src_addr) != 0) return -1;
  if (pd != nullptr) i.pd = pd;
  if (attributes == nullptr) return 0;
  i.request_qp = *attributes;
  i.request_qp->qp_type = static_cast<ibv_qp_type>(a.ai_qp_type);
  return 0;
}

int prepare_connection(identifier& i, const rdma_addrinfo& a, ibv_pd* pd, ibv_qp_init_attr* attributes) {
  if (resolve_addr(&i, a.ai_src_addr, a.ai_dst_addr, timeout_ms) != 0 || resolve_route(&i, timeout_ms) != 0) return -1;
  if (attributes == nullptr) return 0;
  attributes->qp_type = static_cast<ibv_qp_type>(a.ai_qp_type);
  return create_qp(&i, pd, attributes);
}

}  // namespace

int create_ep(rdma_cm_id** id, rdma_addrinfo* address, ibv_pd* pd, ibv_qp_init_attr* attributes) {
  rdma_cm_id* made = nullptr;
  if (create_id(nullptr, &made, nullptr, static_cast<rdma_port_space>(address->ai_port_space)) != 0) return -1;
  identifier& i = to_identifier(made);
  const bool is_passive = (address->ai_flags & RAI_PASSIVE) != 0;
  if ((is_passive ? prepare_listener(i, *address, pd, attributes)
                  : prepare_connection(i, *address, pd, attributes)) != 0) {
    const int e = errno;
    destroy_ep(made);
    return fail(e);
  }
  *id = made;
  return 0;
}

void destroy_ep(rdma_cm_id* id) {
  destroy_qp(id);
  destroy_srq(id);
  destroy_id(id);
}

int get_request(rdma_cm_id* listener, rdma_cm_id** id) {
  identifier& i = to_identifier(listener);
  if (!i.is_synchronous) return fail(EINVAL);
  if (i.event != nullptr) ack_event(i.event);
  i.event = nullptr;
  rdma_cm_event* event = nullptr;
  if (get_event(i.channel, &event) != 0) return -1;
  int e = 0;
  if (event->event == RDMA_CM_EVENT_REJECTED) {
    e = ECONNREFUSED;
  } else if (event->status != 0) {
    e = std::abs(event->status);
  } else if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST) {
    e = EINVAL;
  } else if (i.request_qp) {
    ibv_qp_init_attr attributes = *i.request_qp;
    if (create_qp(event->id, i.pd, &attributes) != 0) e = errno;
  }
  if (e != 0) {
    i.event = event;
    return fail(e);
  }
  event->id->event = event;
  *id = event->id;
  return 0;
}

int create_srq_ex(rdma_cm_id* id, ibv_srq_init_attr_ex* a) {
  constexpr std::uint32_t known = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD;
  if ((a->comp_mask & IBV_SRQ_INIT_ATTR_TYPE) == 0) return fail(EINVAL);
  if (a->srq_type != IBV_SRQT_BASIC || (a->comp_mask & ~known) != 0) return fail(EOPNOTSUPP);
  ibv_srq_init_attr attributes{a->srq_context, a->attr};
  if (create_srq(id, (a->comp_mask & IBV_SRQ_INIT_ATTR_PD) != 0 ? a->pd : nullptr, &attributes) != 0) return -1;
  a->attr = attributes.attr;
  return 0;
}

int create_srq(rdma_cm_id* id, ibv_pd* pd, ibv_srq_init_attr* attributes) {
  identifier& i = to_identifier(id);
  if (pd == nullptr) pd = i.pd;
  if (i.srq != nullptr || pd == nullptr) return fail(EINVAL);
  ibv_srq* const made = soft::create_srq(pd, attributes);
  if (made == nullptr) return -1;
  if (i.pd == nullptr) i.pd = pd;
  i.srq = made;
  return 0;
}

void destroy_srq(rdma_cm_id* id) {
  if (id->srq == nullptr) return;
  soft::destroy_srq(id->srq);
  id->srq = nullptr;
}

ibv_context** get_devices(int* count) {
  ibv_context* const context = device::instance() != nullptr ? device::instance()->cm_context() : nullptr;
  if (context == nullptr) return nullptr;
  if (count != nullptr) *count = 1;
  return new ibv_context*[2]{context, nullptr};
}

void free_devices(ibv_context** list) {
  delete[] list;
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
