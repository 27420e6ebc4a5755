// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SUPPORT_EXTENDED_HPP
#define ASIO_RDMA_TEST_SUPPORT_EXTENDED_HPP

#include <asio_rdma/detail/rdma_core.hpp>

#include <cerrno>

namespace verbs_test {

/// ibv_create_qp_ex(3) for a context that has it, without what that links to for those that have not.
inline ibv_qp* create_qp_ex(ibv_context* c, ibv_qp_init_attr_ex* attributes) {
  verbs_context* const extended = verbs_get_ctx_op(c, create_qp_ex);
  if (extended) return extended->create_qp_ex(c, attributes);
  errno = EOPNOTSUPP;
  return nullptr;
}

}  // namespace verbs_test

#endif
