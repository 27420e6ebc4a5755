// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "transfer/send_window.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <limits>
#include <random>

namespace transfer = asio_rdma::transfer;
using transfer::send_window;

namespace {

constexpr std::uint32_t plenty = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t top = std::numeric_limits<std::uint64_t>::max();

}  // namespace

BOOST_AUTO_TEST_SUITE(sending)

BOOST_AUTO_TEST_CASE(data_is_bounded_by_what_is_wanted_and_by_the_chunk) {
  const send_window w(4096, 16);
  BOOST_TEST(w.data_room(100, plenty) == 100u);
  BOOST_TEST(w.data_room(100, 64) == 64u);
  BOOST_TEST(w.data_room(0, plenty) == 0u);
  BOOST_TEST(w.data_room(std::uint64_t{5} << 30, plenty) == 4096u);
}

BOOST_AUTO_TEST_CASE(data_never_wraps_in_the_ring) {
  send_window w(4096, 64);
  w.sent_data(4000);
  BOOST_TEST(w.remote_offset() == 4000u);
  BOOST_TEST(w.data_room(plenty, plenty) == 96u);
  BOOST_TEST_REQUIRE(w.apply({4000, 1}));
  BOOST_TEST(w.data_room(plenty, plenty) == 96u);
  w.sent_data(96);
  BOOST_TEST(w.remote_offset() == 0u);
  BOOST_TEST(w.data_room(plenty, plenty) == 4000u);
}

BOOST_AUTO_TEST_CASE(a_full_ring_takes_nothing_until_bytes_were_consumed) {
  send_window w(4096, 64);
  w.sent_data(4096);
  BOOST_TEST(w.data_room(1, plenty) == 0u);
  BOOST_TEST(w.unconsumed() == 4096u);
  BOOST_TEST_REQUIRE(w.apply({1, 1}));
  BOOST_TEST(w.data_room(10, plenty) == 1u);
}

BOOST_AUTO_TEST_CASE(data_leaves_the_reserve_to_control) {
  send_window w(4096, 16);
  for (int i = 0; i != 8; ++i) {
    BOOST_TEST_REQUIRE(w.data_room(1, plenty) == 1u);
    w.sent_data(1);
  }
  BOOST_TEST(w.data_room(1, plenty) == 0u);
  for (int i = 0; i != 8; ++i) {
    BOOST_TEST_REQUIRE(w.control_room());
    w.sent_control();
  }
  BOOST_TEST(!w.control_room());
  BOOST_TEST(w.outstanding() == 16u);
  // Data has room again only when nine of the sixteen were reaped.
  BOOST_TEST_REQUIRE(w.apply({0, 8}));
  BOOST_TEST(w.control_room());
  BOOST_TEST(w.data_room(1, plenty) == 0u);
  BOOST_TEST_REQUIRE(w.apply({0, 9}));
  BOOST_TEST(w.data_room(1, plenty) == 1u);
}

BOOST_AUTO_TEST_CASE(a_mirror_slot_waits_until_its_message_was_reaped) {
  for (const std::uint64_t start : {std::uint64_t{0}, top - 3, top - 16}) {
    send_window w(4096, 512, transfer::default_control_reserve, {0, start, start});
    const unsigned first = w.next_slot();
    BOOST_TEST(first == start % transfer::mirror_slots);
    w.sent_data(10);
    for (unsigned i = 0; i != transfer::mirror_slots; ++i) {
      BOOST_TEST_REQUIRE(w.control_room());
      BOOST_TEST(w.optional_room() == (i < transfer::optional_controls));  // keeps some for what is needed
      BOOST_TEST(w.next_slot() == (first + i) % transfer::mirror_slots);
      w.sent_control();
      w.sent_data(1);
    }
    BOOST_TEST(!w.control_room());
    BOOST_TEST(w.data_room(1, plenty) == 1u);  // data goes on
    BOOST_TEST_REQUIRE(w.apply({0, start + 1}));
    BOOST_TEST(!w.control_room());  // only the data before it
    BOOST_TEST_REQUIRE(w.apply({0, start + 2}));
    BOOST_TEST(w.control_room());
    BOOST_TEST(w.next_slot() == first);
    w.sent_control();
    BOOST_TEST(!w.control_room());
    BOOST_TEST_REQUIRE(w.apply({0, start + 3}));  // data
    BOOST_TEST(!w.control_room());
    BOOST_TEST_REQUIRE(w.apply({0, start + 4}));
    BOOST_TEST(w.control_room());
  }
}

BOOST_AUTO_TEST_CASE(credits_that_cannot_be_true_are_refused_and_change_nothing) {
  for (const std::uint64_t s : {std::uint64_t{0}, top - 49, (std::uint64_t{1} << 32) - 50}) {
    send_window w(4096, 64, transfer::default_control_reserve, {s, s, s});
    for (int i = 0; i != 10; ++i) w.sent_data(10);
    BOOST_TEST_REQUIRE(w.apply({s + 50, s + 5}));
    BOOST_TEST(!w.apply({s + 101, s + 5}));  // more bytes than were sent
    BOOST_TEST(!w.apply({s + 50, s + 11}));  // more messages than were sent
    BOOST_TEST(!w.apply({s + 49, s + 5}));   // back
    BOOST_TEST(!w.apply({s + 50, s + 4}));
    BOOST_TEST(!w.apply({s + 100, s + 4}));  // one of them back
    BOOST_TEST(!w.apply({s + 49, s + 10}));
    BOOST_TEST(!w.apply({s + 50 + (std::uint64_t{1} << 63), s + 5}));
    BOOST_TEST(!w.apply({s + 50, s + 5 + (std::uint64_t{1} << 32)}));
    BOOST_TEST(w.unconsumed() == 50u);
    BOOST_TEST(w.outstanding() == 5u);
    BOOST_TEST(w.apply({s + 50, s + 5}));  // the same again is no lie
    BOOST_TEST(w.apply({s + 100, s + 10}));
    BOOST_TEST(w.unconsumed() == 0u);
    BOOST_TEST(w.outstanding() == 0u);
  }
}

BOOST_AUTO_TEST_CASE(no_random_credit_opens_the_window_beyond_the_ring) {
  std::mt19937_64 random(7);
  const std::uint64_t start = top - 5000;
  send_window w(4096, 32, transfer::default_control_reserve, {start, start, start});
  std::uint64_t sent = 0;
  unsigned accepted = 0;
  for (int i = 0; i != 200000; ++i) {
    // Near the truth, or anything.
    const std::uint64_t mask = std::uint64_t{0xffff} >> (random() % transfer::mirror_slots);
    transfer::credit c{w.tail() - (random() & mask), start + sent - (random() & 31)};
    if (random() % 8 == 0) c.consumed = random();
    if (random() % 8 == 0) c.reaped = random();
    accepted += w.apply(c);
    BOOST_TEST_REQUIRE(w.unconsumed() <= 4096u);
    BOOST_TEST_REQUIRE(w.outstanding() <= 32u);
    const std::uint32_t room = w.data_room(random() % 6000, 2048);
    BOOST_TEST_REQUIRE(w.unconsumed() + room <= 4096u);
    BOOST_TEST_REQUIRE(w.remote_offset() + room <= 4096u);
    if (room != 0) {
      w.sent_data(room);
      ++sent;
    } else if (w.control_room()) {
      w.sent_control();
      ++sent;
    }
  }
  BOOST_TEST(accepted > 1000u);
}

BOOST_AUTO_TEST_SUITE_END()
