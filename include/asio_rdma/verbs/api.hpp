// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_API_HPP
#define ASIO_RDMA_VERBS_API_HPP

#include <asio_rdma/detail/core/config.hpp>
#include <asio_rdma/detail/core/error.hpp>
#include <asio_rdma/detail/rdma_core.hpp>

#include <sys/types.h>
#include <cstddef>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// The control path of verbs and of the connection manager as a table of functions. It is the only seam between one
/// kind of device and another; which table an object uses follows from the device it belongs to. Some need no table:
/// ibv_post_send, ibv_post_recv, ibv_post_srq_recv, ibv_poll_cq, ibv_req_notify_cq, the ibv_wr_* functions,
/// ibv_start_poll and those that go with it are inline functions of verbs.h that go through the object itself.
///
/// Each member behaves as the function of rdma-core that it is named for, as its man page says, errno included: ibv_*
/// in general, and rdma_* for those of the connection manager, which begin with cm_.
/// Members are only ever added at the end: the table is part of the ABI.
struct api {
  /// @name Devices
  /// @{

  /// As ibv_* of that name.
  ibv_device** (*get_device_list)(int* count);
  void (*free_device_list)(ibv_device** list);
  const char* (*get_device_name)(ibv_device* device);
  __be64 (*get_device_guid)(ibv_device* device);
  ibv_context* (*open_device)(ibv_device* device);
  int (*close_device)(ibv_context* context);
  int (*query_device)(ibv_context* context, ibv_device_attr* attributes);
  int (*query_port)(ibv_context* context, std::uint8_t port, ibv_port_attr* attributes);
  int (*query_gid)(ibv_context* context, std::uint8_t port, int index, ibv_gid* gid);
  int (*query_gid_ex)(ibv_context* context, std::uint32_t port, std::uint32_t index, ibv_gid_entry* entry,
                      std::uint32_t flags);
  ssize_t (*query_gid_table)(ibv_context* context, ibv_gid_entry* entries, std::size_t size, std::uint32_t flags);
  int (*query_pkey)(ibv_context* context, std::uint8_t port, int index, __be16* pkey);
  int (*get_async_event)(ibv_context* context, ibv_async_event* event);
  void (*ack_async_event)(ibv_async_event* event);
  /// @}

  /// @name Memory
  /// @{

  /// As ibv_* of that name.
  ibv_pd* (*alloc_pd)(ibv_context* context);
  int (*dealloc_pd)(ibv_pd* pd);
  ibv_mr* (*reg_mr)(ibv_pd* pd, void* address, std::size_t length, int access);
  int (*dereg_mr)(ibv_mr* mr);
  ibv_mw* (*alloc_mw)(ibv_pd* pd, ibv_mw_type type);
  int (*dealloc_mw)(ibv_mw* mw);
  /// @}

  /// @name Completions
  /// @{

  /// As ibv_* of that name.
  ibv_comp_channel* (*create_comp_channel)(ibv_context* context);
  int (*destroy_comp_channel)(ibv_comp_channel* channel);
  ibv_cq* (*create_cq)(ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel, int comp_vector);
  int (*resize_cq)(ibv_cq* cq, int cqe);
  int (*destroy_cq)(ibv_cq* cq);
  int (*get_cq_event)(ibv_comp_channel* channel, ibv_cq** cq, void** cq_context);
  void (*ack_cq_events)(ibv_cq* cq, unsigned int count);
  /// @}

  /// @name Queues
  /// @{

  /// As ibv_* of that name.
  ibv_qp* (*create_qp)(ibv_pd* pd, ibv_qp_init_attr* attributes);
  int (*modify_qp)(ibv_qp* qp, ibv_qp_attr* attributes, int mask);
  int (*query_qp)(ibv_qp* qp, ibv_qp_attr* attributes, int mask, ibv_qp_init_attr* init_attributes);
  int (*destroy_qp)(ibv_qp* qp);
  ibv_srq* (*create_srq)(ibv_pd* pd, ibv_srq_init_attr* attributes);
  int (*modify_srq)(ibv_srq* srq, ibv_srq_attr* attributes, int mask);
  int (*query_srq)(ibv_srq* srq, ibv_srq_attr* attributes);
  int (*destroy_srq)(ibv_srq* srq);
  /// @}

  /// @name Datagrams
  /// @{

  /// As ibv_* of that name.
  ibv_ah* (*create_ah)(ibv_pd* pd, ibv_ah_attr* attributes);
  int (*init_ah_from_wc)(ibv_context* context, std::uint8_t port, ibv_wc* wc, ibv_grh* grh, ibv_ah_attr* attributes);
  ibv_ah* (*create_ah_from_wc)(ibv_pd* pd, ibv_wc* wc, ibv_grh* grh, std::uint8_t port);
  int (*destroy_ah)(ibv_ah* ah);
  int (*attach_mcast)(ibv_qp* qp, const ibv_gid* gid, std::uint16_t lid);
  int (*detach_mcast)(ibv_qp* qp, const ibv_gid* gid, std::uint16_t lid);
  /// @}

  /// @name Connection manager
  /// @{

