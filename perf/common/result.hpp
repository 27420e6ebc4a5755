// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_RESULT_HPP
#define ASIO_RDMA_PERF_COMMON_RESULT_HPP

#include "histogram.hpp"
#include "usage.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace perf {

/// What one end measured with one size of message. Times of the histogram are in ticks of tick_nanoseconds.
struct result {
  std::uint64_t bytes = 0;     ///< of a message
  std::uint64_t messages = 0;  ///< that this end sent, or that arrived where only the other end can tell
  std::uint64_t lost = 0;      ///< datagrams
  usage used;
  double peak_messages = 0;   ///< a second; 0: not looked for
  double other_messages = 0;  ///< a second, of the other end, where both send

  histogram times;
  double tick_nanoseconds = 1;
  std::vector<std::uint64_t> unsorted;  ///< every measurement in ticks, if asked for
  bool halved = false;                  ///< a time is a round trip, of which half is shown

  /// --report-counters, --socket_counters: by how much they grew.
  std::vector<std::pair<std::string, std::uint64_t>> counters;

  double post_seconds = 0;  ///< --probe
  double poll_seconds = 0;

  double messages_per_second() const noexcept {
    return (used.seconds > 0 ? static_cast<double>(messages) / used.seconds : 0) + other_messages;
  }
  double gigabits_per_second() const noexcept { return messages_per_second() * static_cast<double>(bytes) * 8e-9; }
  double mebibytes_per_second() const noexcept {
    return messages_per_second() * static_cast<double>(bytes) / (1024 * 1024);
  }
  /// Microseconds of a time in ticks.
  double microseconds(double ticks) const noexcept { return cycles(ticks) * tick_nanoseconds * 1e-3; }
  /// The same in ticks: of what is shown, which may be half of what was measured.
  double cycles(double ticks) const noexcept { return halved ? ticks / 2 : ticks; }
};

/// What carried a measurement. Texts are empty where there is nothing to say.
struct carrier {
  std::string device;
  std::string link;       ///< "Ethernet", "InfiniBand", "memory"
  std::uint64_t mtu = 0;  ///< path MTU, bytes; 0: unknown
  std::string gid;
  std::uint64_t gid_index = 0;
  unsigned port = 0;  ///< of the device; 0: unknown
  std::string local;  ///< what tells the two ends apart: addresses, or queue pair numbers
  std::string remote;
  std::uint64_t inline_size = 0;  ///< what the queue pair really takes
};

/// Fills in the link and the GID of a device's port, from the device's own description.
void find_link(carrier& c, unsigned port);

}  // namespace perf

#endif
