// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include <asio_rdma/verbs/api.hpp>

#include "verbs/rdma_core_library.hpp"

#include <cerrno>
#include <type_traits>
#ifndef ASIO_RDMA_WITHOUT_VERBS
#include <rdma/rdma_verbs.h>
#endif

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

namespace {

/// In the place of a function that rdma-core does not have here: fails as functions of its type do. Without the
/// libraries it is as with a kernel without RDMA.
template <class Function>
struct absent;
template <class Result, class... Arguments>
struct absent<Result (*)(Arguments...)> {
  static Result call(Arguments...) noexcept {
    errno = load_rdma_core() ? ENOSYS : EOPNOTSUPP;
    if constexpr (std::is_pointer_v<Result>) return nullptr;
    if constexpr (std::is_signed_v<Result>) return -1;
    if constexpr (std::is_unsigned_v<Result>) return 0;
  }
};

/// The name gives the type that the symbol has, and the place has to be of it.
template <class Function, class Place>
void take(Place& place, const char* name, const char* version) noexcept {
  static_assert(std::is_same_v<Function, Place>);
  void* const found = find_rdma_core(name, version);
  place = found ? reinterpret_cast<Place>(found) : &absent<Place>::call;
}
#ifdef ASIO_RDMA_WITHOUT_VERBS
#define ASIO_RDMA_TAKE(place, name, version) take<decltype(t.place)>(t.place, #name, version)
#else
#define ASIO_RDMA_TAKE(place, name, version) take<decltype(&::name)>(t.place, #name, version)
#endif

struct functions {
  api table{};
  // What inline functions of verbs.h of a similar name call.
  int (*query_port)(ibv_context* context, std::uint8_t port, _compat_ibv_port_attr* attributes){};
  int (*query_gid_ex)(ibv_context* context, std::uint32_t port, std::uint32_t index, ibv_gid_entry* entry,
                      std::uint32_t flags, std::size_t entry_size){};
  ssize_t (*query_gid_table)(ibv_context* context, ibv_gid_entry* entries, std::size_t size, std::uint32_t flags,
                             std::size_t entry_size){};

  functions() noexcept;
};

const functions& loaded() noexcept {
  static const functions once;
  return once;
}

void take_all(api& t) noexcept {
  ASIO_RDMA_TAKE(get_device_list, ibv_get_device_list, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(free_device_list, ibv_free_device_list, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(get_device_name, ibv_get_device_name, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(get_device_guid, ibv_get_device_guid, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(open_device, ibv_open_device, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(close_device, ibv_close_device, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(query_device, ibv_query_device, "IBVERBS_1.1");
  t.query_port = [](ibv_context* context, std::uint8_t port, ibv_port_attr* attributes) {
    if (const verbs_context* const newer = verbs_get_ctx_op(context, query_port)) {
      return newer->query_port(context, port, attributes, sizeof *attributes);
    }
    *attributes = {};
    return loaded().query_port(context, port, reinterpret_cast<_compat_ibv_port_attr*>(attributes));
  };
  ASIO_RDMA_TAKE(query_gid, ibv_query_gid, "IBVERBS_1.1");
  t.query_gid_ex = [](ibv_context* context, std::uint32_t port, std::uint32_t index, ibv_gid_entry* entry,
                      std::uint32_t flags) {
    return loaded().query_gid_ex(context, port, index, entry, flags, sizeof *entry);
  };
  t.query_gid_table = [](ibv_context* context, ibv_gid_entry* entries, std::size_t size, std::uint32_t flags) {
    return loaded().query_gid_table(context, entries, size, flags, sizeof *entries);
  };
  ASIO_RDMA_TAKE(query_pkey, ibv_query_pkey, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(get_async_event, ibv_get_async_event, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(ack_async_event, ibv_ack_async_event, "IBVERBS_1.1");

  ASIO_RDMA_TAKE(alloc_pd, ibv_alloc_pd, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(dealloc_pd, ibv_dealloc_pd, "IBVERBS_1.1");
  t.reg_mr = [](ibv_pd* pd, void* address, std::size_t length, int access) {
    return loaded().table.reg_mr_iova(pd, address, length, reinterpret_cast<std::uintptr_t>(address),
                                      static_cast<unsigned>(access));
  };
  ASIO_RDMA_TAKE(dereg_mr, ibv_dereg_mr, "IBVERBS_1.1");
  t.alloc_mw = ibv_alloc_mw;
  t.dealloc_mw = ibv_dealloc_mw;

  ASIO_RDMA_TAKE(create_comp_channel, ibv_create_comp_channel, "IBVERBS_1.0");
  ASIO_RDMA_TAKE(destroy_comp_channel, ibv_destroy_comp_channel, "IBVERBS_1.0");
  ASIO_RDMA_TAKE(create_cq, ibv_create_cq, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(resize_cq, ibv_resize_cq, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(destroy_cq, ibv_destroy_cq, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(get_cq_event, ibv_get_cq_event, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(ack_cq_events, ibv_ack_cq_events, "IBVERBS_1.1");

  ASIO_RDMA_TAKE(create_qp, ibv_create_qp, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(modify_qp, ibv_modify_qp, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(query_qp, ibv_query_qp, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(destroy_qp, ibv_destroy_qp, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(create_srq, ibv_create_srq, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(modify_srq, ibv_modify_srq, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(query_srq, ibv_query_srq, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(destroy_srq, ibv_destroy_srq, "IBVERBS_1.1");

  ASIO_RDMA_TAKE(create_ah, ibv_create_ah, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(init_ah_from_wc, ibv_init_ah_from_wc, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(create_ah_from_wc, ibv_create_ah_from_wc, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(destroy_ah, ibv_destroy_ah, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(attach_mcast, ibv_attach_mcast, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(detach_mcast, ibv_detach_mcast, "IBVERBS_1.1");

  ASIO_RDMA_TAKE(cm_create_event_channel, rdma_create_event_channel, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_destroy_event_channel, rdma_destroy_event_channel, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_get_event, rdma_get_cm_event, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_ack_event, rdma_ack_cm_event, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_create_id, rdma_create_id, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_destroy_id, rdma_destroy_id, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_migrate_id, rdma_migrate_id, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_set_option, rdma_set_option, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_bind_addr, rdma_bind_addr, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_resolve_addr, rdma_resolve_addr, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_resolve_route, rdma_resolve_route, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_create_qp, rdma_create_qp, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_destroy_qp, rdma_destroy_qp, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_init_qp_attr, rdma_init_qp_attr, "RDMACM_1.2");
  ASIO_RDMA_TAKE(cm_listen, rdma_listen, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_connect, rdma_connect, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_establish, rdma_establish, "RDMACM_1.2");
  ASIO_RDMA_TAKE(cm_accept, rdma_accept, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_reject, rdma_reject, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_notify, rdma_notify, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_disconnect, rdma_disconnect, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_join_multicast, rdma_join_multicast, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_join_multicast_ex, rdma_join_multicast_ex, "RDMACM_1.1");
  ASIO_RDMA_TAKE(cm_leave_multicast, rdma_leave_multicast, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_get_src_port, rdma_get_src_port, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_get_dst_port, rdma_get_dst_port, "RDMACM_1.0");

  ASIO_RDMA_TAKE(reg_mr_iova, ibv_reg_mr_iova2, "IBVERBS_1.8");
  ASIO_RDMA_TAKE(rereg_mr, ibv_rereg_mr, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(qp_to_qp_ex, ibv_qp_to_qp_ex, "IBVERBS_1.6");
  ASIO_RDMA_TAKE(cm_create_qp_ex, rdma_create_qp_ex, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_create_srq, rdma_create_srq, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_create_srq_ex, rdma_create_srq_ex, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_destroy_srq, rdma_destroy_srq, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_create_ep, rdma_create_ep, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_destroy_ep, rdma_destroy_ep, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_get_request, rdma_get_request, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_getaddrinfo, rdma_getaddrinfo, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_freeaddrinfo, rdma_freeaddrinfo, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_get_devices, rdma_get_devices, "RDMACM_1.0");
  ASIO_RDMA_TAKE(cm_free_devices, rdma_free_devices, "RDMACM_1.0");
  ASIO_RDMA_TAKE(reg_dmabuf_mr, ibv_reg_dmabuf_mr, "IBVERBS_1.12");
}

functions::functions() noexcept {
  take_all(table);
  functions& t = *this;
  ASIO_RDMA_TAKE(query_port, ibv_query_port, "IBVERBS_1.1");
  ASIO_RDMA_TAKE(query_gid_ex, _ibv_query_gid_ex, "IBVERBS_1.11");
  ASIO_RDMA_TAKE(query_gid_table, _ibv_query_gid_table, "IBVERBS_1.11");
}

}  // namespace

const api& rdma_core() noexcept {
  return loaded().table;
}

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma
