// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "transfer/own_adverts.hpp"
#include "transfer/peer_adverts.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>

using asio_rdma::transfer::advert;
using asio_rdma::transfer::longest_advert;
using asio_rdma::transfer::max_adverts;
using asio_rdma::transfer::own_adverts;
using asio_rdma::transfer::peer_adverts;

namespace {

advert of(std::uint64_t address, std::uint32_t length) {
  advert a;
  a.address = address;
  a.length = length;
  return a;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(adverts)

BOOST_AUTO_TEST_CASE(their_text_is_read_as_it_was_written) {
  advert a = of(0x0123456789abcdef, 0x11223344);
  a.credit = {0xfedcba9876543210, 0x5566778899aabbcc};
  a.ring_messages = 0x0102030405060708;
  a.key = 0xdeadbeef;
  const auto text = encode_advert(a);
  const advert b = asio_rdma::transfer::decode_advert(text.data());
  BOOST_TEST(b.credit.consumed == a.credit.consumed);
  BOOST_TEST(b.credit.reaped == a.credit.reaped);
  BOOST_TEST(b.ring_messages == a.ring_messages);
  BOOST_TEST(b.address == a.address);
  BOOST_TEST(b.key == a.key);
  BOOST_TEST(b.length == a.length);
  BOOST_TEST(text[16] == 0x08);  // little-endian
  BOOST_TEST(text[32] == 0xef);
}

BOOST_AUTO_TEST_CASE(offered_memory_is_filled_in_order) {
  own_adverts own;
  const std::uint64_t first = own.offer(100), second = own.offer(50);
  BOOST_TEST(own.has_open());
  BOOST_TEST(own.direct_arrived(60, false));
  BOOST_TEST(!own.at(first).is_over);
  BOOST_TEST(!own.direct_arrived(41, false));  // beyond its end, and not into the next one
  BOOST_TEST(own.direct_arrived(40, false));
  BOOST_TEST(own.at(first).is_over);
  BOOST_TEST(own.at(first).filled == 100u);
  BOOST_TEST(!own.at(first).ends);
  BOOST_TEST(own.direct_arrived(10, true));
  BOOST_TEST(own.at(second).is_over);
  BOOST_TEST(own.at(second).ends);
  BOOST_TEST(own.at(second).filled == 10u);
  BOOST_TEST(!own.has_open());
  BOOST_TEST(!own.direct_arrived(1, false));
}

BOOST_AUTO_TEST_CASE(nothing_comes_only_as_an_end) {
  own_adverts own;
  const std::uint64_t ticket = own.offer(100);
  BOOST_TEST(!own.direct_arrived(0, false));
  BOOST_TEST(own.direct_arrived(0, true));
  BOOST_TEST(own.at(ticket).is_over);
  BOOST_TEST(own.at(ticket).filled == 0u);
}

BOOST_AUTO_TEST_CASE(no_more_are_offered_than_there_is_room_for) {
  own_adverts own;
  std::uint64_t tickets[max_adverts];
  for (std::uint64_t& t : tickets) {
    BOOST_TEST_REQUIRE(own.may_offer());
    t = own.offer(1);
    BOOST_TEST(t != 0u);
  }
  BOOST_TEST(!own.may_offer());
  own.end_all();
  BOOST_TEST(!own.may_offer());  // nobody has been told of them
  own.take(tickets[1]);
  BOOST_TEST(!own.may_offer());  // they leave in order
  own.take(tickets[0]);
  BOOST_TEST(own.may_offer());
  BOOST_TEST(own.begin() == tickets[2]);
}

BOOST_AUTO_TEST_CASE(what_comes_through_the_ring_passes_over_all) {
  own_adverts own;
  const std::uint64_t first = own.offer(100), second = own.offer(100);
  BOOST_TEST(own.direct_arrived(1, false));
  own.passed_over();
  BOOST_TEST(own.at(first).is_over);
  BOOST_TEST(own.at(first).filled == 1u);
  BOOST_TEST(own.at(second).is_over);
  BOOST_TEST(own.at(second).filled == 0u);
}

BOOST_AUTO_TEST_CASE(useless_offers_become_rare_until_one_is_of_use) {
  own_adverts own;
  const auto try_one = [&](bool of_use) {
    const std::uint64_t t = own.offer(10);
    if (of_use) BOOST_TEST(own.direct_arrived(10, false));
    own.passed_over();
    own.take(t);
    unsigned passes = 0;
    while (!own.is_worthwhile()) ++passes;
    return passes;
  };
  unsigned expected = 0;
  for (int i = 0; i < 10; ++i) {
    BOOST_TEST(try_one(false) == expected);
    expected = expected == 63 ? 63 : expected * 2 + 1;
  }
  BOOST_TEST(try_one(true) == 0u);
  BOOST_TEST(try_one(false) == 0u);
  BOOST_TEST(try_one(false) == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_asked_back_stays_the_peers_until_it_answers) {
  own_adverts own;
  BOOST_TEST(!own.given_back());
  const std::uint64_t ticket = own.offer(100);
  own.ask_back();
  BOOST_TEST(!own.may_offer());
  BOOST_TEST(own.direct_arrived(5, false));  // was on its way
  BOOST_TEST(own.given_back());
  BOOST_TEST(own.at(ticket).is_over);
  BOOST_TEST(own.at(ticket).filled == 5u);
  BOOST_TEST(own.may_offer());
  BOOST_TEST(!own.given_back());
}

BOOST_AUTO_TEST_CASE(the_peers_memory_is_filled_in_order) {
  peer_adverts peers;
  BOOST_TEST(peers.empty());
  BOOST_TEST(peers.offered(of(1000, 100), true));
  BOOST_TEST(peers.offered(of(5000, 10), true));
  BOOST_TEST(!peers.is_open());
  peers.sent(60, false);
  BOOST_TEST(peers.is_open());
  BOOST_TEST(peers.front().address == 1060u);
  BOOST_TEST(peers.front().length == 40u);
  peers.sent(40, false);
  BOOST_TEST(!peers.is_open());
  BOOST_TEST(peers.front().address == 5000u);
  peers.sent(1, true);
  BOOST_TEST(peers.empty());
  BOOST_TEST(!peers.is_open());
}

BOOST_AUTO_TEST_CASE(offers_that_cannot_be_are_refused) {
  peer_adverts peers;
  BOOST_TEST(!peers.offered(of(1000, 0), true));
  BOOST_TEST(!peers.offered(of(1000, longest_advert + 1), true));
  BOOST_TEST(!peers.offered(of(~std::uint64_t{0}, 2), true));
  for (unsigned i = 0; i < max_adverts; ++i) BOOST_TEST(peers.offered(of(1000, longest_advert), true));
  BOOST_TEST(!peers.offered(of(1000, 1), true));
}

BOOST_AUTO_TEST_CASE(an_offer_that_came_too_late_is_waited_for) {
  peer_adverts peers;
  BOOST_TEST(!peers.is_holding());
  BOOST_TEST(peers.offered(of(1000, 10), false));
  BOOST_TEST(peers.empty());
  BOOST_TEST(peers.is_holding());
  BOOST_TEST(peers.offered(of(1000, 10), true));
  BOOST_TEST(!peers.is_holding());
  peers.clear();
  BOOST_TEST(peers.empty());
  // In vain, again and again: then it is not believed that often any more.
  unsigned expected = 1;
  for (int i = 0; i < 10; ++i) {
    unsigned ignored = 0;
    while (!peers.is_holding()) {
      BOOST_TEST(peers.offered(of(1000, 10), false));
      ++ignored;
    }
    peers.stop_holding();
    if (i > 0) BOOST_TEST(ignored == expected + 1);
    if (i > 0) expected = expected == 255 ? 255 : expected * 2 + 1;
  }
}

BOOST_AUTO_TEST_SUITE_END()
