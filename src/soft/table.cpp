// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/calls.hpp"
#include "soft/cm/calls.hpp"

#include <asio_rdma/verbs/api.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

const api& software_device() noexcept {
  static constexpr api table = [] {
    api t{};
    t.get_device_list = soft::get_device_list;
    t.free_device_list = soft::free_device_list;
    t.get_device_name = soft::get_device_name;
    t.get_device_guid = soft::get_device_guid;
    t.open_device = soft::open_device;
    t.close_device = soft::close_device;
    t.query_device = soft::query_device;
    t.query_port = soft::query_port;
    t.query_gid = soft::query_gid;
    t.query_gid_ex = soft::query_gid_ex;
    t.query_gid_table = soft::query_gid_table;
    t.query_pkey = soft::query_pkey;
    t.get_async_event = soft::get_async_event;
    t.ack_async_event = soft::ack_async_event;

    t.alloc_pd = soft::alloc_pd;
    t.dealloc_pd = soft::dealloc_pd;
    t.reg_mr = soft::reg_mr;
    t.dereg_mr = soft::dereg_mr;
    t.alloc_mw = soft::alloc_mw;
    t.dealloc_mw = soft::dealloc_mw;

    t.create_comp_channel = soft::create_comp_channel;
    t.destroy_comp_channel = soft::destroy_comp_channel;
    t.create_cq = soft::create_cq;
    t.resize_cq = soft::resize_cq;
    t.destroy_cq = soft::destroy_cq;
    t.get_cq_event = soft::get_cq_event;
    t.ack_cq_events = soft::ack_cq_events;

    t.create_qp = soft::create_qp;
    t.modify_qp = soft::modify_qp;
    t.query_qp = soft::query_qp;
    t.destroy_qp = soft::destroy_qp;
    t.create_srq = soft::create_srq;
    t.modify_srq = soft::modify_srq;
    t.query_srq = soft::query_srq;
    t.destroy_srq = soft::destroy_srq;

    t.create_ah = soft::create_ah;
    t.init_ah_from_wc = soft::init_ah_from_wc;
    t.create_ah_from_wc = soft::create_ah_from_wc;
    t.destroy_ah = soft::destroy_ah;
    t.attach_mcast = soft::attach_mcast;
    t.detach_mcast = soft::detach_mcast;

    t.cm_create_event_channel = soft::cm::create_event_channel;
    t.cm_destroy_event_channel = soft::cm::destroy_event_channel;
    t.cm_get_event = soft::cm::get_event;
    t.cm_ack_event = soft::cm::ack_event;
    t.cm_create_id = soft::cm::create_id;
    t.cm_destroy_id = soft::cm::destroy_id;
    t.cm_migrate_id = soft::cm::migrate_id;
    t.cm_set_option = soft::cm::set_option;
    t.cm_bind_addr = soft::cm::bind_addr;
    t.cm_resolve_addr = soft::cm::resolve_addr;
    t.cm_resolve_route = soft::cm::resolve_route;
    t.cm_create_qp = soft::cm::create_qp;
    t.cm_destroy_qp = soft::cm::destroy_qp;
    t.cm_init_qp_attr = soft::cm::init_qp_attr;
    t.cm_listen = soft::cm::listen;
    t.cm_connect = soft::cm::connect;
    t.cm_establish = soft::cm::establish;
    t.cm_accept = soft::cm::accept;
    t.cm_reject = soft::cm::reject;
    t.cm_notify = soft::cm::notify;
    t.cm_disconnect = soft::cm::disconnect;
    t.cm_join_multicast = soft::cm::join_multicast;
    t.cm_join_multicast_ex = soft::cm::join_multicast_ex;
    t.cm_leave_multicast = soft::cm::leave_multicast;
    t.cm_get_src_port = soft::cm::get_src_port;
    t.cm_get_dst_port = soft::cm::get_dst_port;

    t.reg_mr_iova = soft::reg_mr_iova;
    t.rereg_mr = soft::rereg_mr;
    t.qp_to_qp_ex = soft::qp_to_qp_ex;
    t.cm_create_qp_ex = soft::cm::create_qp_ex;
    t.cm_create_srq = soft::cm::create_srq;
    t.cm_create_srq_ex = soft::cm::create_srq_ex;
    t.cm_destroy_srq = soft::cm::destroy_srq;
    t.cm_create_ep = soft::cm::create_ep;
    t.cm_destroy_ep = soft::cm::destroy_ep;
    t.cm_get_request = soft::cm::get_request;
    t.cm_getaddrinfo = soft::cm::getaddrinfo;
    t.cm_freeaddrinfo = soft::cm::freeaddrinfo;
    t.cm_get_devices = soft::cm::get_devices;
    t.cm_free_devices = soft::cm::free_devices;
    t.reg_dmabuf_mr = soft::reg_dmabuf_mr;
    return t;
  }();
  return table;
}

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma
