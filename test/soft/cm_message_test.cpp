// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/message.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <cstring>
#include <functional>
#include <vector>

namespace {

namespace cm = asio_rdma::soft::cm;
using cm::message;
using cm::message_type;
using bytes = std::vector<unsigned char>;

bytes encode(const message& m) {
  const auto* const first = reinterpret_cast<const unsigned char*>(&m);
  return bytes(first, first + cm::size_of(m));
}

bool is_good(const bytes& b) {
  message ignored;
  return cm::decode(b.data(), b.size(), ignored);
}

message good_request() {
  message m;
  m.type = message_type::request;
  m.space = RDMA_PS_TCP;
  m.instance = 42;
  m.from = 1;
  m.to = 2;
  m.qp_num = 0xffffff;
  m.psn = 0xffffff;
  m.retry_count = 7;
  m.source.family = m.destination.family = 4;
  m.source.port = 1000;
  m.destination.port = 2000;
  m.private_size = 56;
  for (unsigned i = 0; i < m.private_size; ++i) m.private_data[i] = static_cast<std::uint8_t>(i);
  return m;
}

bool is_good_with(const std::function<void(message&)>& change) {
  message m = good_request();
  change(m);
  return is_good(encode(m));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cm_messages)

BOOST_AUTO_TEST_CASE(arrive_as_they_were_sent) {
  const bytes sent = encode(good_request());
  message received;
  BOOST_REQUIRE(cm::decode(sent.data(), sent.size(), received));
  BOOST_TEST((encode(received) == sent));
  BOOST_TEST(received.private_data[55] == 55);
}

BOOST_AUTO_TEST_CASE(of_another_size_than_they_say_are_refused) {
  bytes b = encode(good_request());
  for (bytes shorter = b; !shorter.empty(); shorter.pop_back()) BOOST_TEST(is_good(shorter) == (shorter == b));
  b.push_back(0);
  BOOST_TEST(!is_good(b));
  BOOST_TEST(!is_good(bytes(1000, 1)));
}

BOOST_AUTO_TEST_CASE(with_impossible_members_are_refused) {
  BOOST_TEST(is_good_with([](message&) {}));
  BOOST_TEST(!is_good_with([](message& m) { m.type = message_type{}; }));
  BOOST_TEST(!is_good_with([](message& m) { m.type = static_cast<message_type>(8); }));
  BOOST_TEST(!is_good_with([](message& m) { m.space = RDMA_PS_IB; }));
  BOOST_TEST(!is_good_with([](message& m) { m.from = 0; }));
  BOOST_TEST(!is_good_with([](message& m) { m.to = 0; }));
  BOOST_TEST(!is_good_with([](message& m) { m.qp_num = 0x1000000; }));
  BOOST_TEST(!is_good_with([](message& m) { m.psn = 0x1000000; }));
  BOOST_TEST(!is_good_with([](message& m) { m.source.family = 5; }));
  BOOST_TEST(!is_good_with([](message& m) { m.source.family = 6; }));
  BOOST_TEST(!is_good_with([](message& m) { m.source.port = 0; }));
  BOOST_TEST(!is_good_with([](message& m) { m.destination.port = 0; }));
}

BOOST_AUTO_TEST_CASE(carry_no_more_private_data_than_the_calls_allow) {
  const auto largest = [](message_type type, rdma_port_space space) {
    std::size_t result = 0;
    for (std::size_t size = 0; size <= cm::max_private_data; ++size) {
      const bool good = is_good_with([&](message& m) {
        m.type = type;
        m.space = space;
        m.private_size = static_cast<std::uint16_t>(size);
      });
      if (good) result = size;
    }
    return result;
  };
  BOOST_TEST(largest(message_type::request, RDMA_PS_TCP) == 56u);
  BOOST_TEST(largest(message_type::request, RDMA_PS_UDP) == 180u);
  BOOST_TEST(largest(message_type::reply, RDMA_PS_TCP) == 196u);
  BOOST_TEST(largest(message_type::reply, RDMA_PS_UDP) == 136u);
  BOOST_TEST(largest(message_type::reject, RDMA_PS_TCP) == 148u);
  BOOST_TEST(largest(message_type::ready, RDMA_PS_TCP) == 0u);
}

BOOST_AUTO_TEST_CASE(with_counters_beyond_three_bits_mean_the_most) {
  message m = good_request();
  m.retry_count = m.rnr_retry_count = 200;
  const bytes b = encode(m);
  BOOST_REQUIRE(cm::decode(b.data(), b.size(), m));
  BOOST_TEST(int{m.retry_count} == 7);
  BOOST_TEST(int{m.rnr_retry_count} == 7);
}

BOOST_AUTO_TEST_SUITE_END()
