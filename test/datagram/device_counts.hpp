// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_DATAGRAM_DEVICE_COUNTS_HPP
#define ASIO_RDMA_TEST_DATAGRAM_DEVICE_COUNTS_HPP

#include "fixture.hpp"

#include <optional>
#include <string>

/// What a device has counted of datagrams.
struct device_counts {
  std::uint64_t sent = 0;
  std::uint64_t delivered = 0;  ///< into receives
  std::uint64_t lost = 0;       ///< that came, and were not delivered

  friend device_counts operator-(const device_counts& a, const device_counts& b) {
    return {a.sent - b.sent, a.delivered - b.delivered, a.lost - b.lost};
  }
};

/// Of the device that the socket uses: soft0, whose counters are this process's alone, or rxe, whose counters are
/// everybody's, and of all packets. None of a device that has others.
inline std::optional<device_counts> counts_of_device(const std::string& device) {
  std::optional<std::uint64_t> sent, delivered, lost, arrived;
  for (const asio_rdma::device_counter& c : asio_rdma::device_counters(device)) {
    if (c.name == "datagrams_sent" || c.name == "sent_pkts") sent = c.value;
    if (c.name == "datagrams_delivered" || c.name == "rdma_recvs") delivered = c.value;
    if (c.name == "datagrams_without_receive") lost = c.value;
    if (c.name == "rcvd_pkts") arrived = c.value;
  }
  if (arrived && delivered) lost = *arrived - *delivered;
  if (!sent || !delivered || !lost) return {};
  return device_counts{*sent, *delivered, *lost};
}

#endif
