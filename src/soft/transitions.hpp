// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_TRANSITIONS_HPP
#define ASIO_RDMA_SRC_SOFT_TRANSITIONS_HPP

#include <asio_rdma/detail/rdma_core.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// Whether a queue pair may go from one state to another with these attributes (IBV_QP_*): IBTA 11.2.5.2, tables 91 to
/// 97, which the kernel has in ib_modify_qp_is_ok() (drivers/infiniband/core/verbs.c).
bool is_transition(ibv_qp_type type, ibv_qp_state from, ibv_qp_state to, int mask) noexcept;

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
