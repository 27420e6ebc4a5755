// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/ticket_ring.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {

using asio_rdma::soft::ring_header;
using asio_rdma::soft::ticket_ring;
using stage = ticket_ring::stage;

constexpr unsigned me = 1, other = 2, third = 3;

/// A ring of numbers in memory of its own.
struct test_ring {
  explicit test_ring(std::uint32_t capacity) : memory(capacity * 2 + 8) {
    header.capacity = capacity;
    header.stride = 2 * sizeof(std::uint64_t);
    header.entries = 8 * sizeof(std::uint64_t);  // not at the very beginning, as in a segment
    ring = ticket_ring(header, memory.data());
    ring.clear();
  }
  bool put(std::uint64_t value, unsigned owner = me) {
    std::uint64_t ticket = 0;
    if (!ring.claim_free(owner, ticket)) return false;
    ring.payload<std::uint64_t>(ticket) = value;
    ring.publish(ticket);
    return true;
  }
  bool take(std::uint64_t& value, unsigned owner = me) {
    std::uint64_t ticket = 0;
    if (!ring.claim_ready(owner, ticket)) return false;
    value = ring.payload<std::uint64_t>(ticket);
    ring.release(ticket);
    return true;
  }
  /// What is in it, all taken out.
  std::vector<std::uint64_t> drain() {
    std::vector<std::uint64_t> result;
    for (std::uint64_t value = 0; take(value);) result.push_back(value);
    return result;
  }

  ring_header header;
  std::vector<std::uint64_t> memory;
  ticket_ring ring;
};

using numbers = std::vector<std::uint64_t>;

}  // namespace

BOOST_AUTO_TEST_SUITE(ring_of_tickets)

BOOST_AUTO_TEST_CASE(gives_what_was_put_in_in_its_order) {
  test_ring r(4);
  BOOST_TEST(r.drain().empty());
  BOOST_TEST((r.put(10) && r.put(11) && r.put(12)));
  BOOST_TEST(r.ring.size() == 3u);
  BOOST_TEST(r.drain() == (numbers{10, 11, 12}), boost::test_tools::per_element());
  BOOST_TEST(r.ring.size() == 0u);
}

