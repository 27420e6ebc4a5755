// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_CM_PARAMETERS_HPP
#define ASIO_RDMA_SRC_SOFT_CM_PARAMETERS_HPP

#include "soft/cm/identifier.hpp"
#include "soft/cm/message.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

/// Makes a request or a reply from what the user gives to rdma_connect() or rdma_accept(), which may be null if the id
/// has a queue pair. Locks the id's qp_mutex. 0 or an errno value.
int make_message(identifier& i, message_type type, const rdma_conn_param* parameters, message& result);

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
