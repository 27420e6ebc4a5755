// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_COUNTERS_HPP
#define ASIO_RDMA_PERF_COMMON_COUNTERS_HPP

#include "result.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace perf {

/// The counters that the kernel has for a port of a device, those that are asked for by name: files below the port's
/// folder, such as counters/port_xmit_data or hw_counters/sent_pkts.
class port_counters {
public:
  /// @param names separated by commas; may be empty
  /// Throws usage_error for a name that the port has no counter of.
  port_counters(const std::string& names, const carrier& c);

  void begin();
  /// Since begin(), by name.
  std::vector<std::pair<std::string, std::uint64_t>> growth() const;

private:
  struct counter {
    std::string name;
    std::string file;
    std::uint64_t before;
  };

  std::vector<counter> counters_;
  /// For so long the kernel shows what it has read before (struct rdma_hw_stats, include/rdma/ib_verbs.h).
  std::chrono::milliseconds lifespan_{0};
};

}  // namespace perf

#endif
