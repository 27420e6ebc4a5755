// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "transfer/send_queue.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <limits>

namespace transfer = asio_rdma::transfer;
using transfer::send_queue;

BOOST_AUTO_TEST_SUITE(send_queue_slots)

BOOST_AUTO_TEST_CASE(data_leaves_the_reserve_to_control) {
  send_queue q(16);
  for (std::uint64_t i = 0; i != 12; ++i) {
    BOOST_TEST_REQUIRE(q.data_room());
    BOOST_TEST(q.next_index() == i);
    BOOST_TEST(q.posted(i, true) == i);
  }
  BOOST_TEST(!q.data_room());
  for (int i = 0; i != 4; ++i) {
    BOOST_TEST_REQUIRE(q.control_room());
    q.posted(12, true);
  }
  BOOST_TEST(!q.control_room());
  BOOST_TEST(q.outstanding() == 16u);
}

BOOST_AUTO_TEST_CASE(one_completion_retires_what_asked_for_none) {
  send_queue q(16);
  q.posted(100, false);
  q.posted(200, false);
  const std::uint64_t third = q.posted(300, true);
  const std::uint64_t control = q.posted(300, false);
  q.posted(400, true);
  BOOST_TEST(q.completed(third).value() == 300u);
  BOOST_TEST(q.outstanding() == 2u);
  BOOST_TEST(q.completed(control).value() == 300u);  // as a flush completes those also that asked for none
  BOOST_TEST(q.outstanding() == 1u);
}

BOOST_AUTO_TEST_CASE(bytes_that_were_not_staged_are_counted_apart) {
  send_queue q(16);
  q.posted(100, false);
  const std::uint64_t second = q.posted(100, true, 5000);
  const std::uint64_t third = q.posted(300, true, 5000);
  BOOST_TEST(q.retired() == 0u);
  BOOST_TEST(q.completed(second).value() == 100u);
  BOOST_TEST(q.direct_completed() == 5000u);
  BOOST_TEST(q.retired() == second + 1);
  BOOST_TEST(q.completed(third).value() == 300u);
  BOOST_TEST(q.direct_completed() == 5000u);
  BOOST_TEST(q.retired() == third + 1);
}

BOOST_AUTO_TEST_CASE(completions_of_nothing_are_refused) {
  send_queue q(16);
  BOOST_TEST(!q.completed(0).has_value());
  const std::uint64_t first = q.posted(10, true);
  BOOST_TEST(!q.completed(first + 1).has_value());
  BOOST_TEST(!q.completed(first - 1).has_value());
  BOOST_TEST(!q.completed(first + (std::uint64_t{1} << 32)).has_value());
  BOOST_TEST(q.completed(first).has_value());
  BOOST_TEST(!q.completed(first).has_value());  // twice
  BOOST_TEST(q.outstanding() == 0u);
}

BOOST_AUTO_TEST_CASE(a_completion_is_asked_for_every_quarter) {
  send_queue q(32);
  unsigned asked = 0;
  for (std::uint64_t i = 0; i != 24; ++i) {
    const bool due = q.signal_due();
    BOOST_TEST(due == (i % 8 == 7));
    BOOST_TEST(q.tail_unsignalled() == (i % 8 != 0));
    asked += due;
    q.posted(i, due);
  }
  BOOST_TEST(asked == 3u);
  BOOST_TEST(!q.tail_unsignalled());
}

BOOST_AUTO_TEST_CASE(the_last_slot_for_data_asks_for_a_completion) {
  send_queue q(32);
  for (std::uint64_t i = 0; i != 27; ++i) q.posted(i, q.signal_due());
  BOOST_TEST(q.tail_unsignalled());
  BOOST_TEST(q.data_room());
  BOOST_TEST(q.signal_due());
  q.posted(27, true);
  BOOST_TEST(!q.data_room());
  BOOST_TEST(!q.tail_unsignalled());
}

BOOST_AUTO_TEST_CASE(a_full_queue_always_comes_free_again) {
  // Whatever the depth, when data has to stop, a completion is on its way that makes room for it.
  for (unsigned depth = 5; depth != 300; ++depth) {
    send_queue q(depth);
    std::uint64_t last_signalled = 0;
    while (q.data_room()) {
      const bool signalled = q.signal_due();
      const std::uint64_t index = q.posted(q.next_index() + 1, signalled);
      if (signalled) last_signalled = index;
    }
    BOOST_TEST_REQUIRE(q.completed(last_signalled).value() == q.next_index());
    BOOST_TEST_REQUIRE(q.outstanding() == 0u);
  }
}

BOOST_AUTO_TEST_CASE(a_burst_that_ended_asks_for_a_completion_afterwards) {
  send_queue q(32);
  for (int i = 0; i != 5; ++i) q.posted(10, false);
  BOOST_TEST(q.tail_unsignalled());
  q.signal_last();
  BOOST_TEST(!q.tail_unsignalled());
  // The quarter is counted from there.
  for (int i = 0; i != 7; ++i) q.posted(20, q.signal_due());
  BOOST_TEST(q.tail_unsignalled());
  BOOST_TEST(q.signal_due());
}

BOOST_AUTO_TEST_CASE(indices_may_wrap_at_any_depth) {
  for (const unsigned depth : {5u, 13u, 16u, 100u}) {
    send_queue q(depth, 1, std::numeric_limits<std::uint64_t>::max() - 50);
    for (std::uint64_t i = 0; i != 200; ++i) {
      const std::uint64_t a = q.posted(2 * i, false);
      const std::uint64_t b = q.posted(2 * i + 1, true);
      BOOST_TEST_REQUIRE(b - a == 1u);
      if (i % 2 == 0) BOOST_TEST_REQUIRE(q.completed(a).value() == 2 * i);
      BOOST_TEST_REQUIRE(q.completed(b).value() == 2 * i + 1);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
