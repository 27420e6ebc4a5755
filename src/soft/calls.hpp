// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_CALLS_HPP
#define ASIO_RDMA_SRC_SOFT_CALLS_HPP

#include <asio_rdma/detail/rdma_core.hpp>

#include <sys/types.h>
#include <cstddef>
#include <cstdint>

// The functions of soft0's table that belong to verbs, as their man pages describe them; each is in the file of its
// object. The connection manager's are in cm/calls.hpp.
namespace asio_rdma {
inline namespace v1 {
namespace soft {

ibv_device** get_device_list(int* count);
void free_device_list(ibv_device** list);
const char* get_device_name(ibv_device* d);
__be64 get_device_guid(ibv_device* d);
ibv_context* open_device(ibv_device* d);
int close_device(ibv_context* c);
int query_device(ibv_context* c, ibv_device_attr* attributes);
int query_device_ex(ibv_context* c, const ibv_query_device_ex_input* input, ibv_device_attr_ex* attributes,
                    std::size_t size);
int query_rt_values(ibv_context* c, ibv_values_ex* values);
int query_port(ibv_context* c, std::uint8_t port, ibv_port_attr* attributes);
int query_gid(ibv_context* c, std::uint8_t port, int index, ibv_gid* gid);
int query_gid_ex(ibv_context* c, std::uint32_t port, std::uint32_t index, ibv_gid_entry* entry, std::uint32_t flags);
ssize_t query_gid_table(ibv_context* c, ibv_gid_entry* entries, std::size_t size, std::uint32_t flags);
int query_pkey(ibv_context* c, std::uint8_t port, int index, __be16* pkey);
int get_async_event(ibv_context* c, ibv_async_event* event);
void ack_async_event(ibv_async_event* event);

ibv_pd* alloc_pd(ibv_context* c);
int dealloc_pd(ibv_pd* pd);
ibv_mr* reg_mr(ibv_pd* pd, void* address, std::size_t length, int access);
ibv_mr* reg_mr_iova(ibv_pd* pd, void* address, std::size_t length, std::uint64_t iova, unsigned access);
ibv_mr* reg_dmabuf_mr(ibv_pd* pd, std::uint64_t offset, std::size_t length, std::uint64_t iova, int fd, int access);
int rereg_mr(ibv_mr* mr, int flags, ibv_pd* pd, void* address, std::size_t length, int access);
int dereg_mr(ibv_mr* mr);
ibv_mw* alloc_mw(ibv_pd* pd, ibv_mw_type type);
int dealloc_mw(ibv_mw* mw);

ibv_comp_channel* create_comp_channel(ibv_context* c);
int destroy_comp_channel(ibv_comp_channel* channel);
ibv_cq* create_cq(ibv_context* c, int cqe, void* cq_context, ibv_comp_channel* channel, int comp_vector);
ibv_cq_ex* create_cq_ex(ibv_context* c, ibv_cq_init_attr_ex* attributes);
int resize_cq(ibv_cq* cq, int cqe);
int destroy_cq(ibv_cq* cq);
int get_cq_event(ibv_comp_channel* channel, ibv_cq** cq, void** cq_context);
void ack_cq_events(ibv_cq* cq, unsigned count);

ibv_qp* create_qp(ibv_pd* pd, ibv_qp_init_attr* attributes);
ibv_qp* create_qp_ex(ibv_context* c, ibv_qp_init_attr_ex* attributes);
ibv_qp_ex* qp_to_qp_ex(ibv_qp* qp);
int modify_qp(ibv_qp* qp, ibv_qp_attr* attributes, int mask);
int query_qp(ibv_qp* qp, ibv_qp_attr* attributes, int mask, ibv_qp_init_attr* init_attributes);
int destroy_qp(ibv_qp* qp);
ibv_srq* create_srq(ibv_pd* pd, ibv_srq_init_attr* attributes);
int modify_srq(ibv_srq* srq, ibv_srq_attr* attributes, int mask);
int query_srq(ibv_srq* srq, ibv_srq_attr* attributes);
int destroy_srq(ibv_srq* srq);

ibv_ah* create_ah(ibv_pd* pd, ibv_ah_attr* attributes);
int init_ah_from_wc(ibv_context* c, std::uint8_t port, ibv_wc* wc, ibv_grh* grh, ibv_ah_attr* attributes);
ibv_ah* create_ah_from_wc(ibv_pd* pd, ibv_wc* wc, ibv_grh* grh, std::uint8_t port);
int destroy_ah(ibv_ah* ah);
int attach_mcast(ibv_qp* qp, const ibv_gid* gid, std::uint16_t lid);
int detach_mcast(ibv_qp* qp, const ibv_gid* gid, std::uint16_t lid);

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
