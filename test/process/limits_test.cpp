// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Machines that lack something: the error says what, and how to get it.

#include "child.hpp"

#include "support/device_policy.hpp"

#include <boost/test/unit_test.hpp>

#include <list>

using namespace process_test;
using asio_rdma::errc;

BOOST_AUTO_TEST_SUITE(process_limits)

BOOST_AUTO_TEST_CASE(without_a_device_everything_says_so, *boost::unit_test::label("no_device")) {
  const test_support::device_policy hardware("hardware");
  asio::io_context context;
  error_code ec;
  rc::socket s(context);
  s.connect({asio::ip::make_address("10.77.0.1"), 7471}, ec);
  BOOST_TEST((ec == errc::no_device));
  BOOST_TEST(ec.message().find("rdma_rxe") != std::string::npos);
  BOOST_TEST((asio_rdma::last_failure(s).code == errc::no_device));

  s.connect({asio::ip::address_v4::loopback(), 7471}, ec);
  BOOST_TEST((ec == errc::no_device));

  rc::acceptor a(context);
  a.open(rc::v4());
  a.bind({rc::v4(), 0}, ec);
  BOOST_TEST((ec == errc::no_device));
  BOOST_CHECK_THROW(rc::acceptor(context, {rc::v4(), 0}), boost::system::system_error);

  bool called = false;
  s.async_connect({asio::ip::make_address("10.77.0.1"), 7471}, [&](error_code e) {
    called = true;
    BOOST_TEST((e == errc::no_device));
  });
  BOOST_TEST(!called);
  context.run();
  BOOST_TEST(called);
}

BOOST_AUTO_TEST_CASE(the_limit_of_locked_memory_is_named_and_harms_nobody_else, *boost::unit_test::label("memlock")) {
  asio::io_context context;
  rc::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  std::list<rc::socket> clients;
  std::list<rc::socket> servers;
  error_code ec;
  while (!ec && clients.size() < 1000) {
    clients.emplace_back(context).connect(acceptor.local_endpoint(), ec);
    if (!ec) servers.push_back(acceptor.accept());
  }
  clients.pop_back();
  // Whichever end met the limit first: ours says so, the listener refuses.
  BOOST_TEST((ec == errc::memlock_limit || ec == asio::error::connection_refused));
  if (ec == errc::memlock_limit) {
    BOOST_TEST(ec.message().find("RLIMIT_MEMLOCK") != std::string::npos);
    BOOST_TEST(ec.message().find("ulimit -l") != std::string::npos);
  }
  BOOST_TEST_MESSAGE(clients.size() << " pairs within the limit");
  BOOST_TEST(clients.size() >= 8u);

  // The others go on, and there is room again once one has gone.
  asio::write(clients.front(), asio::buffer("still", 5));
  std::string text(5, ' ');
  asio::read(servers.front(), asio::buffer(text));
  BOOST_TEST(text == "still");
  clients.pop_back();
  servers.pop_back();
  for (int i = 0; i < 100; ++i) {
    rc::socket again(context);
    again.connect(acceptor.local_endpoint(), ec);
    if (!ec) break;
    asio::steady_timer(context, std::chrono::milliseconds(50)).wait();
  }
  BOOST_TEST(!ec);
}

BOOST_AUTO_TEST_SUITE_END()
