// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_RAW_OPTIONS_HPP
#define ASIO_RDMA_RAW_OPTIONS_HPP

#include <asio_rdma/detail/core/raw.hpp>

#include <string>

namespace asio_rdma {
inline namespace v1 {

/// What kind of queue pair a connection has.
using raw_transport = core::raw_transport;
/// How two ends find each other.
using raw_setup = core::raw_setup;

/// What a raw connection is made with; accepted ones are made with their acceptor's. The members, their units and
/// ranges are those of core::raw_settings. A value out of range is invalid_argument, one that the device cannot do
/// errc::device_limit.
struct raw_options : core::raw_settings {
  /// A device policy, as set_device_policy() takes it; empty: the process's.
  std::string device;
};

/// What a connection was granted.
using raw_limits = core::raw_limits;

}  // namespace v1
}  // namespace asio_rdma

#endif
