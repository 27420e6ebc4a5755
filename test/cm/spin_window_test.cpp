// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/spin_window.hpp"

#include <boost/test/unit_test.hpp>

namespace {

using asio_rdma::io::spin_window;
using namespace std::chrono_literals;

}  // namespace

BOOST_AUTO_TEST_SUITE(spin_window_tests, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(is_closed_at_first_and_opens_with_the_first_short_wait) {
  spin_window w;
  BOOST_TEST((w.length() == 0us));
  w.waited(1us);
  BOOST_TEST((w.length() == spin_window::first));
}

BOOST_AUTO_TEST_CASE(grows_while_waits_are_a_little_longer_and_has_a_bound) {
  spin_window w;
  w.waited(5us);
  w.waited(15us);
  BOOST_TEST((w.length() == 20us));
  w.waited(50us);
  BOOST_TEST((w.length() == 40us));
  w.waited(50us);
  BOOST_TEST((w.length() == spin_window::longest));
  w.waited(50us);
  BOOST_TEST((w.length() == spin_window::longest));
}

BOOST_AUTO_TEST_CASE(stays_where_it_covers_the_wait) {
  spin_window w;
  w.waited(5us);
  for (int i = 0; i < 10; ++i) w.waited(spin_window::first);
  BOOST_TEST((w.length() == spin_window::first));
}

BOOST_AUTO_TEST_CASE(closes_after_a_wait_that_no_window_covers) {
  spin_window w;
  for (int i = 0; i < 10; ++i) w.waited(50us);
  w.waited(51us);
  BOOST_TEST((w.length() == 0us));
}

BOOST_AUTO_TEST_SUITE_END()
