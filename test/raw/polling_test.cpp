// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <asio_rdma/polling_service.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

using asio_rdma::polling_service;
using asio_rdma::span;

BOOST_AUTO_TEST_SUITE(polling)

BOOST_AUTO_TEST_CASE(it_runs_handlers_of_operations_and_of_the_context) {
  connected_pair p;
  polling_service service(p.context);
  service.add(p.client);
  service.add(p.server);
  int received = 0, posted = 0;
  asio::post(p.context, [&] { ++posted; });
  p.server.async_receive(p.server_memory.slice(0, 8), [&](const error_code& ec, const work_completion& c) {
    BOOST_TEST(!ec, ec.message());
    received = static_cast<int>(c.bytes());
    service.stop();
  });
  p.client.async_send(p.client_memory.slice(0, 5), [](const error_code& ec, const work_completion&) {
    BOOST_TEST(!ec, ec.message());
  });
  service.run();
  BOOST_TEST(received == 5);
  BOOST_TEST(posted == 1);
}

BOOST_AUTO_TEST_CASE(it_hands_over_completions_of_other_requests) {
  connected_pair p;
  polling_service service(p.context);
  std::uint64_t id = 0;
  service.add(p.client, [&](span<work_completion> found) {
    BOOST_TEST_REQUIRE(found.size() == 1u);
    id = found[0].id();
    service.stop();
  });
  const local_buffer from = p.client_memory.slice(0, 8);
  p.client.post_send(work_request::write(from, p.client.peer_memory()).with_id(77));
  service.run();
  BOOST_TEST(id == 77u);
}

BOOST_AUTO_TEST_CASE(it_runs_for_a_while_on_a_thread_of_its_own_and_counts) {
  connected_pair p;
  polling_service service(p.context);
  service.probe(true);
  service.add(p.client);
  service.set_back_off({100, 100, std::chrono::microseconds(100)});
  std::thread thread([&] { service.run(); });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (service.statistics().polls < 300 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  service.stop();
  thread.join();
  BOOST_TEST(service.statistics().polls >= 300u);
  BOOST_TEST(service.statistics().empty_polls == service.statistics().polls);
  const auto begin = std::chrono::steady_clock::now();
  BOOST_TEST(service.run_for(std::chrono::milliseconds(20)) == 0u);
  BOOST_TEST((std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(20)));
}

BOOST_AUTO_TEST_CASE(a_quiet_connection_is_found_again) {
  connected_pair quiet;
  connected_pair p;
  polling_service service(p.context);
  int found = 0;
  const auto count = [&](span<work_completion>) {
    ++found;
    service.stop();
  };
  service.add(p.client, count);
  service.add(quiet.client, count);
  for (int i = 0; i < 30000; ++i) service.poll_one();
  const local_buffer from = quiet.client_memory.slice(0, 8);
  quiet.client.post_send(work_request::write(from, quiet.client.peer_memory()));
  service.run_for(std::chrono::seconds(10));
  BOOST_TEST(found == 1);
}

BOOST_AUTO_TEST_CASE(many_idle_connections_cost_next_to_no_looks_and_are_found_soon) {
  std::vector<std::unique_ptr<connected_pair>> idle;
  connected_pair p;
  polling_service service(p.context);
  std::vector<int> found(40, 0);
  for (std::size_t i = 0; i < found.size(); ++i) {
    idle.push_back(std::make_unique<connected_pair>());
    service.add(idle.back()->client, [&, i](span<work_completion> c) { found[i] += static_cast<int>(c.size()); });
  }
  service.add(p.client, [](span<work_completion>) {});
  const auto write = [](connected_pair& c) {
    const local_buffer from = c.client_memory.slice(0, 8);
    c.client.post_send(work_request::write(from, c.client.peer_memory()));
  };
  for (int i = 0; i < 1500; ++i) service.poll_one();  // 41 queues: all become quiet
  write(p);
  for (int i = 0; i < 2000; ++i) service.poll_one();  // it is found, and busy from now on
  service.probe(true);
  const std::uint64_t before = service.statistics().polls;
  for (int i = 0; i < 8000; ++i) service.poll_one();
  // The busy one each time, a quiet one at every eighth, and a sleeping one now and then.
  BOOST_TEST(service.statistics().polls - before <= 8000u + 8000 / 8 + 8000 / 256 + 2);
  service.probe(false);
  // Quiet and asleep, each is found again, and again when it was found before.
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < idle.size(); ++i) {
      write(*idle[i]);
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (found[i] == round && std::chrono::steady_clock::now() < end) service.poll_one();
      BOOST_TEST(found[i] == round + 1);
    }
    for (int i = 0; i < 5000; ++i) service.poll_one();
  }
  // Those that are asleep may be closed, and removed.
  for (std::size_t i = 0; i < idle.size(); ++i) {
    if (i % 2 == 0) idle[i]->client.close();
    else service.remove(idle[i]->client);
  }
  bool done = false;
  idle[1]->client.async_write_remote(idle[1]->client_memory.slice(0, 8), idle[1]->client.peer_memory(),
                                     [&](const error_code& ec, const work_completion&) { done = !ec; });
  idle[1]->context.run();
  BOOST_TEST(done);
  service.run_for(std::chrono::milliseconds(1));
}

BOOST_AUTO_TEST_CASE(closed_and_removed_connections_are_forgotten) {
  connected_pair p;
  polling_service service(p.context);
  service.add(p.client);
  service.add(p.server);
  service.remove(p.client);
  bool done = false;
  // Armed again, it is served by the io_context.
  p.client.async_write_remote(p.client_memory.slice(0, 8), p.client.peer_memory(),
                              [&](const error_code& ec, const work_completion&) { done = !ec; });
  p.context.run();
  BOOST_TEST(done);
  p.server.close();
  service.run_for(std::chrono::milliseconds(1));
}

BOOST_AUTO_TEST_CASE(a_thread_is_pinned) {
  error_code ec;
  polling_service::pin(-1, ec);
  BOOST_TEST((ec == boost::system::errc::invalid_argument));
  std::thread([] {
    cpu_set_t allowed;
    BOOST_TEST(::sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    int cpu = 0;
    while (!CPU_ISSET(static_cast<unsigned>(cpu), &allowed)) ++cpu;
    polling_service::pin(cpu);
    BOOST_TEST(::sched_getcpu() == cpu);
  }).join();
}

BOOST_AUTO_TEST_SUITE_END()
