// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <cstdint>

namespace {

const auto group = asio::ip::make_address("239.77.0.1");
const auto other_group = asio::ip::make_address("239.77.0.2");
namespace multicast = asio::ip::multicast;

/// A member that shares its port with others.
struct member {
  explicit member(asio::io_context& context, std::uint16_t port = 0) : socket(context, ud::v4()) {
    socket.set_option(ud::socket::reuse_address(true));
    socket.bind(ud::endpoint(ud::v4(), port));
  }
  std::uint16_t port() const { return socket.local_endpoint().port(); }
  void join() { socket.set_option(multicast::join_group(group)); }

  ud::socket socket;
};

struct groups_fixture {
  asio::io_context context;
  ud::socket sender{context, ud::endpoint(ud::v4(), 0)};

  void say(const std::string& text, std::uint16_t port) {
    sender.send_to(asio::buffer(text), ud::endpoint(group, port));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(groups, groups_fixture)

BOOST_AUTO_TEST_CASE(all_members_get_what_is_sent_and_answer_its_sender) {
  member first(context);
  const std::uint16_t port = first.port();
  member second(context, port), third(context, port), stranger(context, port);
  first.join();
  second.join();
  third.join();
  say("to all", port);
  for (member* m : {&first, &second, &third}) {
    ud::endpoint from;
    BOOST_TEST(receive_string(m->socket, &from) == "to all");
    BOOST_TEST(from.port() == sender.local_endpoint().port());
    m->socket.send_to(asio::buffer("yes", 3), from);
    BOOST_TEST(receive_string(sender) == "yes");
  }
  BOOST_TEST(is_silent(stranger.socket));
  BOOST_TEST(asio_rdma::statistics(first.socket).datagrams.groups == 1u);
}

BOOST_AUTO_TEST_CASE(leaving_stops_delivery) {
  member stays(context);
  member leaves(context, stays.port());
  stays.join();
  leaves.join();
  say("one", stays.port());
  BOOST_TEST(receive_string(stays.socket) == "one");
  BOOST_TEST(receive_string(leaves.socket) == "one");
  leaves.socket.set_option(multicast::leave_group(group));
  say("two", stays.port());
  BOOST_TEST(receive_string(stays.socket) == "two");
  BOOST_TEST(is_silent(leaves.socket));
  leaves.join();
  say("three", stays.port());
  BOOST_TEST(receive_string(stays.socket) == "three");
  BOOST_TEST(receive_string(leaves.socket) == "three");
}

BOOST_AUTO_TEST_CASE(a_member_that_closes_is_none_any_more) {
  member stays(context);
  stays.join();
  {
    member goes(context, stays.port());
    goes.join();
  }
  say("one", stays.port());
  BOOST_TEST(receive_string(stays.socket) == "one");
}

BOOST_AUTO_TEST_CASE(only_the_port_and_the_group_that_were_meant) {
  member here(context), there(context);
  here.join();
  there.join();
  there.socket.set_option(multicast::join_group(other_group));
  say("here", here.port());
  BOOST_TEST(receive_string(here.socket) == "here");
  BOOST_TEST(is_silent(there.socket));
  sender.send_to(asio::buffer("other", 5), ud::endpoint(other_group, there.port()));
  BOOST_TEST(receive_string(there.socket) == "other");
  BOOST_TEST(is_silent(here.socket));
}

BOOST_AUTO_TEST_CASE(a_socket_bound_to_a_group_hears_that_alone) {
  ud::socket bound(context, ud::endpoint(group, 0));
  const std::uint16_t port = bound.local_endpoint().port();
  BOOST_TEST(bound.local_endpoint().address() == group);
  bound.set_option(multicast::join_group(group));
  bound.set_option(multicast::join_group(other_group));
  sender.send_to(asio::buffer("other", 5), ud::endpoint(other_group, port));
  sender.send_to(asio::buffer("alone", 5), reach(bound));
  say("group", port);
  BOOST_TEST(receive_string(bound) == "group");
  BOOST_TEST(is_silent(bound));
}

BOOST_AUTO_TEST_CASE(without_loopback_this_host_gets_nothing) {
  member m(context);
  m.join();
  multicast::enable_loopback loopback;
  sender.get_option(loopback);
  BOOST_TEST(loopback.value());
  sender.set_option(multicast::enable_loopback(false));
  say("to others", m.port());
  // Said before the group was found, and so all the same.
  sender.set_option(multicast::enable_loopback(true));
  for (int i = 0; i < 2000 && asio_rdma::statistics(m.socket).datagrams.dropped_filtered == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  BOOST_TEST(is_silent(m.socket));
  BOOST_TEST(asio_rdma::statistics(m.socket).datagrams.dropped_filtered == 1u);
  say("to all", m.port());
  BOOST_TEST(receive_string(m.socket) == "to all");
}

BOOST_AUTO_TEST_CASE(a_member_hears_itself) {
  member m(context);
  m.join();
  m.socket.send_to(asio::buffer("me", 2), ud::endpoint(group, m.port()));
  BOOST_TEST(receive_string(m.socket) == "me");
}

BOOST_AUTO_TEST_CASE(options) {
  multicast::hops hops;
  sender.get_option(hops);
  BOOST_TEST(hops.value() == 1);
  sender.set_option(multicast::hops(5));
  sender.get_option(hops);
  BOOST_TEST(hops.value() == 5);
  BOOST_CHECK_THROW(multicast::hops(256), std::out_of_range);
  member m(context);
  m.join();
  sender.set_option(multicast::outbound_interface(asio::ip::address_v4::any()));
  say("any", m.port());
  BOOST_TEST(receive_string(m.socket) == "any");
}

BOOST_AUTO_TEST_CASE(the_interface_can_be_named) {
  asio::ip::address_v4 own;
  for (const auto& d : asio_rdma::devices()) {
    const bool is_hardware = d.kind == asio_rdma::device_kind::hardware;
    if (is_hardware == (asio_rdma::device_policy() == "soft0")) continue;
    for (const auto& a : d.addresses) {
      if (a.is_v4() && !a.is_loopback() && own.is_unspecified()) own = a.to_v4();
    }
  }
  if (own.is_unspecified()) own = asio::ip::address_v4::loopback();
  member m(context);
  m.socket.set_option(multicast::join_group(group.to_v4(), own));
  sender.set_option(multicast::outbound_interface(own));
  say("named", m.port());
  ud::endpoint from;
  BOOST_TEST(receive_string(m.socket, &from) == "named");
  BOOST_TEST(from.address() == own);
  m.socket.set_option(multicast::leave_group(group.to_v4(), own));
  say("gone", m.port());
  BOOST_TEST(is_silent(m.socket));
}

BOOST_AUTO_TEST_CASE(misuse) {
  member m(context);
  error_code ec;
  m.socket.set_option(multicast::join_group(asio::ip::make_address("10.1.2.3")), ec);
  BOOST_TEST(ec == asio::error::invalid_argument);
  m.socket.set_option(multicast::leave_group(group), ec);
  BOOST_TEST((ec == boost::system::errc::address_not_available));
  m.join();
  m.socket.set_option(multicast::join_group(group), ec);
  BOOST_TEST(ec == asio::error::address_in_use);
  m.socket.set_option(multicast::join_group(other_group.to_v4(), asio::ip::make_address_v4("192.0.2.1")), ec);
  BOOST_TEST(static_cast<bool>(ec));
  BOOST_TEST(asio_rdma::statistics(m.socket).datagrams.groups == 1u);
}

BOOST_AUTO_TEST_CASE(ipv6) {
  const auto six = asio::ip::make_address("ff15::77:1");
  ud::socket receiver(context, ud::endpoint(ud::v6(), 0)), from_six(context, ud::endpoint(ud::v6(), 0));
  error_code ec;
  receiver.set_option(multicast::join_group(six), ec);
  if (asio_rdma::device_policy() != "soft0" && ec) {
    // Linux' connection manager joins none over RoCE v2.
    BOOST_TEST((ec == boost::system::errc::no_such_device));
    return;
  }
  BOOST_REQUIRE(!ec);
  from_six.send_to(asio::buffer("six", 3), ud::endpoint(six, receiver.local_endpoint().port()));
  BOOST_TEST(receive_string(receiver) == "six");
}

BOOST_AUTO_TEST_SUITE_END()
