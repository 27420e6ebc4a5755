// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The functions of libibverbs that make objects, change and destroy them.

#include "soft/preload/dispatch.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>

using namespace asio_rdma::soft::preload;

namespace {

std::nullptr_t not_supported() noexcept {
  errno = EOPNOTSUPP;
  return nullptr;
}

}  // namespace

extern "C" {

ibv_pd* ibv_alloc_pd(ibv_context* c) {
  return is_soft(c) ? soft0().alloc_pd(c) : ASIO_RDMA_REAL(ibv_alloc_pd, "IBVERBS_1.1")(c);
}

int ibv_dealloc_pd(ibv_pd* pd) {
  return is_soft(pd) ? soft0().dealloc_pd(pd) : ASIO_RDMA_REAL(ibv_dealloc_pd, "IBVERBS_1.1")(pd);
}

ibv_mr*(ibv_reg_mr)(ibv_pd* pd, void* address, std::size_t length, int access) {
  return is_soft(pd) ? soft0().reg_mr(pd, address, length, access)
                     : ASIO_RDMA_REAL(ibv_reg_mr, "IBVERBS_1.1")(pd, address, length, access);
}

ibv_mr*(ibv_reg_mr_iova)(ibv_pd* pd, void* address, std::size_t length, std::uint64_t iova, int access) {
  return is_soft(pd) ? soft0().reg_mr_iova(pd, address, length, iova, static_cast<unsigned>(access))
                     : ASIO_RDMA_REAL(ibv_reg_mr_iova, "IBVERBS_1.7")(pd, address, length, iova, access);
}

ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* address, std::size_t length, std::uint64_t iova, unsigned access) {
  return is_soft(pd) ? soft0().reg_mr_iova(pd, address, length, iova, access)
                     : ASIO_RDMA_REAL(ibv_reg_mr_iova2, "IBVERBS_1.8")(pd, address, length, iova, access);
}

ibv_mr* ibv_reg_dmabuf_mr(ibv_pd* pd, std::uint64_t offset, std::size_t length, std::uint64_t iova, int fd,
                          int access) {
  if (is_soft(pd)) return not_supported();
  return ASIO_RDMA_REAL(ibv_reg_dmabuf_mr, "IBVERBS_1.12")(pd, offset, length, iova, fd, access);
}

int ibv_rereg_mr(ibv_mr* mr, int flags, ibv_pd* pd, void* address, std::size_t length, int access) {
  return is_soft(mr) ? soft0().rereg_mr(mr, flags, pd, address, length, access)
                     : ASIO_RDMA_REAL(ibv_rereg_mr, "IBVERBS_1.1")(mr, flags, pd, address, length, access);
}

int ibv_dereg_mr(ibv_mr* mr) {
  return is_soft(mr) ? soft0().dereg_mr(mr) : ASIO_RDMA_REAL(ibv_dereg_mr, "IBVERBS_1.1")(mr);
}

// Objects of another process, which shares its descriptors: there is no such thing here.
ibv_context* ibv_import_device(int fd) {
  if (shown_devices() == shown::software) return not_supported();
  return ASIO_RDMA_REAL(ibv_import_device, "IBVERBS_1.10")(fd);
}

ibv_pd* ibv_import_pd(ibv_context* c, std::uint32_t handle) {
  return is_soft(c) ? not_supported() : ASIO_RDMA_REAL(ibv_import_pd, "IBVERBS_1.10")(c, handle);
}

ibv_mr* ibv_import_mr(ibv_pd* pd, std::uint32_t handle) {
  return is_soft(pd) ? not_supported() : ASIO_RDMA_REAL(ibv_import_mr, "IBVERBS_1.10")(pd, handle);
}

ibv_dm* ibv_import_dm(ibv_context* c, std::uint32_t handle) {
  return is_soft(c) ? not_supported() : ASIO_RDMA_REAL(ibv_import_dm, "IBVERBS_1.13")(c, handle);
}

ibv_comp_channel* ibv_create_comp_channel(ibv_context* c) {
  return is_soft(c) ? soft0().create_comp_channel(c) : ASIO_RDMA_REAL(ibv_create_comp_channel, "IBVERBS_1.0")(c);
}

int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  return is_soft(channel) ? soft0().destroy_comp_channel(channel)
                          : ASIO_RDMA_REAL(ibv_destroy_comp_channel, "IBVERBS_1.0")(channel);
}

ibv_cq* ibv_create_cq(ibv_context* c, int cqe, void* cq_context, ibv_comp_channel* channel, int vector) {
  return is_soft(c) ? soft0().create_cq(c, cqe, cq_context, channel, vector)
                    : ASIO_RDMA_REAL(ibv_create_cq, "IBVERBS_1.1")(c, cqe, cq_context, channel, vector);
}

int ibv_resize_cq(ibv_cq* cq, int cqe) {
  return is_soft(cq) ? soft0().resize_cq(cq, cqe) : ASIO_RDMA_REAL(ibv_resize_cq, "IBVERBS_1.1")(cq, cqe);
}

int ibv_destroy_cq(ibv_cq* cq) {
  return is_soft(cq) ? soft0().destroy_cq(cq) : ASIO_RDMA_REAL(ibv_destroy_cq, "IBVERBS_1.1")(cq);
}

int ibv_get_cq_event(ibv_comp_channel* channel, ibv_cq** cq, void** cq_context) {
  return is_soft(channel) ? soft0().get_cq_event(channel, cq, cq_context)
                          : ASIO_RDMA_REAL(ibv_get_cq_event, "IBVERBS_1.1")(channel, cq, cq_context);
}

