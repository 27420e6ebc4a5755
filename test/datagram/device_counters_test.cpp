// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What the device has counted, what we have, and what the program has, is the same.

#include "device_counts.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace {

/// Two sockets that have found each other, so that no packet of the connection manager's is counted.
struct acquainted : two_sockets {
  acquainted() {
    a.send_to(asio::buffer("hello", 5), to_b);
    (void)receive_string(b);
    b.send_to(asio::buffer("hello", 5), to_a);
    (void)receive_string(a);
    device = asio_rdma::device_name(a);
  }

  /// False if the device has counters of its own kind.
  bool begin() {
    before = counts_of_device(device);
    if (!before) BOOST_TEST_MESSAGE("not known what the counters of " << device << " mean");
    sent = asio_rdma::statistics(a).counters.messages_sent;
    received = asio_rdma::statistics(b).counters.messages_received;
    return before.has_value();
  }
  /// Since begin(). Devices count when they come to it: waits until that many have been seen.
  device_counts counted(std::uint64_t datagrams) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    device_counts d;
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      d = *counts_of_device(device) - *before;
    } while ((d.sent < datagrams || d.delivered + d.lost < datagrams) && std::chrono::steady_clock::now() < end);
    return d;
  }
  std::uint64_t sent_by_a() { return asio_rdma::statistics(a).counters.messages_sent - sent; }
  std::uint64_t received_by_b() { return asio_rdma::statistics(b).counters.messages_received - received; }

  /// Reads what there is.
  std::uint64_t drain() {
    b.non_blocking(true);
    for (std::uint64_t n = 0;; ++n) {
      error_code ec;
      b.receive(asio::buffer(data), 0, ec);
      if (ec == asio::error::would_block) return n;
      if (ec) throw boost::system::system_error(ec);
    }
  }

  std::array<char, 64> data{};
  std::string device;
  std::optional<device_counts> before;
  std::uint64_t sent = 0, received = 0;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(counters_of_the_device, acquainted)

BOOST_AUTO_TEST_CASE(agree_when_there_is_room) {
  if (!begin()) return;
  constexpr std::uint64_t rounds = 20, window = 50;
  std::uint64_t read = 0;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    for (std::uint64_t i = 0; i != window; ++i) a.send_to(asio::buffer("datagram", 8), to_b);
    while (read < round * window) read += drain();
  }
  const device_counts d = counted(rounds * window);
  BOOST_TEST(d.sent == rounds * window);
  BOOST_TEST(d.delivered == rounds * window);
  BOOST_TEST(d.lost == 0u);
  BOOST_TEST(sent_by_a() == d.sent);
  BOOST_TEST(received_by_b() == d.delivered);
  BOOST_TEST(read == d.delivered);
}

BOOST_AUTO_TEST_CASE(tell_what_was_lost_for_want_of_room) {
  if (!begin()) return;
  constexpr std::uint64_t total = 1000;
  for (std::uint64_t i = 0; i != total; ++i) a.send_to(asio::buffer("datagram", 8), to_b);
  const device_counts d = counted(total);
  const std::uint64_t read = drain();
  asio_rdma::queue_depth depth;
  b.get_option(depth);
  BOOST_TEST(d.sent == total);
  BOOST_TEST(d.delivered + d.lost == total);
  BOOST_TEST(d.delivered == static_cast<std::uint64_t>(depth.value()));
  BOOST_TEST(sent_by_a() == total);
  BOOST_TEST(received_by_b() == d.delivered);
  BOOST_TEST(read == d.delivered);
}

BOOST_AUTO_TEST_CASE(are_of_devices_that_there_are) {
  error_code ec;
  BOOST_TEST(asio_rdma::device_counters("none of that name", ec).empty());
  BOOST_TEST((ec == asio_rdma::errc::unknown_device));
  BOOST_CHECK_THROW(asio_rdma::device_counters(""), boost::system::system_error);
  const auto all = asio_rdma::device_counters(device);
  BOOST_TEST(!all.empty());
  for (const asio_rdma::device_counter& c : all) {
    BOOST_TEST(c.port >= 1u);
    const auto same = [&](const auto& other) { return other.name == c.name && other.port == c.port; };
    BOOST_TEST(std::count_if(all.begin(), all.end(), same) == 1, c.name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
