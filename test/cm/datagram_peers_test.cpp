// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// How many peers a datagram socket remembers, and which it forgets.

#include "socket/address.hpp"
#include "socket/datagram_peers.hpp"

#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>

#include <vector>

namespace {

using asio_rdma::core::datagram_peer;
using asio_rdma::core::datagram_peers;
using asio_rdma::core::waiting_datagram;

sockaddr_storage address(std::uint32_t host) {
  sockaddr_storage result{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(result);
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(0x0a000000 + host);
  v4.sin_port = htons(7);
  return result;
}

/// As many as fit, from host 0 on.
struct full_table {
  full_table() {
    for (std::uint32_t host = 0; host != datagram_peers::most; ++host) BOOST_REQUIRE(add(host) != nullptr);
    BOOST_TEST(peers.size() == datagram_peers::most);
    BOOST_TEST(retired.empty());
  }
  datagram_peer* add(std::uint32_t host, bool is_found = true) {
    datagram_peer* const p = peers.add(address(host), [this](datagram_peer& gone) {
      retired.push_back(ntohl(reinterpret_cast<const sockaddr_in&>(gone.address).sin_addr.s_addr) - 0x0a000000);
    });
    if (p && is_found) p->queues = &queues;
    return p;
  }

  asio_rdma::io::datagram_queues queues;
  std::vector<std::uint32_t> retired;
  datagram_peers peers;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(datagram_peer_table, *boost::unit_test::label("native"))

BOOST_FIXTURE_TEST_CASE(the_one_not_used_for_longest_makes_room, full_table) {
  peers.touch(*peers.find(address(0)));
  BOOST_REQUIRE(add(10000) != nullptr);
  BOOST_TEST(retired == std::vector<std::uint32_t>{1});
  BOOST_TEST(peers.size() == datagram_peers::most);
  BOOST_TEST(peers.find(address(1)) == nullptr);
  BOOST_TEST(peers.find(address(0)) != nullptr);
  BOOST_TEST(peers.find(address(10000)) != nullptr);
}

BOOST_FIXTURE_TEST_CASE(one_that_is_needed_stays, full_table) {
  peers.find(address(0))->queues = nullptr;  // looked for
  peers.find(address(1))->waiting.emplace_back();
  BOOST_REQUIRE(add(10000) != nullptr);
  BOOST_TEST(retired == std::vector<std::uint32_t>{2});
}

BOOST_FIXTURE_TEST_CASE(there_is_no_room_among_those_that_are_all_needed, full_table) {
  for (datagram_peer& p : peers) p.queues = nullptr;
  BOOST_TEST(add(10000) == nullptr);
  BOOST_TEST(retired.empty());
  peers.erase(*peers.find(address(5)));
  BOOST_TEST(add(10000) != nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
