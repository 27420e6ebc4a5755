// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_NET_MODES_HPP
#define ASIO_RDMA_PERF_NET_MODES_HPP

#include "../common/end.hpp"

#include <memory>

/// What --mode can be; each has a file of its own.
namespace perf::net {

std::unique_ptr<end> make_stream(const end_of& e);
std::unique_ptr<end> make_message(const end_of& e);
std::unique_ptr<end> make_datagram(const end_of& e);
std::unique_ptr<end> make_raw(const end_of& e);
std::unique_ptr<end> make_tcp(const end_of& e);
std::unique_ptr<end> make_udp(const end_of& e);

}  // namespace perf::net

#endif
