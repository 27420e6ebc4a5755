// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "transfer/datagram.hpp"

#include <boost/test/unit_test.hpp>

#include <array>

using namespace asio_rdma::transfer;

BOOST_AUTO_TEST_SUITE(datagrams)

// Recorded: what version 1 sends.
constexpr datagram_header_text recorded_header = {'A', 'D', 1, 4, 0x34, 0x12, 0x78, 0x56};
constexpr datagram_greeting_text recorded_greeting = {'A', 'R', 'D', 'M', 12, 1, 1, 4, 1, 0, 0xf8, 0x0f};

BOOST_AUTO_TEST_CASE(header_of_version_1) {
  datagram_header h;
  h.source_port = 0x1234;
  h.destination_port = 0x5678;
  h.not_to_own_host = true;
  BOOST_TEST(encode_datagram_header(h) == recorded_header, boost::test_tools::per_element());
  const auto read = decode_datagram_header(recorded_header.data(), recorded_header.size());
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->source_port == 0x1234);
  BOOST_TEST(read->destination_port == 0x5678);
  BOOST_TEST(read->not_to_own_host);
  BOOST_TEST((read->asked_loopback == loopback::none));
}

BOOST_AUTO_TEST_CASE(headers_that_are_none) {
  const auto is_refused = [](std::size_t at, unsigned char value) {
    datagram_header_text h = recorded_header;
    h[at] = value;
    return !decode_datagram_header(h.data(), h.size());
  };
  BOOST_TEST(is_refused(0, 'B'));
  BOOST_TEST(is_refused(1, 'E'));
  BOOST_TEST(is_refused(2, 2));
  BOOST_TEST(is_refused(3, 3));
  BOOST_TEST(!is_refused(3, 0xf8));  // flags of later times
  for (std::size_t size = 0; size < recorded_header.size(); ++size) {
    BOOST_TEST(!decode_datagram_header(recorded_header.data(), size));
  }
  datagram_header_text no_port = recorded_header;
  no_port[4] = no_port[5] = 0;
  BOOST_TEST(!decode_datagram_header(no_port.data(), no_port.size()));
}

BOOST_AUTO_TEST_CASE(greeting_of_version_1) {
  datagram_greeting g;
  g.asked_loopback = loopback::v4;
  g.largest_payload = 4088;
  BOOST_TEST(encode_datagram_greeting(g) == recorded_greeting, boost::test_tools::per_element());
  const auto read = decode_datagram_greeting(recorded_greeting.data(), recorded_greeting.size());
  BOOST_REQUIRE(static_cast<bool>(read));
  BOOST_TEST((read.value.asked_loopback == loopback::v4));
  BOOST_TEST(read.value.largest_payload == 4088);
}

BOOST_AUTO_TEST_CASE(greetings_that_are_none) {
  const auto error_of = [](std::size_t at, unsigned char value) {
    datagram_greeting_text g = recorded_greeting;
    g[at] = value;
    return decode_datagram_greeting(g.data(), g.size()).error;
  };
  BOOST_TEST((error_of(0, 'B') == handshake_error::not_ours));
  BOOST_TEST((error_of(4, 7) == handshake_error::truncated));
  BOOST_TEST((error_of(4, 11) == handshake_error::truncated));
  BOOST_TEST((error_of(5, 0) == handshake_error::bad_versions));
  BOOST_TEST((error_of(5, 2) == handshake_error::bad_versions));
  BOOST_TEST((error_of(7, 1) == handshake_error::bad_mode));
  BOOST_TEST((error_of(8, 3) == handshake_error::out_of_range));
  datagram_greeting_text later = recorded_greeting;
  later[5] = later[6] = 2;
  BOOST_TEST((decode_datagram_greeting(later.data(), later.size()).error == handshake_error::incompatible_version));
  BOOST_TEST((decode_datagram_greeting(recorded_greeting.data(), 11).error == handshake_error::truncated));
  // The connection manager pads it.
  std::array<unsigned char, 180> padded{};
  std::copy(recorded_greeting.begin(), recorded_greeting.end(), padded.begin());
  BOOST_TEST(static_cast<bool>(decode_datagram_greeting(padded.data(), padded.size())));
}

BOOST_AUTO_TEST_SUITE_END()
