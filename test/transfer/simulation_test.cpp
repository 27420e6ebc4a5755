// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "simulation.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <ostream>

namespace transfer_test {

std::ostream& operator<<(std::ostream& os, outcome o) {
  constexpr const char* names[] = {"finished", "deadlock", "receiver_not_ready", "violation", "corrupt"};
  return os << names[static_cast<int>(o)];
}

namespace {

constexpr std::uint64_t near_2_64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t near_2_32 = std::uint64_t{1} << 32;
constexpr unsigned never = std::numeric_limits<unsigned>::max();

// How often each outcome came, over seeds 0 to seeds - 1.
std::map<outcome, unsigned> tally(const settings& s, std::uint32_t seeds) {
  std::map<outcome, unsigned> count;
  for (std::uint32_t seed = 0; seed != seeds; ++seed) ++count[simulation(s, seed).run()];
  return count;
}

void check_all_finish(const settings& s, std::uint32_t seeds) {
  for (const auto& [what, count] : tally(s, seeds)) {
    BOOST_TEST_CONTEXT("ring " << s.ring_size << ", queue " << s.queue_depth << ", " << count << " runs") {
      BOOST_TEST(what == outcome::finished);
    }
  }
}

BOOST_AUTO_TEST_SUITE(simulation_of_both_ends)

BOOST_AUTO_TEST_CASE(tiny_ring_and_queue_always_finish) {
  check_all_finish({}, 2000);
}

BOOST_AUTO_TEST_CASE(smallest_ring_always_finishes) {
  settings s;
  s.ring_size = 4;
  s.bytes = {500, 500};
  check_all_finish(s, 600);
}

BOOST_AUTO_TEST_CASE(ring_larger_than_all_data_leaves_only_receives_to_wait_for) {
  settings s;
  s.ring_size = 1u << 14;
  s.staging_size = 1u << 12;
  check_all_finish(s, 600);
}

BOOST_AUTO_TEST_CASE(staging_may_be_smaller_or_larger_than_the_ring) {
  settings s;
  s.staging_size = 8;
  check_all_finish(s, 400);
  s.staging_size = 1024;
  check_all_finish(s, 400);
}

BOOST_AUTO_TEST_CASE(one_direction_only) {
  settings s;
  s.bytes = {2000, 0};
  check_all_finish(s, 600);
  s.bytes = {0, 0};
  check_all_finish(s, 100);
}

BOOST_AUTO_TEST_CASE(small_chunks_and_other_depths) {
  settings s;
  for (const std::uint32_t depth : {16u, 17u, 31u, 64u, 512u}) {
    s.queue_depth = depth;
    for (const unsigned send_depth : {6u, 16u, 128u}) {
      s.send_queue_depth = send_depth;
      for (const std::uint32_t chunk : {1u, 7u, 64u}) {
        s.max_chunk = chunk;
        s.bytes = {1000, 1500};
        check_all_finish(s, 25);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(default_sizes) {
  settings s;
  s.ring_size = 1u << 20;
  s.queue_depth = 512;
  s.max_chunk = 1u << 18;
  s.staging_size = 1u << 20;
  s.send_queue_depth = 128;
  // Even seeds send large pieces, odd ones single bytes, so that both the ring and the receives run out.
  for (std::uint32_t seed = 0; seed != 12; ++seed) {
    s.bytes =
        seed % 2 == 0 ? std::array<std::uint64_t, 2>{5u << 20, 3u << 20} : std::array<std::uint64_t, 2>{9000, 7000};
    BOOST_TEST(simulation(s, seed).run() == outcome::finished);
  }
}

BOOST_AUTO_TEST_CASE(counters_may_wrap_in_the_middle) {
  settings s;
  for (const std::uint64_t edge : {near_2_64, near_2_32}) {
    s.start = {edge - 700, edge - 100, edge - 10};
    s.send_index_start = edge - 10;
    s.send_queue_depth = 13;
    check_all_finish(s, 500);
  }
}

BOOST_AUTO_TEST_CASE(memory_may_be_offered) {
  settings s;
  s.direct = true;
  for (const transfer::mode m : {transfer::mode::stream, transfer::mode::message}) {
    s.mode = m;
    for (const std::uint32_t depth : {16u, 64u}) {
      s.queue_depth = depth;
      for (const std::array<std::uint64_t, 2> bytes : {std::array<std::uint64_t, 2>{1500, 1500}, {2000, 0}}) {
        s.bytes = bytes;
        check_all_finish(s, 200);
      }
    }
    s.largest_ring = 1024;
    s.largest_staging = 512;
    s.start = {near_2_64 - 700, near_2_64 - 100, near_2_64 - 10};
    check_all_finish(s, 200);
    std::uint64_t direct = 0;
    for (std::uint32_t seed = 0; seed != 20; ++seed) {
      simulation one(s, seed);
      (void)one.run();
      direct += one.direct();
    }
    BOOST_TEST(direct > 50u);
    s.largest_ring = 64;
    s.largest_staging = 64;
    s.start = {};
  }
}

BOOST_AUTO_TEST_CASE(rings_and_staging_memory_may_grow) {
  settings s;
  s.bytes = {2000, 1500};
  std::size_t most = 0;
  for (const std::uint32_t ring : {4u, 16u, 64u}) {
    s.ring_size = ring;
    s.staging_size = ring;
    for (const std::uint32_t largest : {ring * 2, 1024u}) {
      s.largest_ring = largest;
      for (const std::size_t staging : {std::size_t{8}, std::size_t{2048}}) {
        s.largest_staging = staging;
        for (const transfer::mode m : {transfer::mode::stream, transfer::mode::message}) {
          s.mode = m;
          for (const unsigned depth : {16u, 64u}) {
            s.queue_depth = depth;
            for (std::uint32_t seed = 0; seed != 8; ++seed) {
              simulation one(s, seed);
              BOOST_TEST(one.run() == outcome::finished);
              most = std::max(most, one.grown());
            }
          }
        }
      }
    }
  }
  BOOST_TEST(most >= 6u);  // otherwise this proves little
}

BOOST_AUTO_TEST_CASE(rings_may_grow_where_counters_wrap) {
  settings s;
  s.largest_ring = 512;
  s.largest_staging = 512;
  s.bytes = {2500, 2500};
  for (const std::uint64_t edge : {near_2_64, near_2_32}) {
    for (const std::uint64_t before : {300u, 900u, 2000u}) {
      s.start = {edge - before, edge - 100, edge - 10};
      check_all_finish(s, 25);
    }
  }
}

BOOST_AUTO_TEST_CASE(receives_do_run_short) {
  // Otherwise the other tests would prove nothing about receives.
  std::size_t most = 0;
  for (std::uint32_t seed = 0; seed != 300; ++seed) {
    simulation run({}, seed);
    BOOST_TEST(run.run() == outcome::finished);
    most = std::max(most, run.most_arrived());
  }
  BOOST_TEST(most >= settings{}.queue_depth - transfer::default_control_reserve);
}

BOOST_AUTO_TEST_CASE(messages_keep_their_ends) {
  settings s;
  s.mode = transfer::mode::message;
  check_all_finish(s, 600);
  s.ring_size = 1u << 14;  // only receives to wait for
  s.staging_size = 1u << 12;
  s.message_ends = 100;
  check_all_finish(s, 150);
  s.ring_size = 4;
  s.bytes = {500, 500};
  check_all_finish(s, 300);
}

BOOST_AUTO_TEST_CASE(messages_of_other_depths) {
  settings s;
  s.mode = transfer::mode::message;
  s.bytes = {1000, 1500};
  for (const std::uint32_t depth : {16u, 17u, 31u, 64u, 512u}) {
    for (const std::uint32_t chunk : {1u, 7u, 64u}) {
      for (const std::size_t ends : {1u, 3u, 40u}) {
        s.queue_depth = depth;
        s.max_chunk = chunk;
        s.message_ends = ends;
        check_all_finish(s, 10);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(counters_of_messages_may_wrap_in_the_middle) {
  settings s;
  s.mode = transfer::mode::message;
  for (const std::uint64_t edge : {near_2_64, near_2_32}) {
    s.start = {edge - 700, edge - 100, edge - 10};
    s.send_index_start = edge - 10;
    check_all_finish(s, 150);
  }
}

BOOST_AUTO_TEST_CASE(without_a_reserve_both_ends_can_lock_up) {
  settings s;
  s.control_reserve = 0;
  auto count = tally(s, 1000);
  BOOST_TEST_MESSAGE(count[outcome::deadlock] << " of 1000 schedules without a reserve locked up");
  BOOST_TEST(count[outcome::deadlock] > 0u);
  BOOST_TEST(count[outcome::deadlock] + count[outcome::finished] == 1000u);
}

BOOST_AUTO_TEST_CASE(a_pure_receiver_gets_its_mirror_slots_back) {
  // The ring is far smaller than what the receives allow, so that only credits for bytes flow, and each of them uses a
  // slot at the end that sends nothing but credits.
  settings s;
  s.ring_size = 4096;
  s.max_chunk = 4096;
  s.staging_size = 4096;
  s.queue_depth = 512;
  s.bytes = {100000, 0};
  for (std::uint32_t seed = 0; seed != 40; seed += 2) {
    BOOST_TEST(simulation(s, seed).run() == outcome::finished);
    settings without_rule = s;
    without_rule.control_report = never;
    BOOST_TEST(simulation(without_rule, seed).run() == outcome::deadlock);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace transfer_test
