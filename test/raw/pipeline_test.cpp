// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <asio_rdma/pipeline.hpp>

#include <cstdint>
#include <thread>
#include <vector>

namespace {

/// Sends numbers in batches, while the other end drains them; both count what came.
void send_numbers(std::uint64_t count, std::size_t depth, std::size_t batch) {
  connected_pair p;
  constexpr std::size_t slots = 128;
  std::vector<local_buffer> to(slots), from(slots);
  for (std::size_t i = 0; i < slots; ++i) {
    to[i] = p.server_memory.slice(8 * i, 8);
    from[i] = p.client_memory.slice(8 * i, 8);
  }
  error_code ec;
  asio_rdma::receive_drain drain(
      p.server, count, slots, [&](std::uint64_t i) { return receive_request(to[i % slots]); }, ec);
  BOOST_TEST_REQUIRE(!ec, ec.message());
  std::uint64_t in_order = 0;
  error_code drained;
  std::thread receiver([&] {
    drain.run(
        [&](const work_completion& c) {
          if (c.id() == in_order && *p.server_memory.as<std::uint64_t>(8 * (c.id() % slots)) == in_order) ++in_order;
        },
        drained);
  });
  std::uint64_t completions = 0;
  const std::uint64_t completed = asio_rdma::pipeline_batches(
      p.client, count, depth, batch,
      [&](std::uint64_t i) {
        *p.client_memory.as<std::uint64_t>(8 * (i % slots)) = i;
        return work_request::send(from[i % slots]);
      },
      ec, [&](const work_completion& c) { completions += c.ok(); });
  receiver.join();
  BOOST_TEST(!ec, ec.message());
  BOOST_TEST(!drained, drained.message());
  BOOST_TEST(completed == count);
  BOOST_TEST(completions == count);
  BOOST_TEST(in_order == count);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pipeline)

BOOST_AUTO_TEST_CASE(all_messages_arrive_in_order) {
  send_numbers(1000, 16, 1);
}

BOOST_AUTO_TEST_CASE(batches_need_not_divide_the_count_or_the_depth) {
  send_numbers(1003, 30, 8);
  send_numbers(5, 128, 32);
}

BOOST_AUTO_TEST_CASE(it_stops_at_the_first_error) {
  connected_pair p;
  const local_buffer from = p.client_memory.slice(0, 8);
  remote_memory wrong = p.client.peer_memory();
  wrong.key ^= 0x5a5a5a00u;
  error_code ec;
  const auto completed =
      asio_rdma::pipeline(p.client, 100, 4, [&](std::uint64_t) { return work_request::write(from, wrong); }, ec);
  BOOST_TEST(completed == 0u);
  BOOST_TEST(ec.value() == IBV_WC_REM_ACCESS_ERR);
  BOOST_TEST((ec.category() == asio_rdma::completion_category()));
}

BOOST_AUTO_TEST_SUITE_END()
