// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "transfer/receive_window.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <limits>
#include <random>

namespace transfer = asio_rdma::transfer;
using transfer::receive_window;

namespace {

constexpr std::uint64_t top = std::numeric_limits<std::uint64_t>::max();

}  // namespace

BOOST_AUTO_TEST_SUITE(receiving)

BOOST_AUTO_TEST_CASE(bytes_are_readable_where_they_were_written) {
  receive_window w(64, 16);
  BOOST_TEST(w.readable() == 0u);
  BOOST_TEST_REQUIRE(w.data_arrived(60));
  w.consume(50);
  (void)w.take_credit();
  BOOST_TEST_REQUIRE(w.data_arrived(4));
  BOOST_TEST_REQUIRE(w.data_arrived(20));
  BOOST_TEST(w.readable() == 34u);
  BOOST_TEST(w.readable_extent().offset == 50u);
  BOOST_TEST(w.readable_extent().length == 14u);
  BOOST_TEST(w.readable_extent(14).offset == 0u);
  BOOST_TEST(w.readable_extent(14).length == 20u);
  BOOST_TEST(w.readable_extent(34).length == 0u);
  w.consume(20);
  BOOST_TEST(w.readable_extent().offset == 6u);
  BOOST_TEST(w.readable_extent().length == 14u);
}

BOOST_AUTO_TEST_CASE(what_exceeds_the_bytes_credited_is_refused) {
  for (const std::uint64_t s : {std::uint64_t{0}, top - 63, (std::uint64_t{1} << 32) - 64}) {
    receive_window w(64, 16, transfer::default_control_report, {s, s, s});
    BOOST_TEST(!w.data_arrived(65));
    BOOST_TEST(!w.data_arrived(transfer::max_message_length));
    BOOST_TEST(!w.data_arrived(std::numeric_limits<std::uint32_t>::max()));
    BOOST_TEST(!w.data_arrived(0));
    BOOST_TEST(w.readable() == 0u);
    BOOST_TEST_REQUIRE(w.data_arrived(64));
    BOOST_TEST(!w.data_arrived(1));
    w.consume(64);
    BOOST_TEST(!w.data_arrived(1));  // the peer cannot know yet
    (void)w.take_credit();
    BOOST_TEST(w.data_arrived(1));
    BOOST_TEST(w.readable() == 1u);
  }
}

BOOST_AUTO_TEST_CASE(a_message_that_wraps_is_refused) {
  receive_window w(64, 16);
  BOOST_TEST_REQUIRE(w.data_arrived(60));
  w.consume(60);
  (void)w.take_credit();
  BOOST_TEST(!w.data_arrived(5));
  BOOST_TEST(w.data_arrived(4));
  BOOST_TEST(w.data_arrived(60));
}

BOOST_AUTO_TEST_CASE(what_exceeds_the_receives_credited_is_refused) {
  receive_window w(64, 16);
  for (int i = 0; i != 10; ++i) BOOST_TEST_REQUIRE(w.data_arrived(1));
  for (unsigned i = 0; i != 6; ++i) {
    const auto slot = w.control_arrived();
    BOOST_TEST_REQUIRE(slot.has_value());
    BOOST_TEST(*slot == i);
  }
  BOOST_TEST(!w.control_arrived().has_value());
  BOOST_TEST(!w.data_arrived(1));
  BOOST_TEST(!w.fin_arrived());
  BOOST_TEST(!w.fin());
  const transfer::credit c = w.take_credit();
  BOOST_TEST(c.reaped == 16u);
  BOOST_TEST(c.consumed == 0u);
  BOOST_TEST(w.control_arrived().value() == 6u);
}

BOOST_AUTO_TEST_CASE(eof_comes_behind_the_last_byte) {
  receive_window w(64, 16);
  BOOST_TEST_REQUIRE(w.data_arrived(10));
  BOOST_TEST_REQUIRE(w.fin_arrived());
  BOOST_TEST(w.fin());
  BOOST_TEST(!w.eof());
  w.consume(9);
  BOOST_TEST(!w.eof());
  w.consume(1);
  BOOST_TEST(w.eof());
}

