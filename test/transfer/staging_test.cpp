// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "transfer/staging.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <limits>

namespace transfer = asio_rdma::transfer;
using transfer::staging;

BOOST_AUTO_TEST_SUITE(staging_of_bytes)

BOOST_AUTO_TEST_CASE(bytes_go_from_free_over_staged_and_posted_to_free) {
  staging s(64);
  BOOST_TEST(s.free() == 64u);
  BOOST_TEST(s.unposted() == 0u);
  s.stage(40);
  BOOST_TEST(s.free() == 24u);
  BOOST_TEST(s.unposted() == 40u);
  s.post(30);
  BOOST_TEST(s.unposted() == 10u);
  BOOST_TEST(s.free() == 24u);  // posted is not enough
  s.complete(30);
  BOOST_TEST(s.free() == 54u);
  BOOST_TEST(s.staged() == 40u);
  BOOST_TEST(s.posted() == 30u);
  BOOST_TEST(s.completed() == 30u);
}

BOOST_AUTO_TEST_CASE(runs_end_at_the_end_of_the_ring) {
  staging s(64);
  s.stage(50);
  s.post(50);
  s.complete(50);
  BOOST_TEST(s.free() == 64u);
  BOOST_TEST(s.free_extent().offset == 50u);
  BOOST_TEST(s.free_extent().length == 14u);
  s.stage(14);
  BOOST_TEST(s.free_extent().offset == 0u);
  BOOST_TEST(s.free_extent().length == 50u);
  s.stage(6);
  BOOST_TEST(s.unposted_extent().offset == 50u);
  BOOST_TEST(s.unposted_extent().length == 14u);
  s.post(14);
  BOOST_TEST(s.unposted_extent().offset == 0u);
  BOOST_TEST(s.unposted_extent().length == 6u);
}

BOOST_AUTO_TEST_CASE(a_full_ring_has_no_room) {
  staging s(8);
  s.stage(8);
  BOOST_TEST(s.free() == 0u);
  BOOST_TEST(s.free_extent().length == 0u);
  s.post(8);
  s.complete(8);
  BOOST_TEST(s.free() == 8u);
}

BOOST_AUTO_TEST_CASE(positions_may_wrap) {
  staging s(16, std::numeric_limits<std::uint64_t>::max() - 3);
  BOOST_TEST(s.free_extent().offset == 12u);
  BOOST_TEST(s.free_extent().length == 4u);
  s.stage(4);
  s.stage(10);
  BOOST_TEST(s.staged() == 10u);
  BOOST_TEST(s.free() == 2u);
  s.post(4);
  s.post(10);
  s.complete(0);
  BOOST_TEST(s.free() == 6u);
  s.complete(10);
  BOOST_TEST(s.free() == 16u);
}

BOOST_AUTO_TEST_SUITE_END()