BOOST_AUTO_TEST_CASE(takes_no_more_than_its_capacity) {
  test_ring r(4);
  for (std::uint64_t i = 0; i < 4; ++i) BOOST_TEST(r.put(i));
  BOOST_TEST(!r.put(99));
  std::uint64_t first = 99;
  BOOST_TEST(r.take(first));
  BOOST_TEST(first == 0u);
  BOOST_TEST(r.put(4));
  BOOST_TEST(!r.put(99));
  BOOST_TEST(r.drain() == (numbers{1, 2, 3, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(goes_round_whatever_its_size) {
  for (const std::uint32_t capacity : {1u, 2u, 8u}) {
    test_ring r(capacity);
    std::uint64_t next_in = 0, next_out = 0;
    for (int round = 0; round < 100; ++round) {
      while (next_in - next_out < 1 + static_cast<unsigned>(round) % capacity) BOOST_REQUIRE(r.put(next_in++));
      std::uint64_t value = 0;
      while (r.take(value)) BOOST_REQUIRE_EQUAL(value, next_out++);
      BOOST_REQUIRE_EQUAL(next_in, next_out);
    }
  }
}

BOOST_AUTO_TEST_CASE(keeps_an_entry_from_others_while_it_is_being_taken) {
  test_ring r(2);
  BOOST_TEST((r.put(1) && r.put(2)));
  std::uint64_t held = 0, second = 0, ticket = 0;
  BOOST_TEST(r.ring.claim_ready(other, held));
  BOOST_TEST(!r.put(3));  // the place is not free yet
  BOOST_TEST(r.take(second));
  BOOST_TEST(second == 2u);
  BOOST_TEST(!r.ring.claim_ready(me, ticket));
  r.ring.release(held);
  BOOST_TEST((r.put(3) && r.put(4)));
  BOOST_TEST(r.drain() == (numbers{3, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(gives_nothing_behind_what_is_still_being_filled) {
  test_ring r(4);
  std::uint64_t held = 0, value = 0;
  BOOST_TEST(r.ring.claim_free(other, held));
  BOOST_TEST(r.put(2));
  BOOST_TEST(!r.take(value));
  r.ring.payload<std::uint64_t>(held) = 1;
  r.ring.publish(held);
  BOOST_TEST(r.drain() == (numbers{1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(passes_over_what_its_filler_left_by_dying) {
  test_ring r(4);
  std::uint64_t dead = 0;
  for (unsigned lap = 0; lap < 3; ++lap) {
    BOOST_TEST(r.ring.claim_free(third, dead));
    BOOST_TEST((r.put(10) && r.put(20)));
    r.ring.for_each_claimed(other, [](std::uint64_t, stage) { BOOST_ERROR("of another owner"); });
    unsigned found = 0;
    r.ring.for_each_claimed(third, [&](std::uint64_t ticket, stage s) {
      ++found;
      BOOST_TEST(ticket == dead);
      BOOST_TEST((s == stage::filling));
      r.ring.publish(ticket, stage::empty);
    });
    BOOST_TEST(found == 1u);
    BOOST_TEST(r.drain() == (numbers{10, 20}), boost::test_tools::per_element());
  }
  for (std::uint64_t i = 0; i < 4; ++i) BOOST_TEST(r.put(i));  // nothing of the capacity was lost
  BOOST_TEST(!r.put(4));
}

// A process can die between any two of its writes: here, after it has claimed an entry and before it has moved the
// counter past it.
BOOST_AUTO_TEST_CASE(goes_on_where_a_claimer_died_before_it_had_moved_the_counter) {
  test_ring r(4);
  std::uint64_t dead = 0, value = 0;
  BOOST_TEST(r.ring.claim_free(third, dead));
  r.header.tail = dead;
  BOOST_TEST((r.put(10) && r.put(20)));
  r.ring.publish(dead, stage::empty);
  BOOST_TEST(r.take(value));
  BOOST_TEST(value == 10u);

  BOOST_TEST(r.ring.claim_ready(third, dead));
  r.header.head = dead;
  BOOST_TEST(r.put(30));
  BOOST_TEST(r.take(value));
  BOOST_TEST(value == 30u);
  r.ring.release(dead);
  for (std::uint64_t i = 0; i < 4; ++i) BOOST_TEST(r.put(i));
  BOOST_TEST(!r.put(4));
  BOOST_TEST(r.drain() == (numbers{0, 1, 2, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(shows_what_waits_without_taking_it) {
  test_ring r(4);
  BOOST_TEST((r.put(1) && r.put(2) && r.put(3)));
  std::uint64_t value = 0;
  BOOST_TEST(r.take(value));
  numbers seen;
  r.ring.for_each_ready([&](std::uint64_t ticket) {
    seen.push_back(r.ring.payload<std::uint64_t>(ticket));
    if (seen.size() == 1) r.ring.publish(ticket, stage::empty);
  });
  BOOST_TEST(seen == (numbers{2, 3}), boost::test_tools::per_element());
  BOOST_TEST(r.drain() == (numbers{3}), boost::test_tools::per_element());
}

// Several threads put in and take out at random moments; some of them "die" with an entry in their hands, which another
// thread puts right later. Everything that was published arrives once, and each producer's in its order.
BOOST_AUTO_TEST_CASE(loses_and_doubles_nothing_between_threads) {
  constexpr unsigned producers = 3, consumers = 3;
  constexpr std::uint64_t each = 20'000;
  for (const std::uint32_t capacity : {1u, 4u, 64u}) {
    test_ring r(capacity);
    std::atomic<unsigned> producing{producers};
    std::vector<numbers> taken(consumers);
    std::atomic<unsigned> abandoned{0};
    std::vector<std::thread> threads;
    for (unsigned p = 0; p < producers; ++p) {
      threads.emplace_back([&, p] {
        std::minstd_rand random(p + 1);
        for (std::uint64_t i = 0; i < each;) {
          std::uint64_t ticket = 0;
          if (!r.ring.claim_free(10 + p, ticket)) {
            std::this_thread::yield();
            continue;
          }
          if (random() % 64 == 0) std::this_thread::yield();
          if (random() % 256 == 0) {  // it dies, and is replaced
            ++abandoned;
            r.ring.for_each_claimed(10 + p, [&](std::uint64_t t, stage) { r.ring.publish(t, stage::empty); });
            continue;
          }
          r.ring.payload<std::uint64_t>(ticket) = p * each + i++;
          r.ring.publish(ticket);
        }
        --producing;
      });
    }
    for (unsigned c = 0; c < consumers; ++c) {
      threads.emplace_back([&, c] {
        std::minstd_rand random(100 + c);
        for (;;) {
          const bool is_last_look = producing == 0;
          std::uint64_t ticket = 0;
          if (!r.ring.claim_ready(20 + c, ticket)) {
            if (is_last_look) return;
            std::this_thread::yield();
            continue;
          }
          taken[c].push_back(r.ring.payload<std::uint64_t>(ticket));
          if (random() % 64 == 0) std::this_thread::yield();
          if (random() % 256 == 0) {
            r.ring.for_each_claimed(20 + c, [&](std::uint64_t t, stage) { r.ring.release(t); });
          } else {
            r.ring.release(ticket);
          }
        }
      });
    }
    for (std::thread& t : threads) t.join();
    BOOST_TEST(abandoned > 0u);
    numbers all;
    bool in_order = true;
    for (const numbers& some : taken) {
      std::vector<std::uint64_t> last(producers, 0);
      for (const std::uint64_t value : some) {
        std::uint64_t& before = last[value / each];
        in_order = in_order && before <= value % each;
        before = value % each;
      }
      all.insert(all.end(), some.begin(), some.end());
    }
    BOOST_TEST(in_order);
    std::sort(all.begin(), all.end());
    numbers expected(producers * each);
    for (std::uint64_t i = 0; i < expected.size(); ++i) expected[i] = i;
    BOOST_TEST((all == expected));
    BOOST_TEST(r.ring.size() == 0u);
    for (std::uint64_t i = 0; i < capacity; ++i) BOOST_TEST(r.put(i));
    BOOST_TEST(!r.put(0));
  }
}

BOOST_AUTO_TEST_SUITE_END()
