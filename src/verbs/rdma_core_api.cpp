// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include <asio_rdma/verbs/api.hpp>

#include <rdma/rdma_verbs.h>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

// Where a name is a macro or an inline function of verbs.h (which picks the newest interface that the provider has), a
// lambda gives it an address.
const api& rdma_core() noexcept {
  static constexpr api table = [] {
    api t{};
    t.get_device_list = [](int* count) { return ibv_get_device_list(count); };
    t.free_device_list = ibv_free_device_list;
    t.get_device_name = ibv_get_device_name;
    t.get_device_guid = ibv_get_device_guid;
    t.open_device = ibv_open_device;
    t.close_device = ibv_close_device;
    t.query_device = ibv_query_device;
    t.query_port = [](ibv_context* context, std::uint8_t port, ibv_port_attr* attributes) {
      return ibv_query_port(context, port, attributes);
    };
    t.query_gid = ibv_query_gid;
    t.query_gid_ex = ibv_query_gid_ex;
    t.query_gid_table = ibv_query_gid_table;
    t.query_pkey = ibv_query_pkey;
    t.get_async_event = ibv_get_async_event;
    t.ack_async_event = ibv_ack_async_event;

    t.alloc_pd = ibv_alloc_pd;
    t.dealloc_pd = ibv_dealloc_pd;
    t.reg_mr = [](ibv_pd* pd, void* address, std::size_t length, int access) {
      return ibv_reg_mr(pd, address, length, access);
    };
    t.dereg_mr = ibv_dereg_mr;
    t.alloc_mw = ibv_alloc_mw;
    t.dealloc_mw = ibv_dealloc_mw;

    t.create_comp_channel = ibv_create_comp_channel;
    t.destroy_comp_channel = ibv_destroy_comp_channel;
    t.create_cq = ibv_create_cq;
    t.resize_cq = ibv_resize_cq;
    t.destroy_cq = ibv_destroy_cq;
    t.get_cq_event = ibv_get_cq_event;
    t.ack_cq_events = ibv_ack_cq_events;

    t.create_qp = ibv_create_qp;
    t.modify_qp = ibv_modify_qp;
    t.query_qp = ibv_query_qp;
    t.destroy_qp = ibv_destroy_qp;
    t.create_srq = ibv_create_srq;
    t.modify_srq = ibv_modify_srq;
    t.query_srq = ibv_query_srq;
    t.destroy_srq = ibv_destroy_srq;

    t.create_ah = ibv_create_ah;
    t.init_ah_from_wc = ibv_init_ah_from_wc;
    t.create_ah_from_wc = ibv_create_ah_from_wc;
    t.destroy_ah = ibv_destroy_ah;
    t.attach_mcast = ibv_attach_mcast;
    t.detach_mcast = ibv_detach_mcast;

    t.cm_create_event_channel = rdma_create_event_channel;
    t.cm_destroy_event_channel = rdma_destroy_event_channel;
    t.cm_get_event = rdma_get_cm_event;
    t.cm_ack_event = rdma_ack_cm_event;
    t.cm_create_id = rdma_create_id;
    t.cm_destroy_id = rdma_destroy_id;
    t.cm_migrate_id = rdma_migrate_id;
    t.cm_set_option = rdma_set_option;
    t.cm_bind_addr = rdma_bind_addr;
    t.cm_resolve_addr = rdma_resolve_addr;
    t.cm_resolve_route = rdma_resolve_route;
    t.cm_create_qp = rdma_create_qp;
    t.cm_destroy_qp = rdma_destroy_qp;
    t.cm_init_qp_attr = rdma_init_qp_attr;
    t.cm_listen = rdma_listen;
    t.cm_connect = rdma_connect;
    t.cm_establish = rdma_establish;
    t.cm_accept = rdma_accept;
    t.cm_reject = rdma_reject;
    t.cm_notify = rdma_notify;
    t.cm_disconnect = rdma_disconnect;
    t.cm_join_multicast = rdma_join_multicast;
    t.cm_join_multicast_ex = rdma_join_multicast_ex;
    t.cm_leave_multicast = rdma_leave_multicast;
    t.cm_get_src_port = rdma_get_src_port;
    t.cm_get_dst_port = rdma_get_dst_port;

    t.reg_mr_iova = ibv_reg_mr_iova2;
    t.rereg_mr = ibv_rereg_mr;
    t.qp_to_qp_ex = ibv_qp_to_qp_ex;
    t.cm_create_qp_ex = rdma_create_qp_ex;
    t.cm_create_srq = rdma_create_srq;
    t.cm_create_srq_ex = rdma_create_srq_ex;
    t.cm_destroy_srq = rdma_destroy_srq;
    t.cm_create_ep = rdma_create_ep;
    t.cm_destroy_ep = rdma_destroy_ep;
    t.cm_get_request = rdma_get_request;
    t.cm_getaddrinfo = rdma_getaddrinfo;
    t.cm_freeaddrinfo = rdma_freeaddrinfo;
    t.cm_get_devices = rdma_get_devices;
    t.cm_free_devices = rdma_free_devices;
    t.reg_dmabuf_mr = ibv_reg_dmabuf_mr;
    return t;
  }();
  return table;
}

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma
