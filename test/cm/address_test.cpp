// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Which addresses reach what, and what is said about those that do not.

#include "core_socket.hpp"
#include "raw_peer.hpp"

#include "verbs/local_addresses.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

using namespace cm_test;
using core::library_error;

namespace {

sockaddr_storage v4(const char* text, std::uint16_t port) {
  sockaddr_storage a{};
  a.ss_family = AF_INET;
  reinterpret_cast<sockaddr_in&>(a).sin_port = htons(port);
  BOOST_REQUIRE_EQUAL(::inet_pton(AF_INET, text, &reinterpret_cast<sockaddr_in&>(a).sin_addr), 1);
  return a;
}

sockaddr_storage v6(const char* text, std::uint16_t port) {
  sockaddr_storage a{};
  a.ss_family = AF_INET6;
  reinterpret_cast<sockaddr_in6&>(a).sin6_port = htons(port);
  BOOST_REQUIRE_EQUAL(::inet_pton(AF_INET6, text, &reinterpret_cast<sockaddr_in6&>(a).sin6_addr), 1);
  return a;
}

/// An address of this host on an interface without an RDMA device: the management network's, as it were.
std::string foreign_address() {
  ifaddrs* list = nullptr;
  BOOST_REQUIRE_EQUAL(::getifaddrs(&list), 0);
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, &::freeifaddrs);
  const auto with_device = verbs::rdma_addresses();
  for (const ifaddrs* entry = list; entry; entry = entry->ifa_next) {
    if (!entry->ifa_addr || entry->ifa_addr->sa_family != AF_INET) continue;
    if (verbs::is_loopback_address(*entry->ifa_addr)) continue;
    const bool has_device = std::any_of(with_device.begin(), with_device.end(), [&](const verbs::rdma_address& a) {
      return verbs::same_host(*plain(a.address), *entry->ifa_addr);
    });
    if (!has_device) return verbs::to_string(verbs::to_storage(*entry->ifa_addr));
  }
  BOOST_FAIL("every interface has an RDMA device");
  return {};
}

/// The message names the address, and one that would work.
void check_names_the_way_out(const std::string& text, const std::string& foreign) {
  BOOST_TEST_CONTEXT(text) {
    BOOST_TEST(text.find(foreign) != std::string::npos);
    BOOST_TEST(text.find(verbs::to_string(device_address(0))) != std::string::npos);
  }
}

core::error bind_to(core::socket& s, const sockaddr_storage& a) {
  return s.bind(plain(a), sizeof a);
}

struct listening_on {
  explicit listening_on(const sockaddr_storage& a) {
    BOOST_REQUIRE_EQUAL(core::socket::open_stream(a.ss_family, socket), core::error());
    BOOST_REQUIRE_EQUAL(bind_to(socket, a), core::error());
    BOOST_REQUIRE_EQUAL(socket.listen(16), core::error());
    sockaddr_storage bound{};
    (void)socket.local_address(bound);
    port = port_of(bound);
  }
  core::socket socket;
  std::uint16_t port = 0;
};

