// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "datagram_end.hpp"
#include "modes.hpp"

#include <boost/asio/ip/udp.hpp>

namespace perf::net {

std::unique_ptr<end> make_udp(const end_of& e) {
  return std::make_unique<datagram_end<boost::asio::ip::udp>>(e);
}

}  // namespace perf::net