void ibv_ack_cq_events(ibv_cq* cq, unsigned count) {
  is_soft(cq) ? soft0().ack_cq_events(cq, count) : ASIO_RDMA_REAL(ibv_ack_cq_events, "IBVERBS_1.1")(cq, count);
}

ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* attributes) {
  return is_soft(pd) ? soft0().create_qp(pd, attributes)
                     : ASIO_RDMA_REAL(ibv_create_qp, "IBVERBS_1.1")(pd, attributes);
}

ibv_qp_ex* ibv_qp_to_qp_ex(ibv_qp* qp) {
  return is_soft(qp) ? soft0().qp_to_qp_ex(qp) : ASIO_RDMA_REAL(ibv_qp_to_qp_ex, "IBVERBS_1.6")(qp);
}

int ibv_modify_qp(ibv_qp* qp, ibv_qp_attr* attributes, int mask) {
  return is_soft(qp) ? soft0().modify_qp(qp, attributes, mask)
                     : ASIO_RDMA_REAL(ibv_modify_qp, "IBVERBS_1.1")(qp, attributes, mask);
}

int ibv_query_qp(ibv_qp* qp, ibv_qp_attr* attributes, int mask, ibv_qp_init_attr* init_attributes) {
  return is_soft(qp) ? soft0().query_qp(qp, attributes, mask, init_attributes)
                     : ASIO_RDMA_REAL(ibv_query_qp, "IBVERBS_1.1")(qp, attributes, mask, init_attributes);
}

int ibv_query_qp_data_in_order(ibv_qp* qp, ibv_wr_opcode opcode, std::uint32_t flags) {
  if (is_soft(qp)) return 0;  // nothing is promised
  return ASIO_RDMA_REAL(ibv_query_qp_data_in_order, "IBVERBS_1.14")(qp, opcode, flags);
}

int ibv_query_ece(ibv_qp* qp, ibv_ece* ece) {
  return is_soft(qp) ? EOPNOTSUPP : ASIO_RDMA_REAL(ibv_query_ece, "IBVERBS_1.10")(qp, ece);
}

int ibv_set_ece(ibv_qp* qp, ibv_ece* ece) {
  return is_soft(qp) ? EOPNOTSUPP : ASIO_RDMA_REAL(ibv_set_ece, "IBVERBS_1.10")(qp, ece);
}

int ibv_destroy_qp(ibv_qp* qp) {
  return is_soft(qp) ? soft0().destroy_qp(qp) : ASIO_RDMA_REAL(ibv_destroy_qp, "IBVERBS_1.1")(qp);
}

ibv_srq* ibv_create_srq(ibv_pd* pd, ibv_srq_init_attr* attributes) {
  return is_soft(pd) ? soft0().create_srq(pd, attributes)
                     : ASIO_RDMA_REAL(ibv_create_srq, "IBVERBS_1.1")(pd, attributes);
}

int ibv_modify_srq(ibv_srq* srq, ibv_srq_attr* attributes, int mask) {
  return is_soft(srq) ? soft0().modify_srq(srq, attributes, mask)
                      : ASIO_RDMA_REAL(ibv_modify_srq, "IBVERBS_1.1")(srq, attributes, mask);
}

int ibv_query_srq(ibv_srq* srq, ibv_srq_attr* attributes) {
  return is_soft(srq) ? soft0().query_srq(srq, attributes)
                      : ASIO_RDMA_REAL(ibv_query_srq, "IBVERBS_1.1")(srq, attributes);
}

int ibv_destroy_srq(ibv_srq* srq) {
  return is_soft(srq) ? soft0().destroy_srq(srq) : ASIO_RDMA_REAL(ibv_destroy_srq, "IBVERBS_1.1")(srq);
}

ibv_ah* ibv_create_ah(ibv_pd* pd, ibv_ah_attr* attributes) {
  return is_soft(pd) ? soft0().create_ah(pd, attributes)
                     : ASIO_RDMA_REAL(ibv_create_ah, "IBVERBS_1.1")(pd, attributes);
}

int ibv_init_ah_from_wc(ibv_context* c, std::uint8_t port, ibv_wc* wc, ibv_grh* grh, ibv_ah_attr* attributes) {
  return is_soft(c) ? soft0().init_ah_from_wc(c, port, wc, grh, attributes)
                    : ASIO_RDMA_REAL(ibv_init_ah_from_wc, "IBVERBS_1.1")(c, port, wc, grh, attributes);
}

ibv_ah* ibv_create_ah_from_wc(ibv_pd* pd, ibv_wc* wc, ibv_grh* grh, std::uint8_t port) {
  return is_soft(pd) ? soft0().create_ah_from_wc(pd, wc, grh, port)
                     : ASIO_RDMA_REAL(ibv_create_ah_from_wc, "IBVERBS_1.1")(pd, wc, grh, port);
}

int ibv_destroy_ah(ibv_ah* ah) {
  return is_soft(ah) ? soft0().destroy_ah(ah) : ASIO_RDMA_REAL(ibv_destroy_ah, "IBVERBS_1.1")(ah);
}

int ibv_attach_mcast(ibv_qp* qp, const ibv_gid* gid, std::uint16_t lid) {
  return is_soft(qp) ? soft0().attach_mcast(qp, gid, lid)
                     : ASIO_RDMA_REAL(ibv_attach_mcast, "IBVERBS_1.1")(qp, gid, lid);
}

int ibv_detach_mcast(ibv_qp* qp, const ibv_gid* gid, std::uint16_t lid) {
  return is_soft(qp) ? soft0().detach_mcast(qp, gid, lid)
                     : ASIO_RDMA_REAL(ibv_detach_mcast, "IBVERBS_1.1")(qp, gid, lid);
}

}  // extern "C"