core::error connect_to(const sockaddr_storage& to) {
  core::socket s;
  (void)core::socket::open_stream(to.ss_family, s);
  return connect(s, to);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(addresses_of_hardware, *boost::unit_test::label("kernel"))

BOOST_AUTO_TEST_CASE(connecting_to_an_address_without_a_device_names_those_with_one) {
  const std::string foreign = foreign_address();
  core::socket s = open_socket();
  const core::error e = connect(s, v4(foreign.c_str(), 7471));
  BOOST_TEST((asio_rdma::to_error_code(e) == asio_rdma::errc::foreign_address));
  check_names_the_way_out(text_of(e), foreign);
  core::failure f;
  s.last_failure(f);
  check_names_the_way_out(f.text, foreign);
}

BOOST_AUTO_TEST_CASE(binding_to_an_address_without_a_device_names_those_with_one) {
  const std::string foreign = foreign_address();
  core::socket s = open_socket();
  const core::error e = bind_to(s, v4(foreign.c_str(), 0));
  BOOST_TEST((asio_rdma::to_error_code(e) == asio_rdma::errc::foreign_address));
  check_names_the_way_out(text_of(e), foreign);
}

BOOST_AUTO_TEST_CASE(an_address_without_a_route) {
  BOOST_TEST(connect_to(v4("203.0.113.1", 7471)) == core::error(ENETUNREACH));
}

BOOST_AUTO_TEST_CASE(a_host_that_does_not_answer) {
  sockaddr_storage silent = device_address(7471);
  auto& address = reinterpret_cast<sockaddr_in&>(silent).sin_addr.s_addr;
  address = htonl((ntohl(address) & 0xffffff00u) | 0xfeu);  // the same network, where nobody has it
  core::socket s = open_socket();
  BOOST_REQUIRE_EQUAL(s.set_option(core::option::connect_timeout, 500), core::error());
  const core::error e = connect(s, silent);
  BOOST_TEST((e == core::error(ETIMEDOUT) || e == core::error(EHOSTUNREACH)));
  // The socket is as good as new.
  listening_on l(device_address(0));
  BOOST_TEST(s.set_option(core::option::connect_timeout, 5000) == core::error());
  BOOST_TEST(connect(s, device_address(l.port)) == core::error());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(addresses, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(an_address_that_is_not_this_hosts_cannot_be_bound) {
  core::socket s = open_socket();
  BOOST_TEST(bind_to(s, v4("203.0.113.1", 0)) == core::error(EADDRNOTAVAIL));
}

BOOST_AUTO_TEST_CASE(a_port_where_nobody_listens) {
  BOOST_TEST(connect_to(device_address(9)) == core::error(ECONNREFUSED));
  BOOST_TEST(connect_to(v4("127.0.0.1", 9)) == core::error(ECONNREFUSED));
}

BOOST_AUTO_TEST_CASE(a_port_that_is_taken) {
  listening_on l(device_address(0));
  core::socket s = open_socket();
  core::error e = bind_to(s, device_address(l.port));
  if (!e) e = s.listen(1);
  BOOST_TEST(e == core::error(EADDRINUSE));
}

BOOST_AUTO_TEST_CASE(a_port_is_free_once_its_listener_is_closed) {
  std::uint16_t port = 0;
  {
    listening_on l(device_address(0));
    port = l.port;
    l.socket.close();
  }
  listening_on again(device_address(port));
  BOOST_TEST(again.port == port);
}

BOOST_AUTO_TEST_CASE(both_ends_report_the_loopback_address_that_was_asked_for) {
  listening_on l(v4("0.0.0.0", 0));
  core::socket client = open_socket();
  BOOST_REQUIRE_EQUAL(connect(client, v4("127.0.0.2", l.port)), core::error());
  core::socket server;
  BOOST_REQUIRE_EQUAL(wait_for(l.socket, [&] { return l.socket.accept(server); }), core::error());
  sockaddr_storage client_local{}, client_remote{}, server_local{}, server_remote{};
  BOOST_TEST(client.local_address(client_local) == core::error());
  BOOST_TEST(client.remote_address(client_remote) == core::error());
  BOOST_TEST(server.local_address(server_local) == core::error());
  BOOST_TEST(server.remote_address(server_remote) == core::error());
  BOOST_TEST(verbs::to_string(client_local) == "127.0.0.1");
  BOOST_TEST(verbs::to_string(client_remote) == "127.0.0.2");
  BOOST_TEST(verbs::to_string(server_local) == "127.0.0.2");
  BOOST_TEST(verbs::to_string(server_remote) == "127.0.0.1");
  BOOST_TEST(port_of(client_local) == port_of(server_remote));
  BOOST_TEST(port_of(client_remote) == port_of(server_local));
}

BOOST_AUTO_TEST_CASE(loopback_over_ipv6) {
  listening_on l(v6("::1", 0));
  BOOST_TEST(connect_to(v6("::1", l.port)) == core::error());
  BOOST_TEST(connect_to(v4("127.0.0.1", l.port)) == core::error(ECONNREFUSED));
}

BOOST_AUTO_TEST_CASE(a_listener_on_any_ipv6_address_hears_ipv4_too) {
  listening_on l(v6("::", 0));
  BOOST_TEST(connect_to(v4("127.0.0.1", l.port)) == core::error());
  core::socket server;
  BOOST_REQUIRE_EQUAL(wait_for(l.socket, [&] { return l.socket.accept(server); }), core::error());
  sockaddr_storage remote{};
  BOOST_TEST(server.remote_address(remote) == core::error());
  BOOST_TEST(verbs::to_string(remote) == "::ffff:127.0.0.1");
  BOOST_TEST(connect_to(v6("::1", l.port)) == core::error());
  BOOST_TEST(connect_to(device_address(l.port)) == core::error());
}

BOOST_AUTO_TEST_CASE(a_listener_on_loopback_hears_nothing_else) {
  listening_on l(v4("127.0.0.1", 0));
  BOOST_TEST(connect_to(v4("127.0.0.1", l.port)) == core::error());
  BOOST_TEST(connect_to(device_address(l.port)) == core::error(ECONNREFUSED));
}

BOOST_AUTO_TEST_CASE(a_listener_on_a_devices_address_does_not_hear_loopback) {
  listening_on l(device_address(0));
  BOOST_TEST(connect_to(device_address(l.port)) == core::error());
  BOOST_TEST(connect_to(v4("127.0.0.1", l.port)) == core::error(ECONNREFUSED));
}

BOOST_AUTO_TEST_CASE(the_unspecified_address_means_loopback) {
  listening_on l(v4("127.0.0.1", 0));
  BOOST_TEST(connect_to(v4("0.0.0.0", l.port)) == core::error());
}

BOOST_AUTO_TEST_CASE(misuse_is_told_as_by_the_kernel) {
  listening_on l(device_address(0));
  BOOST_TEST(l.socket.connect(plain(device_address(1)), sizeof(sockaddr_in)) == core::error(EOPNOTSUPP));
  core::socket s = open_socket();
  BOOST_TEST(s.bind(nullptr, 0) == core::error(EINVAL));
  BOOST_TEST(bind_to(s, v6("::1", 0)) == core::error(EAFNOSUPPORT));
  BOOST_REQUIRE_EQUAL(connect(s, device_address(l.port)), core::error());
  BOOST_TEST(connect(s, device_address(l.port)) == core::error(EISCONN));
  BOOST_TEST(bind_to(s, device_address(0)) == core::error(EINVAL));
  BOOST_TEST(s.listen(1) == core::error(EINVAL));
  BOOST_TEST(s.set_option(core::option::receive_buffer_size, 65536) == core::error(EINVAL));
  s.close();
  std::string text;
  BOOST_TEST(read_some(s, text) == core::error(EBADF));
}

BOOST_AUTO_TEST_SUITE_END()
