// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <asio_rdma/pipeline.hpp>

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace {

std::chrono::nanoseconds cpu_time(pthread_t thread) {
  clockid_t clock;
  timespec t{};
  BOOST_TEST_REQUIRE(::pthread_getcpuclockid(thread, &clock) == 0);
  ::clock_gettime(clock, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

/// A thread that sleeps in epoll_wait until it is told to end.
class sleeper {
public:
  sleeper() : event_(::eventfd(0, 0)), thread_([this] { sleep(); }) {}
  ~sleeper() {
    ::eventfd_write(event_, 1);
    thread_.join();
    ::close(event_);
  }
  std::chrono::nanoseconds used() { return cpu_time(thread_.native_handle()); }

private:
  void sleep() {
    const int epoll = ::epoll_create1(0);
    epoll_event e{};
    e.events = EPOLLIN;
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, event_, &e);
    while (::epoll_wait(epoll, &e, 1, -1) < 0) {
    }
    ::close(epoll);
  }

  int event_;
  std::thread thread_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(one_sided)

BOOST_AUTO_TEST_CASE(sixteen_reads_at_a_time_while_the_peer_sleeps) {
  constexpr std::size_t piece = 4096, pieces = 16, rounds = 64;
  connected_pair p({}, piece * pieces);
  BOOST_TEST(p.client.limits().read_depth == 16u);
  BOOST_TEST(p.server.limits().peer_read_depth == 16u);
  for (std::size_t i = 0; i < pieces * piece; ++i) p.server_memory.data()[i] = static_cast<std::byte>(i * 7 >> 3);
  std::vector<local_buffer> to;
  for (std::size_t i = 0; i < pieces; ++i) to.push_back(p.client_memory.slice(i * piece, piece));
  sleeper peer;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until it sleeps
  const auto before = peer.used();
  error_code ec;
  const auto done = asio_rdma::pipeline(
      p.client, pieces * rounds, 16,
      [&](std::uint64_t i) {
        return work_request::read(to[i % pieces], p.client.peer_memory().at(i % pieces * piece));
      },
      ec);
  BOOST_TEST(!ec, ec.message());
  BOOST_TEST(done == pieces * rounds);
  BOOST_TEST(std::memcmp(p.client_memory.data(), p.server_memory.data(), pieces * piece) == 0);
  // And written back, 16 at a time, behind a fence.
  p.client_memory.data()[5] = std::byte{99};
  const auto written = asio_rdma::pipeline(
      p.client, pieces, 16,
      [&](std::uint64_t i) {
        return work_request::write(to[i], p.client.peer_memory().at(i * piece)).fence();
      },
      ec);
  BOOST_TEST(!ec, ec.message());
  BOOST_TEST(written == pieces);
  BOOST_TEST((p.server_memory.data()[5] == std::byte{99}));
  const auto used = peer.used() - before;
  BOOST_TEST_MESSAGE("the sleeping peer used " << used.count() << " ns of CPU time for " << pieces * rounds
                                               << " reads of " << piece << " bytes");
  BOOST_TEST(used.count() == 0);
}

BOOST_AUTO_TEST_CASE(eight_connections_add_to_one_counter_and_lose_nothing) {
  constexpr int connections = 8;
  constexpr std::uint64_t adds = 500;
  asio::io_context context;
  raw_acceptor acceptor(context, any_port());
  std::vector<std::unique_ptr<raw_connection>> clients, servers;
  registered_memory counter;
  for (int i = 0; i < connections; ++i) {
    clients.push_back(std::make_unique<raw_connection>(context));
    servers.push_back(std::make_unique<raw_connection>(context));
    raw_connection& c = *clients.back();
    raw_connection& s = *servers.back();
    std::thread asking([&] { c.connect(acceptor.local_endpoint()); });
    acceptor.accept_request(s);
    if (!counter) counter = s.register_memory(64);  // known to all connections of the device
    s.offer(counter.offer(8, 8));
    s.establish();
    asking.join();
  }
  std::vector<std::thread> threads;
  std::vector<error_code> results(connections);
  for (int i = 0; i < connections; ++i) {
    threads.emplace_back([&, i] {
      raw_connection& c = *clients[static_cast<std::size_t>(i)];
      const registered_memory memory = c.register_memory(8);
      const local_buffer result = memory.slice(0, 8);
      asio_rdma::pipeline(
          c, adds, 8, [&](std::uint64_t) { return work_request::fetch_and_add(result, c.peer_memory(), 1); },
          results[static_cast<std::size_t>(i)]);
    });
  }
  for (auto& t : threads) t.join();
  for (const error_code& ec : results) BOOST_TEST(!ec, ec.message());
  BOOST_TEST(*counter.as<std::uint64_t>(8) == connections * adds);
}

BOOST_AUTO_TEST_CASE(an_offer_can_follow_in_a_message) {
  connected_pair p;
  const registered_memory later = p.server.register_memory(128);
  const local_buffer to = p.client_memory.slice(0, remote_memory::encoded_size);
  p.client.post_receive(receive_request(to));
  unsigned char text[remote_memory::encoded_size];
  later.offer(64, 64).encode(text);
  const auto from = local_buffer::unregistered(text, sizeof text);
  p.server.post_send(work_request::send(from).inline_data());
  next_good(p.server);
  next_good(p.client);
  const remote_memory there = remote_memory::decode(p.client_memory.data());
  BOOST_TEST(there.address == later.device_address() + 64);
  BOOST_TEST(there.length == 64u);
  *p.client_memory.as<std::uint64_t>() = 12345;
  const local_buffer value = p.client_memory.slice(0, 8);
  p.client.post_send(work_request::write(value, there.at(8)));
  next_good(p.client);
  BOOST_TEST(*later.as<std::uint64_t>(72) == 12345u);
}

BOOST_AUTO_TEST_CASE(compare_and_swap_and_write_with_immediate) {
  connected_pair p;
  *p.server_memory.as<std::uint64_t>(16) = 5;
  const local_buffer result = p.client_memory.slice(0, 8);
  p.client.post_send(work_request::compare_and_swap(result, p.client.peer_memory().at(16), 4, 9));
  next_good(p.client);
  BOOST_TEST(*p.client_memory.as<std::uint64_t>() == 5u);
  BOOST_TEST(*p.server_memory.as<std::uint64_t>(16) == 5u);
  p.client.post_send(work_request::compare_and_swap(result, p.client.peer_memory().at(16), 5, 9));
  next_good(p.client);
  BOOST_TEST(*p.server_memory.as<std::uint64_t>(16) == 9u);
  p.server.post_receive(receive_request().with_id(3));
  p.client.post_send(work_request::write(result, p.client.peer_memory()).with_immediate(1234));
  next_good(p.client);
  const work_completion told = next_good(p.server);
  BOOST_TEST(told.id() == 3u);
  BOOST_TEST(told.immediate() == 1234u);
  BOOST_TEST(told.bytes() == 8u);
}

BOOST_AUTO_TEST_SUITE_END()
