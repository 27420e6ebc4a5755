// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/device.hpp"

#include <asio_rdma/verbs/api.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

software_counters count_software_device() noexcept {
  soft::device* const opened = soft::device::instance();
  if (opened == nullptr) return {};
  const soft::datagram_counts& counted = opened->memory().header().datagrams;
  return {counted.sent.load(), counted.delivered.load(), counted.without_receive.load(), counted.refused.load()};
}

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma
