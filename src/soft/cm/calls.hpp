// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_CM_CALLS_HPP
#define ASIO_RDMA_SRC_SOFT_CM_CALLS_HPP

#include "soft/peer.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

// The functions of soft0's table that belong to the connection manager, as the man pages of their rdma_* namesakes
// describe them.
namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

rdma_event_channel* create_event_channel();
void destroy_event_channel(rdma_event_channel* channel);
int get_event(rdma_event_channel* channel, rdma_cm_event** event);
int ack_event(rdma_cm_event* event);
int create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context, rdma_port_space space);
int destroy_id(rdma_cm_id* id);
int migrate_id(rdma_cm_id* id, rdma_event_channel* channel);
int set_option(rdma_cm_id* id, int level, int name, void* value, std::size_t size);
int bind_addr(rdma_cm_id* id, sockaddr* address);
int resolve_addr(rdma_cm_id* id, sockaddr* source, sockaddr* destination, int timeout_ms);
int resolve_route(rdma_cm_id* id, int timeout_ms);
int create_qp(rdma_cm_id* id, ibv_pd* pd, ibv_qp_init_attr* attributes);
int create_qp_ex(rdma_cm_id* id, ibv_qp_init_attr_ex* attributes);
void destroy_qp(rdma_cm_id* id);
int create_srq(rdma_cm_id* id, ibv_pd* pd, ibv_srq_init_attr* attributes);
int create_srq_ex(rdma_cm_id* id, ibv_srq_init_attr_ex* attributes);
void destroy_srq(rdma_cm_id* id);
int create_ep(rdma_cm_id** id, rdma_addrinfo* address, ibv_pd* pd, ibv_qp_init_attr* attributes);
void destroy_ep(rdma_cm_id* id);
int get_request(rdma_cm_id* listener, rdma_cm_id** id);
int getaddrinfo(const char* node, const char* service, const rdma_addrinfo* hints, rdma_addrinfo** result);
void freeaddrinfo(rdma_addrinfo* list);
ibv_context** get_devices(int* count);
void free_devices(ibv_context** list);
int init_qp_attr(rdma_cm_id* id, ibv_qp_attr* attributes, int* mask);
int listen(rdma_cm_id* id, int backlog);
int connect(rdma_cm_id* id, rdma_conn_param* parameters);
int establish(rdma_cm_id* id);
int accept(rdma_cm_id* id, rdma_conn_param* parameters);
int reject(rdma_cm_id* id, const void* private_data, std::uint8_t size);
int notify(rdma_cm_id* id, ibv_event_type event);
int disconnect(rdma_cm_id* id);
int join_multicast(rdma_cm_id* id, sockaddr* address, void* context);
int join_multicast_ex(rdma_cm_id* id, rdma_cm_join_mc_attr_ex* attributes, void* context);
int leave_multicast(rdma_cm_id* id, sockaddr* address);
__be16 get_src_port(rdma_cm_id* id);
__be16 get_dst_port(rdma_cm_id* id);

// What the device tells the connection manager, on the helper thread.

/// A message of kind connection.
void on_message(const std::shared_ptr<peer>& from, const unsigned char* data, std::size_t size);
/// A process that was known is up: messages can be sent.
void on_up(const std::shared_ptr<peer>& p);
/// A process has ended.
void on_down(const std::shared_ptr<peer>& p);

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
