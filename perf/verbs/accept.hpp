// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_VERBS_ACCEPT_HPP
#define ASIO_RDMA_PERF_VERBS_ACCEPT_HPP

#include "../common/control.hpp"

#include <asio_rdma/raw_acceptor.hpp>

#include <boost/asio/io_context.hpp>

namespace perf::verbs {

/// Waits for a request to connect, and all the while looks whether the client is still there to make one. Throws
/// peer_error if not.
void accept_request(boost::asio::io_context& io, asio_rdma::raw_acceptor& acceptor,
                    asio_rdma::raw_connection& connection, control& line);

}  // namespace perf::verbs

#endif
