// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The functions of librdmacm. Those that only look at what they are given (rdma_event_str) are left to it.

#include "soft/preload/dispatch.hpp"

#include <rdma/rdma_verbs.h>
#include <rdma/rsocket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

using namespace asio_rdma::soft::preload;

extern "C" {

rdma_event_channel* rdma_create_event_channel() {
  return is_cm_soft() ? soft0().cm_create_event_channel() : ASIO_RDMA_REAL(rdma_create_event_channel, "RDMACM_1.0")();
}

void rdma_destroy_event_channel(rdma_event_channel* channel) {
  return is_cm_soft() ? soft0().cm_destroy_event_channel(channel)
                      : ASIO_RDMA_REAL(rdma_destroy_event_channel, "RDMACM_1.0")(channel);
}

int rdma_get_cm_event(rdma_event_channel* channel, rdma_cm_event** event) {
  return is_cm_soft() ? soft0().cm_get_event(channel, event)
                      : ASIO_RDMA_REAL(rdma_get_cm_event, "RDMACM_1.0")(channel, event);
}

int rdma_ack_cm_event(rdma_cm_event* event) {
  return is_cm_soft() ? soft0().cm_ack_event(event) : ASIO_RDMA_REAL(rdma_ack_cm_event, "RDMACM_1.0")(event);
}

int rdma_create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context, rdma_port_space space) {
  return is_cm_soft() ? soft0().cm_create_id(channel, id, context, space)
                      : ASIO_RDMA_REAL(rdma_create_id, "RDMACM_1.0")(channel, id, context, space);
}

int rdma_destroy_id(rdma_cm_id* id) {
  return is_cm_soft() ? soft0().cm_destroy_id(id) : ASIO_RDMA_REAL(rdma_destroy_id, "RDMACM_1.0")(id);
}

int rdma_migrate_id(rdma_cm_id* id, rdma_event_channel* channel) {
  return is_cm_soft() ? soft0().cm_migrate_id(id, channel) : ASIO_RDMA_REAL(rdma_migrate_id, "RDMACM_1.0")(id, channel);
}

int rdma_create_ep(rdma_cm_id** id, rdma_addrinfo* address, ibv_pd* pd, ibv_qp_init_attr* attributes) {
  return is_cm_soft() ? soft0().cm_create_ep(id, address, pd, attributes)
                      : ASIO_RDMA_REAL(rdma_create_ep, "RDMACM_1.0")(id, address, pd, attributes);
}

void rdma_destroy_ep(rdma_cm_id* id) {
  return is_cm_soft() ? soft0().cm_destroy_ep(id) : ASIO_RDMA_REAL(rdma_destroy_ep, "RDMACM_1.0")(id);
}

int rdma_get_request(rdma_cm_id* listener, rdma_cm_id** id) {
  return is_cm_soft() ? soft0().cm_get_request(listener, id)
                      : ASIO_RDMA_REAL(rdma_get_request, "RDMACM_1.0")(listener, id);
}

int rdma_set_option(rdma_cm_id* id, int level, int name, void* value, std::size_t size) {
  return is_cm_soft() ? soft0().cm_set_option(id, level, name, value, size)
                      : ASIO_RDMA_REAL(rdma_set_option, "RDMACM_1.0")(id, level, name, value, size);
}

int rdma_bind_addr(rdma_cm_id* id, sockaddr* address) {
  return is_cm_soft() ? soft0().cm_bind_addr(id, address) : ASIO_RDMA_REAL(rdma_bind_addr, "RDMACM_1.0")(id, address);
}

int rdma_resolve_addr(rdma_cm_id* id, sockaddr* source, sockaddr* destination, int timeout_ms) {
  return is_cm_soft() ? soft0().cm_resolve_addr(id, source, destination, timeout_ms)
                      : ASIO_RDMA_REAL(rdma_resolve_addr, "RDMACM_1.0")(id, source, destination, timeout_ms);
}

