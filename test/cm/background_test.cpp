// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/background.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <thread>

namespace {

using asio_rdma::io::background;
using namespace std::chrono_literals;

}  // namespace

BOOST_AUTO_TEST_SUITE(the_internal_thread, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(is_woken_for_a_timer_that_is_due_before_those_it_sleeps_for) {
  background& thread = background::instance();
  BOOST_REQUIRE_EQUAL(thread.start(), 0);
  const auto late = thread.after(60s, [] {});
  std::this_thread::sleep_for(50ms);  // it sleeps for that one by now
  const auto done = std::make_shared<std::promise<void>>();
  thread.after(10ms, [done] { done->set_value(); });
  BOOST_TEST((done->get_future().wait_for(10s) == std::future_status::ready));
  thread.cancel(late);
}

BOOST_AUTO_TEST_CASE(does_not_do_what_was_cancelled) {
  background& thread = background::instance();
  BOOST_REQUIRE_EQUAL(thread.start(), 0);
  const auto done = std::make_shared<std::promise<void>>();
  const auto cancelled = thread.after(20ms, [] { BOOST_TEST(false); });
  thread.after(40ms, [done] { done->set_value(); });
  thread.cancel(cancelled);
  BOOST_TEST((done->get_future().wait_for(10s) == std::future_status::ready));
}

BOOST_AUTO_TEST_SUITE_END()
