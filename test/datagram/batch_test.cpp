// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <asio_rdma/batch.hpp>

#include <array>
#include <vector>

using asio_rdma::incoming_datagram;
using asio_rdma::outgoing_datagram;

namespace {

struct batch_fixture : two_sockets {
  /// A batch of texts "0", "1" and so on, from a to b.
  std::vector<outgoing_datagram<asio::const_buffer>> make(std::size_t size) {
    texts.clear();
    for (std::size_t i = 0; i < size; ++i) texts.push_back(std::to_string(i));
    std::vector<outgoing_datagram<asio::const_buffer>> result;
    for (const std::string& t : texts) result.push_back({asio::buffer(t), to_b});
    return result;
  }
  std::vector<incoming_datagram<asio::mutable_buffer>> room(std::size_t size) {
    memory.assign(size, std::string(20, '\0'));
    std::vector<incoming_datagram<asio::mutable_buffer>> result;
    for (std::string& m : memory) result.push_back({asio::buffer(m), {}, 0});
    return result;
  }
  /// Receives batches until that many datagrams have come.
  void check_arrival(std::size_t count, std::size_t batch_size) {
    std::size_t received = 0;
    while (received < count) {
      auto batch = room(batch_size);
      const std::size_t n = asio_rdma::receive_batch(b, batch);
      BOOST_REQUIRE(n > 0);
      for (std::size_t i = 0; i < n; ++i, ++received) {
        BOOST_TEST(memory[i].substr(0, batch[i].bytes) == std::to_string(received));
        BOOST_TEST(batch[i].from == to_a);
      }
    }
    BOOST_TEST(received == count);
  }

  std::vector<std::string> texts, memory;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(batches, batch_fixture)

BOOST_AUTO_TEST_CASE(arrive_in_order_with_their_senders) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{5}, std::size_t{32}, std::size_t{33}, std::size_t{100}}) {
    BOOST_TEST(asio_rdma::send_batch(a, make(size)) == size);
    check_arrival(size, 7);
  }
}

BOOST_AUTO_TEST_CASE(cost_one_completion_for_many_sends) {
  asio_rdma::send_batch(a, make(32));
  check_arrival(32, 32);
  const std::uint64_t before = asio_rdma::statistics(a).counters.completions;
  asio_rdma::send_batch(a, make(32));
  check_arrival(32, 32);
  BOOST_TEST(asio_rdma::statistics(a).counters.completions - before == 1u);
}

BOOST_AUTO_TEST_CASE(gather_and_go_to_the_peer_or_to_many) {
  ud::socket c(context, any_port());
  const std::string head = "head ", tail = "tail";
  const std::array<asio::const_buffer, 2> both = {asio::buffer(head), asio::buffer(tail)};
  using datagram = outgoing_datagram<std::array<asio::const_buffer, 2>>;
  a.connect(to_b);
  const std::array<datagram, 2> batch = {datagram{both, {}}, datagram{both, c.local_endpoint()}};
  BOOST_TEST(asio_rdma::send_batch(a, batch) == 2u);
  BOOST_TEST(receive_string(b) == "head tail");
  BOOST_TEST(receive_string(c) == "head tail");
}

BOOST_AUTO_TEST_CASE(an_error_says_how_many_were_sent) {
  auto batch = make(3);
  const std::string too_large(10000, 'x');
  batch[1].buffers = asio::buffer(too_large);
  error_code ec;
  BOOST_TEST(asio_rdma::send_batch(a, batch, ec) == 1u);
  BOOST_TEST(ec == asio::error::message_size);
  BOOST_TEST(receive_string(b) == "0");
  batch[0].to = ud::endpoint();
  BOOST_TEST(asio_rdma::send_batch(a, batch, ec) == 0u);
  BOOST_TEST((ec == boost::system::errc::destination_address_required));
  b.non_blocking(true);
  auto in = room(3);
  BOOST_TEST(asio_rdma::receive_batch(b, in, ec) == 0u);
  BOOST_TEST(ec == asio::error::would_block);
  b.close();
  BOOST_TEST(asio_rdma::receive_batch(b, in, ec) == 0u);
  BOOST_TEST(ec == asio::error::bad_descriptor);
}

BOOST_AUTO_TEST_CASE(asynchronous) {
  const auto out = make(40);
  auto in = room(40);
  std::size_t sent = 0, received = 0, calls = 0;
  std::function<void()> receive = [&] {
    asio_rdma::async_receive_batch(b, in, [&](error_code ec, std::size_t n) {
      BOOST_TEST(!ec);
      BOOST_TEST(n > 0u);
      ++calls;
      for (std::size_t i = 0; i < n; ++i, ++received) {
        BOOST_TEST(memory[i].substr(0, in[i].bytes) == std::to_string(received));
        BOOST_TEST(in[i].from == to_a);
      }
      if (received < 40) receive();
    });
  };
  receive();
  context.poll();
  BOOST_TEST(received == 0u);
  asio_rdma::async_send_batch(a, out, [&](error_code ec, std::size_t n) {
    BOOST_TEST(!ec);
    sent = n;
  });
  BOOST_TEST(sent == 0u);
  run_until(context, [&] { return received == 40; });
  BOOST_TEST(sent == 40u);
}

BOOST_AUTO_TEST_CASE(cancelled) {
  auto in = room(4);
  error_code result;
  asio_rdma::async_receive_batch(b, in, [&](error_code ec, std::size_t n) {
    result = ec;
    BOOST_TEST(n == 0u);
  });
  context.poll();
  b.cancel();
  context.restart();
  context.run();
  BOOST_TEST(result == asio::error::operation_aborted);
}

BOOST_AUTO_TEST_SUITE_END()