  /// As rdma_*, where the name here has cm_*.
  rdma_event_channel* (*cm_create_event_channel)();
  void (*cm_destroy_event_channel)(rdma_event_channel* channel);
  int (*cm_get_event)(rdma_event_channel* channel, rdma_cm_event** event);
  int (*cm_ack_event)(rdma_cm_event* event);
  int (*cm_create_id)(rdma_event_channel* channel, rdma_cm_id** id, void* context, rdma_port_space space);
  int (*cm_destroy_id)(rdma_cm_id* id);
  int (*cm_migrate_id)(rdma_cm_id* id, rdma_event_channel* channel);
  int (*cm_set_option)(rdma_cm_id* id, int level, int name, void* value, std::size_t size);
  int (*cm_bind_addr)(rdma_cm_id* id, sockaddr* address);
  int (*cm_resolve_addr)(rdma_cm_id* id, sockaddr* source, sockaddr* destination, int timeout_ms);
  int (*cm_resolve_route)(rdma_cm_id* id, int timeout_ms);
  int (*cm_create_qp)(rdma_cm_id* id, ibv_pd* pd, ibv_qp_init_attr* attributes);
  void (*cm_destroy_qp)(rdma_cm_id* id);
  int (*cm_init_qp_attr)(rdma_cm_id* id, ibv_qp_attr* attributes, int* mask);
  int (*cm_listen)(rdma_cm_id* id, int backlog);
  int (*cm_connect)(rdma_cm_id* id, rdma_conn_param* parameters);
  int (*cm_establish)(rdma_cm_id* id);
  int (*cm_accept)(rdma_cm_id* id, rdma_conn_param* parameters);
  int (*cm_reject)(rdma_cm_id* id, const void* private_data, std::uint8_t size);
  int (*cm_notify)(rdma_cm_id* id, ibv_event_type event);
  int (*cm_disconnect)(rdma_cm_id* id);
  int (*cm_join_multicast)(rdma_cm_id* id, sockaddr* address, void* context);
  int (*cm_join_multicast_ex)(rdma_cm_id* id, rdma_cm_join_mc_attr_ex* attributes, void* context);
  int (*cm_leave_multicast)(rdma_cm_id* id, sockaddr* address);
  __be16 (*cm_get_src_port)(rdma_cm_id* id);
  __be16 (*cm_get_dst_port)(rdma_cm_id* id);
  /// @}

  /// @name More of the above
  /// @{

  /// As ibv_* of that name, and as rdma_* where it has cm_*.
  ibv_mr* (*reg_mr_iova)(ibv_pd* pd, void* address, std::size_t length, std::uint64_t iova, unsigned access);
  int (*rereg_mr)(ibv_mr* mr, int flags, ibv_pd* pd, void* address, std::size_t length, int access);
  ibv_qp_ex* (*qp_to_qp_ex)(ibv_qp* qp);
  int (*cm_create_qp_ex)(rdma_cm_id* id, ibv_qp_init_attr_ex* attributes);
  int (*cm_create_srq)(rdma_cm_id* id, ibv_pd* pd, ibv_srq_init_attr* attributes);
  int (*cm_create_srq_ex)(rdma_cm_id* id, ibv_srq_init_attr_ex* attributes);
  void (*cm_destroy_srq)(rdma_cm_id* id);
  int (*cm_create_ep)(rdma_cm_id** id, rdma_addrinfo* address, ibv_pd* pd, ibv_qp_init_attr* attributes);
  void (*cm_destroy_ep)(rdma_cm_id* id);
  int (*cm_get_request)(rdma_cm_id* listener, rdma_cm_id** id);
  int (*cm_getaddrinfo)(const char* node, const char* service, const rdma_addrinfo* hints, rdma_addrinfo** result);
  void (*cm_freeaddrinfo)(rdma_addrinfo* list);
  ibv_context** (*cm_get_devices)(int* count);
  void (*cm_free_devices)(ibv_context** list);
  ibv_mr* (*reg_dmabuf_mr)(ibv_pd* pd, std::uint64_t offset, std::size_t length, std::uint64_t iova, int fd,
                           int access);
  /// @}
};

/// The table of rdma-core: the system's real devices. Its first use loads libibverbs.so.1 and librdmacm.so.1. Where
/// they cannot be loaded its functions fail with ENOSYS, which is errc::no_device for those that list devices or make
/// an event channel. A function that is missing in an older rdma-core fails with EOPNOTSUPP. Thread-safe.
ASIO_RDMA_DECL const api& rdma_core() noexcept;

/// The table of the software device, soft0: a verbs device in user space, which reaches every process of the same user
/// on this host. It needs no hardware, no privilege and no kernel module.
ASIO_RDMA_DECL const api& software_device() noexcept;

/// What the software device has counted for this process, which is a device of its own as far as counters go.
struct software_counters {
  std::uint64_t datagrams_sent = 0;             ///< by this process
  std::uint64_t datagrams_delivered = 0;        ///< into a receive of a queue pair
  std::uint64_t datagrams_without_receive = 0;  ///< dropped, since no receive was posted
  std::uint64_t datagrams_refused = 0;          ///< dropped, since no such queue pair receives, or under another key
};

/// Zeros if the device cannot be opened. Thread-safe.
ASIO_RDMA_DECL software_counters count_software_device() noexcept;

namespace detail {

/// The table of the devices that sockets use; see policy_table() in device_list.hpp.
ASIO_RDMA_DECL core::error find_policy_table(const api*& result) noexcept;

/// Of a device by its name; negative: it has none.
ASIO_RDMA_DECL int numa_node_of(const char* device) noexcept;

}  // namespace detail

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
