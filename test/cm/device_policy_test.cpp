// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Which devices sockets use, and what is said about those that they may not use.

#include "core_socket.hpp"
#include "raw_peer.hpp"

#include "support/device_policy.hpp"
#include "verbs/local_addresses.hpp"

#include <asio_rdma/device.hpp>

#include <arpa/inet.h>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>

using namespace cm_test;
using asio_rdma::errc;
using test_support::device_policy;
using test_support::policy_variable;

namespace {

sockaddr_storage v4(const char* text, std::uint16_t port) {
  sockaddr_storage a{};
  a.ss_family = AF_INET;
  reinterpret_cast<sockaddr_in&>(a).sin_port = htons(port);
  BOOST_REQUIRE_EQUAL(::inet_pton(AF_INET, text, &reinterpret_cast<sockaddr_in&>(a).sin_addr), 1);
  return a;
}

/// An IPv4 address that a device of the kernel's carries.
sockaddr_storage address_of(const std::string& device, std::uint16_t port) {
  for (const verbs::rdma_address& a : verbs::rdma_addresses())
    if (a.device == device && a.address.ss_family == AF_INET) return v4(verbs::to_string(a.address).c_str(), port);
  BOOST_FAIL(device << " has no IPv4 address");
  return {};
}

core::error bind_to(core::socket& s, const sockaddr_storage& a) {
  return s.bind(plain(a), sizeof a);
}

bool is(core::error e, errc condition) {
  return asio_rdma::to_error_code(e) == condition;
}

void check_mentions(const std::string& text, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts) BOOST_TEST(text.find(part) != std::string::npos, text << ": no " << part);
}

std::string device_of(const core::socket& s) {
  char name[64];
  s.device_name(name, sizeof name);
  return name;
}

