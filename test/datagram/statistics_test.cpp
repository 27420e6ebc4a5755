// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include "support/source_file.hpp"

#include <algorithm>
#include <regex>
#include <set>

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(datagram_statistics, two_sockets)

BOOST_AUTO_TEST_CASE(count_what_is_sent_and_received) {
  a.send_to(asio::buffer("12345", 5), to_b);
  BOOST_TEST(receive_string(b) == "12345");
  const auto sent = asio_rdma::statistics(a), received = asio_rdma::statistics(b);
  BOOST_TEST(sent.is_datagram);
  BOOST_TEST((sent.state == asio_rdma::connection_state::unconnected));
  BOOST_TEST(sent.counters.bytes_sent == 5u);
  BOOST_TEST(sent.counters.messages_sent == 1u);
  BOOST_TEST(received.counters.bytes_received == 5u);
  BOOST_TEST(received.counters.bytes_read == 5u);
  BOOST_TEST(received.counters.messages_received == 1u);
  BOOST_TEST(sent.local.port() == to_a.port());
  BOOST_TEST(!sent.device.empty());
  BOOST_TEST(sent.device == asio_rdma::device_name(a));
  BOOST_TEST(sent.queue_pair != 0u);
  BOOST_TEST(sent.levels.registered_memory > 0u);
}

BOOST_AUTO_TEST_CASE(snapshots_and_sums_have_datagram_sockets) {
  const auto find = [](std::uint64_t number) {
    const auto all = asio_rdma::snapshot().sockets;
    return std::any_of(all.begin(), all.end(), [&](const auto& s) { return s.number == number; });
  };
  const std::uint64_t before = asio_rdma::snapshot().totals.counters.messages_sent;
  const std::uint64_t number = asio_rdma::statistics(a).number;
  BOOST_TEST(find(number));
  a.send_to(asio::buffer("12345", 5), to_b);
  BOOST_TEST(receive_string(b) == "12345");
  a.close();
  for (int i = 0; i < 1000 && find(number); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  BOOST_TEST(!find(number));
  BOOST_TEST(asio_rdma::snapshot().totals.counters.messages_sent == before + 1);
}

BOOST_AUTO_TEST_CASE(the_document_explains_every_name) {
  const std::string document = source_file("doc/statistics.md");
  const std::string text = to_string(asio_rdma::statistics(a));
  BOOST_TEST(contains(text, "kind:datagram"));
  static const std::regex pattern("[ \t]([a-z_]+)(\\[[0-9]+\\])?:");
  std::set<std::string> names;
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) names.insert((*i)[1]);
  BOOST_TEST(names.size() > 40u);
  for (const std::string& name : names) BOOST_TEST(contains(document, "`" + name + "`"), name);
}

BOOST_AUTO_TEST_SUITE_END()
