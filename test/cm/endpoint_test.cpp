// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The addresses that both ends of a connection report, beside those of the kernel's TCP.

#include "core_socket.hpp"
#include "raw_peer.hpp"

#include "io/unique_fd.hpp"
#include "verbs/local_addresses.hpp"

#include <arpa/inet.h>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace cm_test;

namespace {

sockaddr_storage address(const std::string& text, std::uint16_t port) {
  sockaddr_storage a{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(a);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(a);
  if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    a.ss_family = AF_INET;
    v4.sin_port = htons(port);
  } else {
    BOOST_REQUIRE_EQUAL(::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr), 1);
    a.ss_family = AF_INET6;
    v6.sin6_port = htons(port);
  }
  return a;
}

std::string describe(const std::vector<sockaddr_storage>& ends) {
  std::string result;
  for (const sockaddr_storage& a : ends) result += (result.empty() ? "" : ", ") + verbs::to_string(a);
  return result;
}

socklen_t size_of(const sockaddr_storage& a) {
  return a.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

/// What the client and then the server report as their own and as the peer's address; "refused" if nobody listens
/// there.
std::string over_tcp(const std::string& bound, const std::string& destination) {
  using asio_rdma::io::unique_fd;
  sockaddr_storage listening_on = address(bound, 0);
  const unique_fd listener(::socket(listening_on.ss_family, SOCK_STREAM, 0));
  BOOST_REQUIRE_EQUAL(::bind(listener.get(), plain(listening_on), size_of(listening_on)), 0);
  BOOST_REQUIRE_EQUAL(::listen(listener.get(), 1), 0);
  socklen_t size = sizeof listening_on;
  BOOST_REQUIRE_EQUAL(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&listening_on), &size), 0);
  const sockaddr_storage to = address(destination, port_of(listening_on));
  const unique_fd client(::socket(to.ss_family, SOCK_STREAM, 0));
  if (::connect(client.get(), plain(to), size_of(to)) != 0) return errno == ECONNREFUSED ? "refused" : "failed";
  const unique_fd server(::accept(listener.get(), nullptr, nullptr));
  std::vector<sockaddr_storage> ends(4);
  for (const auto& [fd, first] : {std::pair(client.get(), 0u), std::pair(server.get(), 2u)}) {
    size = sizeof ends[first];
    BOOST_REQUIRE_EQUAL(::getsockname(fd, reinterpret_cast<sockaddr*>(&ends[first]), &size), 0);
    size = sizeof ends[first];
    BOOST_REQUIRE_EQUAL(::getpeername(fd, reinterpret_cast<sockaddr*>(&ends[first + 1]), &size), 0);
  }
  return describe(ends);
}

std::string over_rdma(const std::string& bound, const std::string& destination) {
  sockaddr_storage listening_on = address(bound, 0);
  core::socket listener, client, server;
  (void)core::socket::open_stream(listening_on.ss_family, listener);
  BOOST_REQUIRE_EQUAL(listener.bind(plain(listening_on), sizeof listening_on), core::error());
  BOOST_REQUIRE_EQUAL(listener.listen(1), core::error());
  BOOST_REQUIRE_EQUAL(listener.local_address(listening_on), core::error());
  const sockaddr_storage to = address(destination, port_of(listening_on));
  (void)core::socket::open_stream(to.ss_family, client);
  if (const core::error e = connect(client, to)) return e == core::error(ECONNREFUSED) ? "refused" : text_of(e);
  BOOST_REQUIRE_EQUAL(wait_for(listener, [&] { return listener.accept(server); }), core::error());
  std::vector<sockaddr_storage> ends(4);
  BOOST_TEST(client.local_address(ends[0]) == core::error());
  BOOST_TEST(client.remote_address(ends[1]) == core::error());
  BOOST_TEST(server.local_address(ends[2]) == core::error());
  BOOST_TEST(server.remote_address(ends[3]) == core::error());
  BOOST_TEST(port_of(ends[0]) == port_of(ends[3]));
  BOOST_TEST(port_of(ends[1]) == port_of(ends[2]));
  BOOST_TEST(port_of(ends[2]) == port_of(listening_on));
  return describe(ends);
}

void compare(const std::vector<std::string>& listeners, const std::vector<std::string>& destinations) {
  for (const std::string& bound : listeners)
    for (const std::string& destination : destinations)
      BOOST_TEST(over_rdma(bound, destination) == over_tcp(bound, destination),
                 "from " << destination << " to a listener on " << bound << ": " << over_rdma(bound, destination)
                         << ", not " << over_tcp(bound, destination));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(endpoints, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(of_loopback_are_those_of_tcp) {
  compare({"0.0.0.0", "127.0.0.1"}, {"127.0.0.1", "0.0.0.0", "::ffff:127.0.0.1", "::ffff:0.0.0.0"});
  compare({"0.0.0.0"}, {"127.0.0.2", "127.255.255.254", "::1"});
  compare({"::"}, {"127.0.0.1", "127.0.0.2", "::1", "::", "0.0.0.0", "::ffff:127.0.0.1", "::ffff:0.0.0.0"});
  compare({"::1"}, {"::1", "::", "127.0.0.1", "::ffff:127.0.0.1"});
}

BOOST_AUTO_TEST_CASE(of_other_addresses_are_those_of_tcp) {
  const std::string own = verbs::to_string(device_address(0));
  compare({"0.0.0.0", "::", own, "::ffff:" + own, "127.0.0.1", "::1"}, {own, "::ffff:" + own});
  compare({own, "::ffff:" + own}, {"127.0.0.1", "::ffff:127.0.0.1", "::1", "0.0.0.0"});
}

BOOST_AUTO_TEST_SUITE_END()
