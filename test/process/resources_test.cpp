// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What connections cost: nothing once they are gone, no processor time while they are idle.

#include "child.hpp"

#include "support/usage.hpp"

#include <boost/test/unit_test.hpp>

using namespace process_test;
using test_support::usage;

namespace {

void one_cycle(rc::acceptor& acceptor, asio::io_context& context) {
  rc::socket client(context);
  client.connect(acceptor.local_endpoint());
  rc::socket server = acceptor.accept();
  const std::string text = "all of it";
  asio::write(client, asio::buffer(text));
  client.close();
  std::string got;
  error_code ec;
  asio::read(server, asio::dynamic_buffer(got), ec);
  BOOST_REQUIRE_EQUAL(ec, asio::error::eof);
  BOOST_REQUIRE_EQUAL(got, text);
}

const register_scenario idle("idle", [](const std::vector<std::string>& a) {
  asio::io_context context;
  rc::socket s(context);
  connect_to_parent(s, a[0]);
  char c = 0;
  s.async_read_some(asio::buffer(&c, 1), [](error_code, std::size_t) {});
  tell_parent();
  context.run();  // sleeps until the parent writes
  return c == 'x' ? 0 : 1;
});

}  // namespace

BOOST_AUTO_TEST_SUITE(process_resources, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(a_thousand_connections_leave_nothing_behind) {
  asio::io_context context;
  rc::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  one_cycle(acceptor, context);  // what is made once
  const usage before = usage::settled();
  for (int i = 0; i < 1000; ++i) one_cycle(acceptor, context);
  const usage after = usage::settled(before);
  BOOST_TEST(after == before);
  BOOST_TEST(after.heap <= before.heap + (1 << 20));  // of two ends each, 500 bytes
}

BOOST_AUTO_TEST_CASE(an_idle_connection_uses_no_processor) {
  parent p("idle");
  p.other.wait_until_ready();
  BOOST_TEST(falls_asleep(p.other.id()));
  asio::write(p.socket, asio::buffer("x", 1));
  BOOST_TEST(p.other.wait() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
