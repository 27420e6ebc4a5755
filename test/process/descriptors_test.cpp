// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A server that has no descriptors left refuses, keeps what it has, and takes connections again when it has some.

#include "child.hpp"

#include "support/no_descriptors.hpp"

#include <boost/test/unit_test.hpp>

#include <array>

using namespace process_test;

namespace {

/// Has a connection, asks for another one in vain, and gets it when the parent says so.
const register_scenario asks_twice("asks_twice", [](const std::vector<std::string>& a) {
  asio::io_context context;
  rc::socket first(context), second(context);
  connect_to_parent(first, a[0]);
  const rc::endpoint to = first.remote_endpoint();
  tell_parent();
  wait_for_parent();
  error_code ec;
  second.connect(to, ec);
  if (ec != asio::error::connection_refused) return 1;
  asio::write(first, asio::buffer("refused", 7));
  wait_for_parent();
  second.connect(to);
  asio::write(second, asio::buffer("taken", 5));
  return 0;
});

template <std::size_t N>
std::string read_text(rc::socket& s) {
  std::array<char, N> text{};
  asio::read(s, asio::buffer(text));
  return {text.data(), N};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_descriptors, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(a_server_without_any_refuses_and_goes_on) {
  parent p("asks_twice");
  p.other.wait_until_ready();
  {
    const test_support::no_descriptors limit;
    p.other.go_on();
    BOOST_TEST(read_text<7>(p.socket) == "refused");
  }
  p.other.go_on();
  rc::socket second = p.acceptor.accept();
  BOOST_TEST(read_text<5>(second) == "taken");
  BOOST_TEST(p.other.wait() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
