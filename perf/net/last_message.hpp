// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_NET_LAST_MESSAGE_HPP
#define ASIO_RDMA_PERF_NET_LAST_MESSAGE_HPP

namespace perf::net {

/// The first byte of every message says whether it is the last of a phase, so that a receiver needs nothing but its
/// data to know.
constexpr unsigned char more_follow = 0;
constexpr unsigned char is_last = 1;

}  // namespace perf::net

#endif
