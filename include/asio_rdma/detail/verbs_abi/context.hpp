// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_VERBS_ABI_CONTEXT_HPP
#define ASIO_RDMA_DETAIL_VERBS_ABI_CONTEXT_HPP

#include <asio_rdma/detail/verbs_abi/objects.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>

// An opened device, with the functions that go through it. What the software device does not have is room of that size.

struct ibv_context_ops {
  void* reserved_before_alloc_mw[7];
  ibv_mw* (*alloc_mw)(ibv_pd* pd, ibv_mw_type type);
  int (*bind_mw)(ibv_qp* qp, ibv_mw* mw, ibv_mw_bind* bind);
  int (*dealloc_mw)(ibv_mw* mw);
  void* reserved_before_poll_cq;
  int (*poll_cq)(ibv_cq* cq, int num_entries, ibv_wc* wc);
  int (*req_notify_cq)(ibv_cq* cq, int solicited_only);
  void* reserved_before_post_srq_recv[7];
  int (*post_srq_recv)(ibv_srq* srq, ibv_recv_wr* wr, ibv_recv_wr** bad_wr);
  void* reserved_before_post_send[4];
  int (*post_send)(ibv_qp* qp, ibv_send_wr* wr, ibv_send_wr** bad_wr);
  int (*post_recv)(ibv_qp* qp, ibv_recv_wr* wr, ibv_recv_wr** bad_wr);
  void* reserved_after_post_recv[5];
};

struct ibv_context {
  ibv_device* device;
  ibv_context_ops ops;
  int cmd_fd;
  int async_fd;
  int num_comp_vectors;
  pthread_mutex_t mutex;
  void* abi_compat;
};

struct _compat_ibv_port_attr;  // an older one

enum ibv_values_mask { IBV_VALUES_MASK_RAW_CLOCK = 1 };

struct ibv_values_ex {
  std::uint32_t comp_mask;
  timespec raw_clock;
};

// Of a context whose abi_compat says so, what lies before it.
struct verbs_context {
  int (*query_port)(ibv_context* context, std::uint8_t port_num, ibv_port_attr* port_attr, std::size_t port_attr_len);
  void* reserved_before_query_rt_values[23];
  int (*query_rt_values)(ibv_context* context, ibv_values_ex* values);
  ibv_cq_ex* (*create_cq_ex)(ibv_context* context, ibv_cq_init_attr_ex* init_attr);
  void* priv;
  int (*query_device_ex)(ibv_context* context, const ibv_query_device_ex_input* input, ibv_device_attr_ex* attr,
                         std::size_t attr_size);
  void* reserved_before_create_qp_ex[5];
  ibv_qp* (*create_qp_ex)(ibv_context* context, ibv_qp_init_attr_ex* qp_init_attr_ex);
  int (*get_srq_num)(ibv_srq* srq, std::uint32_t* srq_num);
  ibv_srq* (*create_srq_ex)(ibv_context* context, ibv_srq_init_attr_ex* srq_init_attr_ex);
  void* reserved_before_sz[3];
  std::size_t sz;
  ibv_context context;
};

#define __VERBS_ABI_IS_EXTENDED (reinterpret_cast<void*>(UINTPTR_MAX))

inline verbs_context* verbs_get_ctx(ibv_context* context) {
  if (context->abi_compat != __VERBS_ABI_IS_EXTENDED) return nullptr;
  void* const whole = reinterpret_cast<unsigned char*>(context) - offsetof(verbs_context, context);
  return static_cast<verbs_context*>(whole);
}
// The extended context, if it has that function.
#define verbs_get_ctx_op(context, op) \
  (verbs_get_ctx(context) != nullptr && verbs_get_ctx(context)->op != nullptr ? verbs_get_ctx(context) : nullptr)

#endif
