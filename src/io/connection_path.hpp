// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_CONNECTION_PATH_HPP
#define ASIO_RDMA_SRC_IO_CONNECTION_PATH_HPP

#include <asio_rdma/detail/core/error.hpp>
#include <asio_rdma/verbs/cm_id.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// How a queue pair sends. As a wish, the first three always count; of the others, one that is left as it is here
/// leaves the choice to the connection manager.
struct connection_path {
  int ack_timeout = 0;  ///< exponent t: 4.096 us * 2^t
  int retry_count = 0;
  int rnr_retry = 0;
  int traffic_class = -1;
  int service_level = -1;
  int hop_limit = 0;
  int pkey = 0;
  int gid_index = -1;
  unsigned access = IBV_ACCESS_REMOTE_WRITE;  ///< the peer's; a stream's writes into ring and mirror only
};

// The connection manager would make the transitions of a queue pair by itself, with what it likes. They are made here,
// with what it says (rdma_init_qp_attr) amended. What cannot be had is an error that means option_refused and says why:
// partition and GID follow from the addresses, and a device may have no use for the rest.

/// RESET to INIT: receives can be posted.
core::error initialize(const verbs::cm_id& id, verbs::queue_pair_ref pair, const connection_path& wish);

/// INIT to RTS, once the peer has said who it is. actual becomes what the device says it has.
core::error make_ready(const verbs::cm_id& id, verbs::queue_pair_ref pair, const connection_path& wish,
                       connection_path& actual);

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
