// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"
#include "heap_counter.hpp"
#include "tracking.hpp"

#include <algorithm>
#include <limits>

BOOST_AUTO_TEST_SUITE(allocation)

/// Two sockets that throw a ball to and fro.
template <class Socket>
struct game {
  game(Socket& a, Socket& b) : from(&a), to(&b) {}

  void play() {
    asio::async_write(*from, asio::buffer(ball), [](error_code, std::size_t) {});
    asio::async_read(*to, asio::buffer(ball), [this](error_code ec, std::size_t) {
      if (ec) return;
      std::swap(from, to);
      if (++rounds == 100) before = heap_allocations();
      if (rounds < 1100) return play();
      taken = heap_allocations() - before;
    });
  }

  Socket *from, *to;
  std::array<char, 64> ball{};
  int rounds = 0;
  std::size_t before = 0, taken = 1;
};

BOOST_AUTO_TEST_CASE(operations_take_nothing_from_the_heap) {
  connected_pair p;
  game<rc::socket> g(p.client, p.server);
  g.play();
  p.context.run();
  BOOST_TEST(g.rounds == 1100);
  BOOST_TEST(g.taken == 0u);
}

BOOST_AUTO_TEST_CASE(nor_with_the_executors_type_known) {
  using socket_type = rc::socket::rebind_executor<asio::io_context::executor_type>::other;
  connected_pair p;
  socket_type a(p.context, rc::v4(), p.client.release()), b(p.context, rc::v4(), p.server.release());
  game<socket_type> g(a, b);
  g.play();
  p.context.run();
  BOOST_TEST(g.taken == 0u);
}

/// How much memory a composed operation takes from its handler's allocator, on TCP's sockets and on ours.
struct composed_handler {
  using allocator_type = arena_allocator<char>;
  allocator_type get_allocator() const noexcept { return allocator_type(*a); }
  template <class... Results>
  void operator()(error_code ec, Results&&...) const {
    BOOST_TEST(!ec);
    BOOST_TEST(a->out == 0);
    *done = true;
  }
  arena* a;
  bool* done;
};

struct costs {
  int read = 0, write = 0, read_until = 0, connect = 0;
};

template <class Protocol>
costs costs_of_composed_operations() {
  using executor_type = asio::io_context::executor_type;
  using socket_type = typename Protocol::socket::template rebind_executor<executor_type>::other;
  asio::io_context context;
  typename Protocol::acceptor::template rebind_executor<executor_type>::other acceptor(
      context, typename Protocol::endpoint(test_address(), 0));
  socket_type client(context), server(context);
  arena a;
  const auto cost = [&](auto&& start, auto&& meanwhile) {
    bool done = false;
    a.taken = 0;
    start(composed_handler{&a, &done});
    context.restart();
    context.poll();
    meanwhile();
    context.restart();
    while (!done) context.run_one();
    return a.taken;
  };
  costs result;
  const std::vector<typename Protocol::endpoint> candidates{acceptor.local_endpoint()};
  // The least of some: one that is established while it is being started takes its memory a second time, to be posted.
  result.connect = std::numeric_limits<int>::max();
  for (int i = 0; i < 10; ++i) {
    server.close();
    const auto start = [&](auto handler) { asio::async_connect(client, candidates, std::move(handler)); };
    result.connect = std::min(result.connect, cost(start, [] {}));
    acceptor.accept(server);
  }
  std::string data(100, 'x'), line = "until the end\n", text;
  text.reserve(1000);
  // Once it is there half, once the rest.
  result.read = cost([&](auto handler) { asio::async_read(server, asio::buffer(data), std::move(handler)); },
                     [&] {
                       asio::write(client, asio::buffer(data.data(), 50));
                       context.restart();
                       context.poll();
                       asio::write(client, asio::buffer(data.data(), 50));
                     });
  result.write = cost([&](auto handler) { asio::async_write(server, asio::buffer(data), std::move(handler)); }, [] {});
  result.read_until =
      cost([&](auto handler) { asio::async_read_until(server, asio::dynamic_buffer(text), '\n', std::move(handler)); },
           [&] { asio::write(client, asio::buffer(line)); });
  return result;
}

BOOST_AUTO_TEST_CASE(composed_operations_take_no_more_than_over_tcp) {
  const costs tcp = costs_of_composed_operations<asio::ip::tcp>(), ours = costs_of_composed_operations<rc>();
  BOOST_TEST_MESSAGE("allocations over TCP: read "
                     << tcp.read << ", write " << tcp.write << ", read_until " << tcp.read_until << ", connect "
                     << tcp.connect << "; over RDMA: read " << ours.read << ", write " << ours.write << ", read_until "
                     << ours.read_until << ", connect " << ours.connect);
  BOOST_TEST(tcp.read > 0);
  BOOST_TEST(ours.read <= tcp.read);
  BOOST_TEST(ours.write <= tcp.write);
  BOOST_TEST(ours.read_until <= tcp.read_until);
  BOOST_TEST(ours.connect <= tcp.connect);
}

BOOST_AUTO_TEST_SUITE_END()
