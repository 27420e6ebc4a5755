// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "modes.hpp"
#include "connected_end.hpp"

namespace perf::net {

std::unique_ptr<end> make_message(const end_of& e) {
  return std::make_unique<connected_end<asio_rdma::rc_seq_packet>>(e);
}

}  // namespace perf::net