BOOST_AUTO_TEST_CASE(after_fin_only_control_messages_are_taken) {
  receive_window w(64, 16);
  BOOST_TEST_REQUIRE(w.fin_arrived());
  BOOST_TEST(!w.data_arrived(1));
  BOOST_TEST(!w.fin_arrived());
  BOOST_TEST(w.control_arrived().value() == 1u);  // fin took slot 0
}

BOOST_AUTO_TEST_CASE(a_credit_is_due_at_a_quarter_of_the_ring) {
  receive_window w(64, 512);
  BOOST_TEST_REQUIRE(w.data_arrived(64));
  w.consume(15);
  BOOST_TEST(!w.credit_due());
  w.consume(1);
  BOOST_TEST(w.credit_due());
  const transfer::credit c = w.take_credit();
  BOOST_TEST(c.consumed == 16u);
  BOOST_TEST(c.reaped == 1u);
  BOOST_TEST(!w.credit_due());
}

BOOST_AUTO_TEST_CASE(a_credit_is_due_at_a_quarter_of_the_receives) {
  receive_window w(4096, 64);
  for (int i = 0; i != 15; ++i) BOOST_TEST_REQUIRE(w.data_arrived(1));
  BOOST_TEST(!w.credit_due());
  BOOST_TEST_REQUIRE(w.data_arrived(1));
  BOOST_TEST(w.credit_due());
  (void)w.take_credit();
  BOOST_TEST(!w.credit_due());
}

BOOST_AUTO_TEST_CASE(a_credit_is_due_at_half_of_the_mirror_slots) {
  receive_window w(4096, 512);
  for (int i = 0; i != 7; ++i) BOOST_TEST_REQUIRE(w.control_arrived().has_value());
  BOOST_TEST(!w.credit_due());
  BOOST_TEST_REQUIRE(w.control_arrived().has_value());
  BOOST_TEST(w.credit_due());
  BOOST_TEST(w.take_credit().reaped == 8u);
  BOOST_TEST(!w.credit_due());
}

BOOST_AUTO_TEST_CASE(after_fin_consumed_bytes_are_no_news) {
  receive_window w(64, 512);
  BOOST_TEST_REQUIRE(w.data_arrived(64));
  BOOST_TEST_REQUIRE(w.fin_arrived());
  w.consume(64);
  BOOST_TEST(!w.credit_due());
  for (int i = 0; i != 7; ++i) BOOST_TEST_REQUIRE(w.control_arrived().has_value());
  BOOST_TEST(w.credit_due());  // the peer still needs its slots
}

BOOST_AUTO_TEST_CASE(no_sequence_of_messages_leaves_the_ring) {
  for (std::uint32_t seed = 0; seed != 50; ++seed) {
    std::mt19937 random(seed);
    const std::uint64_t s = seed % 2 == 0 ? top - 2000 : 0;
    receive_window w(1024, 32, transfer::default_control_report, {s, s, s});
    std::uint64_t unreported = 0;
    for (int i = 0; i != 5000; ++i) {
      const auto dice = random() % 8;
      if (dice < 4) {
        const std::uint32_t length =
            dice == 0 ? static_cast<std::uint32_t>(random()) : static_cast<std::uint32_t>(random() % 600);
        unreported += w.data_arrived(length);
      } else if (dice == 4) {
        unreported += w.control_arrived().has_value();
      } else if (dice == 5 && i > 4500) {
        unreported += w.fin_arrived();
      } else if (dice == 6 && w.readable() != 0) {
        w.consume(1 + random() % w.readable());
      } else if (w.credit_due()) {
        (void)w.take_credit();
        unreported = 0;
      }
      BOOST_TEST_REQUIRE(unreported <= 32u);
      BOOST_TEST_REQUIRE(w.readable() <= 1024u);
      const transfer::extent one = w.readable_extent();
      const transfer::extent two = w.readable_extent(one.length);
      BOOST_TEST_REQUIRE(one.length + two.length == w.readable());
      BOOST_TEST_REQUIRE(one.offset + one.length <= 1024u);
      BOOST_TEST_REQUIRE((two.length == 0 || two.offset == 0));
      BOOST_TEST_REQUIRE(two.length <= one.offset);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
