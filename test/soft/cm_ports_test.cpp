// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/address.hpp"
#include "soft/cm/ports.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

namespace {

namespace cm = asio_rdma::soft::cm;
using names = std::vector<std::string>;

sockaddr_storage address(const char* text, std::uint16_t port = 0) {
  sockaddr_storage result{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(result);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(result);
  if (::inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
    result.ss_family = AF_INET;
  } else {
    BOOST_REQUIRE_EQUAL(::inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
    result.ss_family = AF_INET6;
  }
  cm::set_port(result, port);
  return result;
}

/// A port that nobody had a moment ago.
std::uint16_t free_port() {
  sockaddr_storage a = address("::");
  cm::port_claim claim;
  BOOST_REQUIRE_EQUAL(cm::claim_port(RDMA_PS_TCP, a, false, false, claim), 0);
  return cm::port_of(a);
}

enum options { none = 0, v6_only = 1, shared = 2 };

struct held {
  held(const char* text, std::uint16_t port, int with = none, rdma_port_space space = RDMA_PS_TCP) {
    sockaddr_storage a = address(text, port);
    error = cm::claim_port(space, a, (with & v6_only) != 0, (with & shared) != 0, claim);
  }
  cm::port_claim claim;
  int error = 0;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cm_addresses)

BOOST_AUTO_TEST_CASE(are_told_apart) {
  BOOST_TEST(cm::is_any(address("0.0.0.0")));
  BOOST_TEST(cm::is_any(address("::")));
  BOOST_TEST(cm::is_any(address("::ffff:0.0.0.0")));
  BOOST_TEST(!cm::is_any(address("127.0.0.1")));
  BOOST_TEST(cm::same_host(address("10.1.2.3"), address("::ffff:10.1.2.3")));
  BOOST_TEST(!cm::same_host(address("10.1.2.3"), address("10.1.2.4")));
  BOOST_TEST(!cm::same_host(address("0.0.0.0"), address("::")));
  BOOST_TEST(cm::is_multicast(address("239.1.2.3")));
  BOOST_TEST(cm::is_multicast(address("ff02::1")));
  BOOST_TEST(!cm::is_multicast(address("10.1.2.3")));
}

BOOST_AUTO_TEST_CASE(of_loopback_are_this_hosts_all_of_them) {
  for (const char* text : {"127.0.0.1", "127.200.3.4", "::1", "::ffff:127.0.0.9"}) {
    BOOST_TEST(cm::is_own(address(text)), text);
  }
  for (const char* text : {"203.0.113.1", "2001:db8::1", "128.0.0.1"}) BOOST_TEST(!cm::is_own(address(text)), text);
}

BOOST_AUTO_TEST_CASE(have_the_source_that_tcp_would_choose) {
  BOOST_TEST(cm::same_host(cm::source_for(address("127.0.0.2")), address("127.0.0.1")));
  BOOST_TEST(cm::same_host(cm::source_for(address("::ffff:127.0.0.2")), address("127.0.0.1")));
  BOOST_TEST(cm::same_host(cm::source_for(address("::1")), address("::1")));
  BOOST_TEST(cm::same_host(cm::source_for(address("10.1.2.3")), address("10.1.2.3")));
}

BOOST_AUTO_TEST_CASE(become_gids_as_in_roce_v2) {
  const ibv_gid v4 = cm::gid_of(address("1.2.3.4")), mapped = cm::gid_of(address("::ffff:1.2.3.4"));
  BOOST_TEST(std::equal(v4.raw, v4.raw + 16, mapped.raw));
  BOOST_TEST(int{v4.raw[11]} == 0xff);
  BOOST_TEST(int{v4.raw[15]} == 4);
}

BOOST_AUTO_TEST_CASE(survive_the_way_to_another_process) {
  for (const char* text : {"1.2.3.4", "2001:db8::5", "::ffff:1.2.3.4"}) {
    const sockaddr_storage there = cm::from_wire(cm::to_wire(address(text, 77)));
    BOOST_TEST(cm::same_host(there, address(text)), text);
    BOOST_TEST(there.ss_family == address(text).ss_family);
    BOOST_TEST(cm::port_of(there) == 77);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(cm_ports)

BOOST_AUTO_TEST_CASE(have_names_that_say_whose_they_are) {
  const auto plan = cm::plan_port(RDMA_PS_TCP, address("127.0.0.1", 5000), false, false);
  BOOST_TEST(plan.taken == names{"port.tcp.7f000001.5000"}, boost::test_tools::per_element());
  BOOST_TEST(cm::plan_port(RDMA_PS_UDP, address("::", 5000), false, false).taken ==
                 (names{"port.udp.any6.5000", "port.udp.any4.5000"}),
             boost::test_tools::per_element());
  BOOST_TEST(cm::listener_names(RDMA_PS_TCP, address("::1", 5)) ==
                 (names{"port.tcp.00000000000000000000000000000001.5", "port.tcp.any6.5"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(belong_to_one) {
  const std::uint16_t port = free_port();
  const held first("127.0.0.1", port);
  BOOST_TEST(first.error == 0);
  BOOST_TEST(held("127.0.0.1", port).error == EADDRINUSE);
  BOOST_TEST(held("::ffff:127.0.0.1", port).error == EADDRINUSE);
  BOOST_TEST(held("127.0.0.2", port).error == 0);
  BOOST_TEST(held("::1", port).error == 0);
  BOOST_TEST(held("127.0.0.1", port, none, RDMA_PS_UDP).error == 0);
}

BOOST_AUTO_TEST_CASE(are_free_again_once_their_owner_is_gone) {
  const std::uint16_t port = free_port();
  BOOST_TEST(held("127.0.0.1", port).error == 0);
  BOOST_TEST(held("127.0.0.1", port).error == 0);
}

BOOST_AUTO_TEST_CASE(of_any_address_are_those_of_each) {
  const std::uint16_t port = free_port();
  {
    const held any("0.0.0.0", port);
    BOOST_TEST(held("127.0.0.1", port).error == EADDRINUSE);
    BOOST_TEST(held("0.0.0.0", port).error == EADDRINUSE);
    BOOST_TEST(held("::", port).error == EADDRINUSE);
    BOOST_TEST(held("::", port, v6_only).error == 0);
    BOOST_TEST(held("::1", port).error == 0);
  }
  const held specific("127.0.0.1", port);
  BOOST_TEST(held("0.0.0.0", port).error == EADDRINUSE);
  BOOST_TEST(held("::", port).error == EADDRINUSE);
  BOOST_TEST(held("::", port, v6_only).error == 0);
}

BOOST_AUTO_TEST_CASE(of_any_ipv6_address_are_those_of_ipv4_too) {
  const std::uint16_t port = free_port();
  const held any("::", port);
  BOOST_TEST(held("127.0.0.1", port).error == EADDRINUSE);
  BOOST_TEST(held("0.0.0.0", port).error == EADDRINUSE);
  BOOST_TEST(held("::1", port).error == EADDRINUSE);
}

BOOST_AUTO_TEST_CASE(are_shared_by_those_who_all_want_to_share) {
  const std::uint16_t port = free_port();
  {
    const held first("127.0.0.1", port, shared), second("127.0.0.1", port, shared), any("0.0.0.0", port, shared);
    BOOST_TEST(second.error == 0);
    BOOST_TEST(any.error == 0);
    BOOST_TEST(held("127.0.0.1", port).error == EADDRINUSE);
    BOOST_TEST(held("127.0.0.2", port).error == EADDRINUSE);
    BOOST_TEST(held("0.0.0.0", port).error == EADDRINUSE);
  }
  const held alone("127.0.0.1", port);
  BOOST_TEST(held("127.0.0.1", port, shared).error == EADDRINUSE);
  BOOST_TEST(held("0.0.0.0", port, shared).error == EADDRINUSE);
  BOOST_TEST(held("127.0.0.2", port, shared).error == 0);
}

BOOST_AUTO_TEST_SUITE_END()
