// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "transfer/message.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <limits>

namespace transfer = asio_rdma::transfer;
using transfer::message_kind;
using transfer::mode;

BOOST_AUTO_TEST_SUITE(messages)

BOOST_AUTO_TEST_CASE(immediates_have_the_documented_layout) {
  BOOST_TEST(transfer::encode_immediate(message_kind::data, 0x0123456) == 0x10123456u);
  BOOST_TEST(transfer::encode_immediate(message_kind::abort, 1) == 0xa0000001u);
  BOOST_TEST(transfer::encode_immediate(message_kind::data, transfer::max_message_length) == 0x1fffffffu);
}

BOOST_AUTO_TEST_CASE(immediates_survive_the_round_trip) {
  for (std::uint32_t kind = 1; kind <= 10; ++kind) {
    for (const std::uint32_t length : {0u, 1u, 0x5555555u, transfer::max_message_length}) {
      const auto head = transfer::decode_immediate(transfer::encode_immediate(static_cast<message_kind>(kind), length));
      BOOST_TEST_REQUIRE(head.has_value());
      BOOST_TEST(static_cast<std::uint32_t>(head->kind) == kind);
      BOOST_TEST(head->length == length);
    }
  }
}

BOOST_AUTO_TEST_CASE(kinds_without_a_name_are_refused) {
  for (const std::uint32_t kind : {0u, 11u, 12u, 13u, 14u, 15u}) {
    BOOST_TEST(!transfer::decode_immediate(kind << 28 | 5).has_value());
  }
}

BOOST_AUTO_TEST_CASE(kinds_are_permitted_by_mode_and_features) {
  constexpr std::uint32_t all = std::numeric_limits<std::uint32_t>::max();
  for (const message_kind k : {message_kind::data, message_kind::credit, message_kind::fin, message_kind::abort}) {
    BOOST_TEST(is_permitted(k, mode::stream, 0));
    BOOST_TEST(is_permitted(k, mode::message, 0));
    BOOST_TEST(!is_permitted(k, mode::raw, all));
  }
  BOOST_TEST(!is_permitted(message_kind::end, mode::stream, all));
  BOOST_TEST(is_permitted(message_kind::end, mode::message, 0));
  for (const message_kind k :
       {message_kind::direct, message_kind::advert, message_kind::withdraw, message_kind::withdrawn}) {
    BOOST_TEST(is_permitted(k, mode::stream, transfer::feature_direct));
    BOOST_TEST(!is_permitted(k, mode::stream, all & ~transfer::feature_direct));
    BOOST_TEST(!is_permitted(k, mode::raw, all));
  }
  BOOST_TEST(is_permitted(message_kind::ring, mode::stream, transfer::feature_ring));
  BOOST_TEST(!is_permitted(message_kind::ring, mode::stream, all & ~transfer::feature_ring));
}

BOOST_AUTO_TEST_CASE(credits_are_little_endian) {
  const auto text = transfer::encode_credit({0x0102030405060708u, 0xfffefdfcfbfaf9f8u});
  const unsigned char expected[] = {8, 7, 6, 5, 4, 3, 2, 1, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff};
  BOOST_TEST(text == expected, boost::test_tools::per_element());
  const transfer::credit c = transfer::decode_credit(expected);
  BOOST_TEST(c.consumed == 0x0102030405060708u);
  BOOST_TEST(c.reaped == 0xfffefdfcfbfaf9f8u);
}

BOOST_AUTO_TEST_SUITE_END()