int rdma_resolve_route(rdma_cm_id* id, int timeout_ms) {
  return is_cm_soft() ? soft0().cm_resolve_route(id, timeout_ms)
                      : ASIO_RDMA_REAL(rdma_resolve_route, "RDMACM_1.0")(id, timeout_ms);
}

int rdma_create_qp(rdma_cm_id* id, ibv_pd* pd, ibv_qp_init_attr* attributes) {
  return is_cm_soft() ? soft0().cm_create_qp(id, pd, attributes)
                      : ASIO_RDMA_REAL(rdma_create_qp, "RDMACM_1.0")(id, pd, attributes);
}

int rdma_create_qp_ex(rdma_cm_id* id, ibv_qp_init_attr_ex* attributes) {
  return is_cm_soft() ? soft0().cm_create_qp_ex(id, attributes)
                      : ASIO_RDMA_REAL(rdma_create_qp_ex, "RDMACM_1.0")(id, attributes);
}

void rdma_destroy_qp(rdma_cm_id* id) {
  return is_cm_soft() ? soft0().cm_destroy_qp(id) : ASIO_RDMA_REAL(rdma_destroy_qp, "RDMACM_1.0")(id);
}

int rdma_create_srq(rdma_cm_id* id, ibv_pd* pd, ibv_srq_init_attr* attributes) {
  return is_cm_soft() ? soft0().cm_create_srq(id, pd, attributes)
                      : ASIO_RDMA_REAL(rdma_create_srq, "RDMACM_1.0")(id, pd, attributes);
}

int rdma_create_srq_ex(rdma_cm_id* id, ibv_srq_init_attr_ex* attributes) {
  return is_cm_soft() ? soft0().cm_create_srq_ex(id, attributes)
                      : ASIO_RDMA_REAL(rdma_create_srq_ex, "RDMACM_1.0")(id, attributes);
}

void rdma_destroy_srq(rdma_cm_id* id) {
  return is_cm_soft() ? soft0().cm_destroy_srq(id) : ASIO_RDMA_REAL(rdma_destroy_srq, "RDMACM_1.0")(id);
}

int rdma_init_qp_attr(rdma_cm_id* id, ibv_qp_attr* attributes, int* mask) {
  return is_cm_soft() ? soft0().cm_init_qp_attr(id, attributes, mask)
                      : ASIO_RDMA_REAL(rdma_init_qp_attr, "RDMACM_1.2")(id, attributes, mask);
}

int rdma_listen(rdma_cm_id* id, int backlog) {
  return is_cm_soft() ? soft0().cm_listen(id, backlog) : ASIO_RDMA_REAL(rdma_listen, "RDMACM_1.0")(id, backlog);
}

int rdma_connect(rdma_cm_id* id, rdma_conn_param* parameters) {
  return is_cm_soft() ? soft0().cm_connect(id, parameters) : ASIO_RDMA_REAL(rdma_connect, "RDMACM_1.0")(id, parameters);
}

int rdma_establish(rdma_cm_id* id) {
  return is_cm_soft() ? soft0().cm_establish(id) : ASIO_RDMA_REAL(rdma_establish, "RDMACM_1.2")(id);
}

int rdma_accept(rdma_cm_id* id, rdma_conn_param* parameters) {
  return is_cm_soft() ? soft0().cm_accept(id, parameters) : ASIO_RDMA_REAL(rdma_accept, "RDMACM_1.0")(id, parameters);
}

int rdma_reject(rdma_cm_id* id, const void* private_data, std::uint8_t size) {
  return is_cm_soft() ? soft0().cm_reject(id, private_data, size)
                      : ASIO_RDMA_REAL(rdma_reject, "RDMACM_1.0")(id, private_data, size);
}

int rdma_notify(rdma_cm_id* id, ibv_event_type event) {
  return is_cm_soft() ? soft0().cm_notify(id, event) : ASIO_RDMA_REAL(rdma_notify, "RDMACM_1.0")(id, event);
}

