// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "transfer/growing_ring.hpp"

#include "transfer/receive_window.hpp"
#include "transfer/send_window.hpp"
#include "transfer/staging.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <limits>

namespace transfer = asio_rdma::transfer;

namespace {

constexpr std::uint64_t starts[] = {0, (std::uint64_t{1} << 32) - 64, std::numeric_limits<std::uint64_t>::max() - 63};

}  // namespace

BOOST_AUTO_TEST_SUITE(growing_rings)

BOOST_AUTO_TEST_CASE(what_was_there_stays_in_the_former_ring) {
  for (const std::uint64_t start : starts) {
    transfer::growing_ring r(64);
    r.grow(start + 70, 128);
    BOOST_TEST(r.size() == 128u);
    const transfer::extent before = r.at(start + 60, 100);
    BOOST_TEST(before.in_former);
    BOOST_TEST(before.offset == (start + 60) % 64);
    BOOST_TEST(before.length == 4u);  // to its end
    BOOST_TEST(r.at(start + 64, 100).in_former);
    BOOST_TEST(r.at(start + 64, 100).length == 6u);  // up to where the new one begins
    BOOST_TEST(!r.at(start + 70, 58).in_former);
    BOOST_TEST(r.at(start + 70, 58).offset == (start + 70) % 128);
    BOOST_TEST(!r.former_is_before(start + 69));
    BOOST_TEST(r.former_is_before(start + 70));
    r.forget_former();
    BOOST_TEST(!r.at(start + 60, 100).in_former);
    BOOST_TEST(!r.former_is_before(start + 70));
  }
}

BOOST_AUTO_TEST_CASE(staging_memory_grows_while_some_is_under_way) {
  for (const std::uint64_t start : starts) {
    transfer::staging s(16, start);
    s.stage(s.free_extent().length);
    BOOST_TEST(s.free() == 0u);
    s.post(10);
    s.grow(32);
    BOOST_TEST(s.free() == 16u);
    BOOST_TEST(!s.free_extent().in_former);
    BOOST_TEST(s.free_extent().offset == (start + 16) % 32);
    s.stage(4);
    BOOST_TEST(s.unposted_extent().in_former);
    BOOST_TEST(s.unposted_extent().length == 6u);
    s.post(6);
    BOOST_TEST(!s.unposted_extent().in_former);
    BOOST_TEST(s.unposted_extent().length == 4u);
    s.complete(start + 15);
    BOOST_TEST(!s.former_is_done());
    s.complete(start + 16);
    BOOST_TEST(s.former_is_done());
    s.forget_former();
    BOOST_TEST(!s.has_former());
    BOOST_TEST(s.free() == 28u);
  }
}

BOOST_AUTO_TEST_CASE(a_ring_is_offered_to_whoever_waits_for_room) {
  for (const std::uint64_t start : starts) {
    transfer::receive_window w(64, 16, transfer::default_control_report, {start, start, start});
    BOOST_TEST_REQUIRE(w.data_arrived(64));
    BOOST_TEST(!w.growth_due());
    w.peer_was_short_of_room();
    BOOST_TEST(w.growth_due());
    w.consume(64);
    w.ring_offered(128);
    BOOST_TEST(!w.growth_due());
    BOOST_TEST(!w.data_arrived(1));  // not yet in force
    (void)w.take_credit();
    BOOST_TEST_REQUIRE(w.data_arrived(60));
    BOOST_TEST(!w.data_arrived(5));  // wraps in the one that is in force
    BOOST_TEST_REQUIRE(w.ring_taken());
    BOOST_TEST(w.ring_size() == 128u);
    BOOST_TEST(!w.ring_taken());  // none was offered
    BOOST_TEST(!w.former_is_done());
    BOOST_TEST(w.readable_extent().in_former);
    BOOST_TEST(!w.data_arrived(69));
    BOOST_TEST_REQUIRE(w.data_arrived(4));
    BOOST_TEST(!w.readable_extent(60).in_former);
    BOOST_TEST(w.readable_extent(60).offset == (start + 124) % 128);
    w.peer_was_short_of_room();
    w.consume(60);
    BOOST_TEST(w.former_is_done());
    BOOST_TEST(!w.growth_due());  // one at a time
    w.forget_former();
    BOOST_TEST(w.growth_due());
  }
}

BOOST_AUTO_TEST_CASE(credits_for_a_ring_that_was_offered_are_those_of_the_larger_one) {
  transfer::receive_window w(64, 64);
  BOOST_TEST_REQUIRE(w.data_arrived(64));
  w.consume(64);
  (void)w.take_credit();
  w.ring_offered(256);
  BOOST_TEST_REQUIRE(w.data_arrived(40));
  w.consume(40);
  BOOST_TEST(!w.credit_due());
  BOOST_TEST_REQUIRE(w.data_arrived(24));
  w.consume(24);
  BOOST_TEST(w.credit_due());
}

BOOST_AUTO_TEST_CASE(no_more_than_four_times_the_size_may_be_offered) {
  transfer::send_window w(64, 16);
  for (const std::uint32_t size :
       {0u, 1u, 32u, 64u, 96u, 129u, 512u, 1u << 31, std::numeric_limits<std::uint32_t>::max()}) {
    BOOST_TEST(!w.may_grow_to(size));
  }
  BOOST_TEST(w.may_grow_to(128));
  BOOST_TEST(w.may_grow_to(256));
  w.sent_data(64);
  BOOST_TEST(w.ring_is_full());
  w.grow(128);
  BOOST_TEST(!w.ring_is_full());
  BOOST_TEST(w.remote_offset() == 64u);
  BOOST_TEST(w.data_room(100, 100) == 64u);
}

BOOST_AUTO_TEST_SUITE_END()