std::vector<std::string> names_of_hardware() {
  std::vector<std::string> names;
  for (const asio_rdma::device_info& d : asio_rdma::devices())
    if (d.kind == asio_rdma::device_kind::hardware) names.push_back(d.name);
  return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(device_policies, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(the_default_is_auto) {
  const policy_variable none(nullptr);
  BOOST_TEST(asio_rdma::device_policy() == "auto");
}

BOOST_AUTO_TEST_CASE(the_program_comes_before_the_environment) {
  const policy_variable variable("hardware");
  BOOST_TEST(asio_rdma::device_policy() == "hardware");
  BOOST_TEST(&verbs::policy_table() == &verbs::rdma_core());
  {
    const device_policy set("soft0");
    BOOST_TEST(asio_rdma::device_policy() == "soft0");
    BOOST_TEST(&verbs::policy_table() == &verbs::software_device());
  }
  BOOST_TEST(asio_rdma::device_policy() == "hardware");
  BOOST_TEST(&verbs::policy_table() == &verbs::rdma_core());
}

BOOST_AUTO_TEST_CASE(an_empty_variable_is_as_none) {
  const policy_variable variable("");
  BOOST_TEST(asio_rdma::device_policy() == "auto");
}

BOOST_AUTO_TEST_CASE(a_name_that_does_not_exist_changes_nothing_and_names_those_that_do) {
  const policy_variable none(nullptr);
  const device_policy set("soft0");
  boost::system::error_code ec;
  asio_rdma::set_device_policy("mlx7_9", ec);
  BOOST_TEST((ec == errc::unknown_device));
  BOOST_TEST((ec == boost::system::errc::no_such_device));
  check_mentions(ec.message(), {"'mlx7_9'", "soft0", "auto", "hardware"});
  for (const std::string& name : names_of_hardware()) check_mentions(ec.message(), {name});
#ifdef ASIO_RDMA_WITHOUT_VERBS
  check_mentions(ec.message(), {"built without rdma-core"});
#endif
  BOOST_CHECK_THROW(asio_rdma::set_device_policy("mlx7_9"), boost::system::system_error);
  asio_rdma::set_device_policy("", ec);
  BOOST_TEST((ec == boost::system::errc::invalid_argument));
  BOOST_TEST(asio_rdma::device_policy() == "soft0");
}

BOOST_AUTO_TEST_CASE(an_invalid_variable_is_reported_from_the_first_use) {
  const policy_variable variable("mlx7_9");
  BOOST_TEST(asio_rdma::device_policy() == "mlx7_9");
  core::socket s = open_socket();
  core::error e = bind_to(s, v4("127.0.0.1", 0));
  BOOST_TEST(is(e, errc::unknown_device));
  check_mentions(text_of(e), {"ASIO_RDMA_DEVICE", "'mlx7_9'", "soft0"});
  e = connect(s, v4("127.0.0.1", 7471));
  BOOST_TEST(is(e, errc::unknown_device));
  BOOST_TEST(is(s.listen(1), errc::unknown_device));
  boost::system::error_code ec;
  verbs::policy_table(ec);
  BOOST_TEST((ec == errc::unknown_device));
  core::failure f;
  s.last_failure(f);
  check_mentions(f.text, {"ASIO_RDMA_DEVICE"});
}

BOOST_AUTO_TEST_CASE(names_of_any_length_are_told) {
  const std::string name(300, 'x');
  const policy_variable variable(name.c_str());
  BOOST_TEST(asio_rdma::device_policy() == name);
  core::socket s = open_socket();
  BOOST_TEST(is(s.listen(1), errc::unknown_device));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(device_policies_of_sockets, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(a_connection_names_its_device) {
  listening l;
  BOOST_REQUIRE_EQUAL(l.error, core::error());
  core::socket client = open_socket();
  BOOST_TEST(device_of(client).empty());
  BOOST_REQUIRE_EQUAL(connect(client, device_address(l.port)), core::error());
  core::socket server = l.accept();
  const auto all = asio_rdma::devices();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const asio_rdma::device_info& d) { return d.name == device_of(client); });
  BOOST_REQUIRE(found != all.end());
  BOOST_TEST(found->active);
  BOOST_TEST(!found->addresses.empty());
  BOOST_TEST(device_of(server) == device_of(client));
  const bool is_software = &verbs::policy_table() == &verbs::software_device();
  BOOST_TEST((found->kind == asio_rdma::device_kind::software) == is_software);
}

BOOST_AUTO_TEST_CASE(a_socket_keeps_the_devices_of_its_first_use) {
  listening l;
  core::socket s = open_socket();
  BOOST_REQUIRE_EQUAL(bind_to(s, device_address(0)), core::error());
  const sockaddr_storage to = device_address(l.port);
  const policy_variable variable("mlx7_9");
  BOOST_TEST(connect(s, to) == core::error());
  BOOST_TEST(is(open_socket().listen(1), errc::unknown_device));
}

BOOST_AUTO_TEST_SUITE_END()

// These choose the software device themselves, whatever hardware there is.
BOOST_AUTO_TEST_SUITE(software_device_by_name, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(reaches_this_host_and_says_so_of_others) {
  const device_policy set("soft0");
  listening l;
  BOOST_REQUIRE_EQUAL(l.error, core::error());
  core::socket s = open_socket();
  core::error e = connect(s, v4("198.51.100.1", l.port));
  BOOST_TEST(is(e, errc::other_host));
  BOOST_TEST((asio_rdma::to_error_code(e) == boost::system::errc::host_unreachable));
  check_mentions(text_of(e), {"198.51.100.1", "soft0", "this host only", "ASIO_RDMA_DEVICE=hardware"});
  BOOST_REQUIRE_EQUAL(connect(s, v4("127.0.0.1", l.port)), core::error());
  BOOST_TEST(device_of(s) == "soft0");
}

BOOST_AUTO_TEST_CASE(is_listed_with_all_addresses_of_this_host) {
  const auto all = asio_rdma::devices();
  const auto found =
      std::find_if(all.begin(), all.end(), [](const asio_rdma::device_info& d) { return d.name == "soft0"; });
  BOOST_REQUIRE(found != all.end());
  BOOST_TEST((found->kind == asio_rdma::device_kind::software));
  BOOST_TEST(found->active);
  const auto has = [&](const char* address) {
    return std::count(found->addresses.begin(), found->addresses.end(), boost::asio::ip::make_address(address)) == 1;
  };
  BOOST_TEST(has("127.0.0.1"));
  BOOST_TEST(has(verbs::to_string(device_address(0)).c_str()));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(hardware_by_name, *boost::unit_test::label("kernel"))

BOOST_AUTO_TEST_CASE(auto_takes_hardware_where_it_is_listed) {
  const device_policy set("auto");
  BOOST_TEST(&verbs::policy_table() == &verbs::rdma_core());
}

BOOST_AUTO_TEST_CASE(devices_are_listed_with_their_addresses) {
  const auto all = asio_rdma::devices();
  for (const char* name : {"rxe0", "rxe1"}) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const asio_rdma::device_info& d) { return d.name == name; });
    BOOST_REQUIRE(found != all.end());
    BOOST_TEST((found->kind == asio_rdma::device_kind::hardware));
    BOOST_TEST(found->active);
    BOOST_TEST(found->addresses.at(0).to_string() == verbs::to_string(address_of(name, 0)));
  }
}

BOOST_AUTO_TEST_CASE(addresses_of_other_devices_are_refused) {
  const device_policy set("rxe0");
  for (const sockaddr_storage& address : {address_of("rxe1", 7471), v4("10.79.0.1", 7471)}) {
    const std::string text = verbs::to_string(address);
    core::socket s = open_socket();
    core::error e = bind_to(s, address);
    BOOST_TEST(is(e, errc::foreign_address));
    check_mentions(text_of(e), {text, "rxe0", verbs::to_string(address_of("rxe0", 0)), "ASIO_RDMA_DEVICE"});
    BOOST_TEST(text_of(e).find("device rxe1") == std::string::npos);
    e = connect(s, address);
    BOOST_TEST(is(e, errc::foreign_address));
    check_mentions(text_of(e), {text, verbs::to_string(address_of("rxe0", 0))});
  }
  core::socket s = open_socket();
  BOOST_TEST(bind_to(s, address_of("rxe0", 0)) == core::error());
}

BOOST_AUTO_TEST_CASE(a_peer_that_another_device_reaches_is_refused) {
  sockaddr_storage peer = address_of("rxe1", 7471);
  auto& address = reinterpret_cast<sockaddr_in&>(peer).sin_addr.s_addr;
  address = htonl((ntohl(address) & 0xffffff00u) | 0xfeu);  // the same network, where nobody has it
  const device_policy set("rxe0");
  core::socket s = open_socket();
  BOOST_REQUIRE_EQUAL(s.set_option(core::option::connect_timeout, 500), core::error());
  const core::error e = connect(s, peer);
  // rxe may wait for the link address of a host that is not there before it names its device.
  BOOST_TEST((is(e, errc::foreign_address) || e == core::error(EHOSTUNREACH)), text_of(e));
}

BOOST_AUTO_TEST_CASE(a_listener_on_any_address_hears_the_named_device_only) {
  device_policy set("rxe0");
  listening l;
  BOOST_REQUIRE_EQUAL(l.error, core::error());
  asio_rdma::set_device_policy("hardware");
  core::socket first = open_socket();
  BOOST_TEST(connect(first, address_of("rxe0", l.port)) == core::error());
  core::socket second = open_socket();
  BOOST_TEST(connect(second, address_of("rxe1", l.port)) == core::error(ECONNREFUSED));
}

BOOST_AUTO_TEST_CASE(loopback_is_carried_on_the_named_device) {
  for (const char* name : {"rxe0", "rxe1"}) {
    const device_policy set(name);
    listening l;
    BOOST_REQUIRE_EQUAL(l.error, core::error());
    core::socket s = open_socket();
    BOOST_REQUIRE_EQUAL(connect(s, v4("127.0.0.1", l.port)), core::error());
    BOOST_TEST(device_of(s) == name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