int rdma_disconnect(rdma_cm_id* id) {
  return is_cm_soft() ? soft0().cm_disconnect(id) : ASIO_RDMA_REAL(rdma_disconnect, "RDMACM_1.0")(id);
}

int rdma_join_multicast(rdma_cm_id* id, sockaddr* address, void* context) {
  return is_cm_soft() ? soft0().cm_join_multicast(id, address, context)
                      : ASIO_RDMA_REAL(rdma_join_multicast, "RDMACM_1.0")(id, address, context);
}

int rdma_join_multicast_ex(rdma_cm_id* id, rdma_cm_join_mc_attr_ex* attributes, void* context) {
  return is_cm_soft() ? soft0().cm_join_multicast_ex(id, attributes, context)
                      : ASIO_RDMA_REAL(rdma_join_multicast_ex, "RDMACM_1.1")(id, attributes, context);
}

int rdma_leave_multicast(rdma_cm_id* id, sockaddr* address) {
  return is_cm_soft() ? soft0().cm_leave_multicast(id, address)
                      : ASIO_RDMA_REAL(rdma_leave_multicast, "RDMACM_1.0")(id, address);
}

__be16 rdma_get_src_port(rdma_cm_id* id) {
  return is_cm_soft() ? soft0().cm_get_src_port(id) : ASIO_RDMA_REAL(rdma_get_src_port, "RDMACM_1.0")(id);
}

__be16 rdma_get_dst_port(rdma_cm_id* id) {
  return is_cm_soft() ? soft0().cm_get_dst_port(id) : ASIO_RDMA_REAL(rdma_get_dst_port, "RDMACM_1.0")(id);
}

int rdma_getaddrinfo(const char* node, const char* service, const rdma_addrinfo* hints, rdma_addrinfo** result) {
  return is_cm_soft() ? soft0().cm_getaddrinfo(node, service, hints, result)
                      : ASIO_RDMA_REAL(rdma_getaddrinfo, "RDMACM_1.0")(node, service, hints, result);
}

void rdma_freeaddrinfo(rdma_addrinfo* list) {
  return is_cm_soft() ? soft0().cm_freeaddrinfo(list) : ASIO_RDMA_REAL(rdma_freeaddrinfo, "RDMACM_1.0")(list);
}

ibv_context** rdma_get_devices(int* count) {
  return is_cm_soft() ? soft0().cm_get_devices(count) : ASIO_RDMA_REAL(rdma_get_devices, "RDMACM_1.0")(count);
}

void rdma_free_devices(ibv_context** list) {
  return is_cm_soft() ? soft0().cm_free_devices(list) : ASIO_RDMA_REAL(rdma_free_devices, "RDMACM_1.0")(list);
}

// What can be agreed on beyond the parameters of verbs: nothing.
int rdma_set_local_ece(rdma_cm_id* id, ibv_ece* ece) {
  if (!is_cm_soft()) return ASIO_RDMA_REAL(rdma_set_local_ece, "RDMACM_1.3")(id, ece);
  errno = EOPNOTSUPP;
  return -1;
}

int rdma_get_remote_ece(rdma_cm_id* id, ibv_ece* ece) {
  if (!is_cm_soft()) return ASIO_RDMA_REAL(rdma_get_remote_ece, "RDMACM_1.3")(id, ece);
  errno = EOPNOTSUPP;
  return -1;
}

int rdma_reject_ece(rdma_cm_id* id, const void* private_data, std::uint8_t size) {
  if (!is_cm_soft()) return ASIO_RDMA_REAL(rdma_reject_ece, "RDMACM_1.3")(id, private_data, size);
  errno = EOPNOTSUPP;
  return -1;
}

// librdmacm's sockets look into the private parts of its own ids, which the software device's ids do not have.
int rsocket(int domain, int type, int protocol) {
  if (!is_cm_soft()) return ASIO_RDMA_REAL(rsocket, "RDMACM_1.0")(domain, type, protocol);
  errno = EOPNOTSUPP;
  return -1;
}

}  // extern "C"
