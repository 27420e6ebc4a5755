// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <algorithm>
#include <cstring>
#include <string>

using namespace fault_test;
using asio_rdma::rc;
using test_support::injector;

namespace {

std::size_t index_of(const char* name) {
  const auto& list = injector::points();
  const auto is_meant = [&](const injector::point& p) { return std::strcmp(p.name, name) == 0; };
  const auto found = std::find_if(list.begin(), list.end(), is_meant);
  BOOST_REQUIRE(found != list.end());
  return static_cast<std::size_t>(found - list.begin());
}

}  // namespace

// CTest runs each suite as a program of its own; in one that has had sockets there is no first use.
BOOST_AUTO_TEST_SUITE(faults_of_the_first_use)

BOOST_AUTO_TEST_CASE(opening_the_connection_manager_is_tried_again) {
  const std::size_t opening = index_of("cm_create_event_channel");
  asio::io_context context;
  for (const int error : injector::points()[opening].errors) {
    injector::fail(opening, 1, error);
    rc::acceptor acceptor(context);
    const error_code ec = listen_on_any_port(acceptor);
    if (!injector::stop()) {
      BOOST_TEST(!ec, ec.message());
      BOOST_TEST_REQUIRE(injector::living()["domains"] + injector::living()["ids"] > 0);
      BOOST_TEST_MESSAGE("this process has opened it before");
      return;
    }
    BOOST_TEST(static_cast<bool>(ec));
    BOOST_TEST((ec == error_code(error, boost::system::system_category()) || ec == asio_rdma::errc::no_device),
               ec.message());
  }
  rc::acceptor acceptor(context);
  BOOST_TEST(!listen_on_any_port(acceptor));
}

BOOST_AUTO_TEST_SUITE_END()
