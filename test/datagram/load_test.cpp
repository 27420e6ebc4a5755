// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "device_counts.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <vector>

namespace {

/// What the device delivered to a socket was read, waits, or was dropped for a reason that is counted.
void check_balance(const asio_rdma::socket_statistics& s) {
  const auto& d = s.datagrams;
  BOOST_TEST(s.counters.messages_received ==
             s.counters.reads + d.unread + d.dropped_foreign + d.dropped_filtered + d.dropped_closed);
}

/// Sends back what comes, for ever.
struct echo_server {
  explicit echo_server(asio::io_context& context) : socket(context, any_port()) { receive(); }

  void receive() {
    socket.async_receive_from(asio::buffer(data), from, [this](error_code ec, std::size_t n) {
      if (ec) return;
      ++answered;
      socket.async_send_to(asio::buffer(data, n), from, [this](error_code e, std::size_t) {
        if (!e) receive();
      });
    });
  }

  ud::socket socket;
  ud::endpoint from;
  char data[2000];
  std::size_t answered = 0;
};

/// Asks a number of times, each question when the one before was answered.
struct client {
  client(asio::io_context& context, const ud::endpoint& to, int number)
      : socket(context, any_port()), server(to), name(std::to_string(number)) {}

  void ask(int questions) {
    left = questions;
    ask();
  }
  void ask() {
    if (left == 0) return;
    question = name + "/" + std::to_string(left);
    socket.async_send_to(asio::buffer(question), server, [](error_code, std::size_t) {});
    socket.async_receive_from(asio::buffer(answer), from, [this](error_code ec, std::size_t n) {
      if (ec) return;
      right += std::string(answer, n) == question && from == server;
      --left;
      ask();
    });
  }

  ud::socket socket;
  ud::endpoint server, from;
  std::string name, question;
  char answer[100];
  int left = 0;
  int right = 0;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(load)

BOOST_AUTO_TEST_CASE(a_hundred_clients_and_one_server_lose_nothing) {
  constexpr int questions = 20;
  asio::io_context context;
  echo_server server(context);
  std::vector<std::unique_ptr<client>> clients;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(std::make_unique<client>(context, server.socket.local_endpoint(), i));
  }
  const auto ask = [&](int count) {
    for (const auto& c : clients) c->ask(count);
    const auto done = [&] {
      return std::all_of(clients.begin(), clients.end(), [](const auto& c) { return c->left == 0; });
    };
    run_until(context, done, std::chrono::minutes(3));
  };
  ask(1);  // all have found the server then, and the device has nothing to count but what follows
  const std::string device = asio_rdma::device_name(server.socket);
  const auto before = counts_of_device(device);
  ask(questions - 1);
  if (before) {
    const device_counts d = *counts_of_device(device) - *before;
    BOOST_TEST(d.sent == 2u * 100 * (questions - 1));
    BOOST_TEST(d.delivered == d.sent);
    BOOST_TEST(d.lost == 0u);
  }
  std::uint64_t sent = 0, received = 0;
  for (const auto& c : clients) {
    BOOST_TEST(c->right == questions);
    const auto s = asio_rdma::statistics(c->socket);
    sent += s.counters.messages_sent;
    received += s.counters.messages_received;
    check_balance(s);
  }
  const auto s = asio_rdma::statistics(server.socket);
  check_balance(s);
  BOOST_TEST(sent == 100u * questions);
  BOOST_TEST(s.counters.messages_received == sent);
  BOOST_TEST(s.counters.messages_sent == received);
  BOOST_TEST(server.answered == sent);
  BOOST_TEST(s.datagrams.peers == 100u);
  BOOST_TEST(s.datagrams.lookups == 0u);
}

BOOST_AUTO_TEST_CASE(one_sender_and_a_hundred_receivers) {
  constexpr int each = 10;
  asio::io_context context;
  ud::socket sender(context, any_port());
  std::vector<std::unique_ptr<ud::socket>> receivers;
  for (int i = 0; i < 100; ++i) receivers.push_back(std::make_unique<ud::socket>(context, any_port()));
  for (int i = 0; i < each; ++i) {
    for (const auto& r : receivers) sender.send_to(asio::buffer(std::to_string(i)), r->local_endpoint());
  }
  for (const auto& r : receivers) {
    std::set<std::string> all;
    for (int i = 0; i < each; ++i) all.insert(receive_string(*r));
    BOOST_TEST(all.size() == static_cast<std::size_t>(each));
    check_balance(asio_rdma::statistics(*r));
  }
  const auto s = asio_rdma::statistics(sender);
  BOOST_TEST(s.datagrams.lookups == 100u);
  BOOST_TEST(s.counters.messages_sent == 100u * each);
}

BOOST_AUTO_TEST_CASE(reader_and_writer_on_one_socket_lose_nothing_to_each_other) {
  constexpr int total = 3000, window = 48;
  two_sockets p;
  std::atomic<int> answered{0};
  std::atomic<bool> failed{false};
  std::thread echo([&] {
    char data[64];
    ud::endpoint from;
    for (int i = 0; i < total; ++i) p.b.send_to(asio::buffer(data, p.b.receive_from(asio::buffer(data), from)), from);
  });
  std::thread reader([&] {
    char data[64];
    ud::endpoint from;
    for (int i = 0; i < total; ++i) {
      const std::size_t n = p.a.receive_from(asio::buffer(data), from);
      if (std::string(data, n) != std::to_string(i)) failed = true;
      ++answered;
    }
  });
  for (int i = 0; i < total; ++i) {
    while (i - answered > window) std::this_thread::yield();
    p.a.send_to(asio::buffer(std::to_string(i)), p.to_b);
  }
  reader.join();
  echo.join();
  BOOST_TEST(!failed);
  for (ud::socket* socket : {&p.a, &p.b}) {
    const auto s = asio_rdma::statistics(*socket);
    check_balance(s);
    BOOST_TEST(s.counters.messages_received == static_cast<unsigned>(total));
    BOOST_TEST(s.counters.messages_sent == static_cast<unsigned>(total));
  }
}

BOOST_AUTO_TEST_CASE(asynchronous_reader_and_synchronous_writer) {
  constexpr int total = 2000;
  two_sockets p;
  auto work = asio::make_work_guard(p.context);
  std::atomic<int> received{0};
  std::string data(64, '\0');
  ud::endpoint from;
  std::function<void()> receive = [&] {
    p.b.async_receive_from(asio::buffer(data), from, [&](error_code ec, std::size_t n) {
      if (ec) return;
      ++received;  // before the writer can have its answer
      p.b.send_to(asio::buffer(data, n), from);
      receive();
    });
  };
  receive();
  std::thread runner([&] { p.context.run(); });
  for (int i = 0; i < total; ++i) {
    p.a.send_to(asio::buffer(std::to_string(i)), p.to_b);
    char answer[64];
    const std::size_t n = p.a.receive(asio::buffer(answer));
    if (std::string(answer, n) != std::to_string(i)) {
      BOOST_ERROR("wrong answer");
      break;
    }
  }
  BOOST_TEST(received == total);
  asio::post(p.context, [&] { p.b.close(); });
  work.reset();
  runner.join();
}

BOOST_AUTO_TEST_CASE(what_finds_no_room_is_lost_as_with_udp_and_the_rest_is_in_order) {
  two_sockets p;
  p.a.send_to(asio::buffer("first", 5), p.to_b);
  BOOST_TEST(receive_string(p.b) == "first");
  constexpr int total = 1000;
  for (int i = 0; i < total; ++i) p.a.send_to(asio::buffer(std::to_string(1000 + i)), p.to_b);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  p.b.non_blocking(true);
  std::string last;
  int received = 0;
  for (;;) {
    char data[64];
    error_code ec;
    const std::size_t n = p.b.receive(asio::buffer(data), 0, ec);
    if (ec == asio::error::would_block) break;
    BOOST_REQUIRE(!ec);
    const std::string text(data, n);
    BOOST_TEST(last < text);
    last = text;
    ++received;
  }
  asio_rdma::queue_depth depth;
  p.b.get_option(depth);
  BOOST_TEST(received >= depth.value());
  // There is room again.
  p.a.send_to(asio::buffer("again", 5), p.to_b);
  BOOST_TEST(receive_string(p.b) == "again");
  check_balance(asio_rdma::statistics(p.b));
}

BOOST_AUTO_TEST_CASE(more_first_datagrams_than_may_wait_are_dropped_and_counted_or_wait_for_the_one_peer) {
  two_sockets p;
  constexpr int total = 300;
  for (int i = 0; i < total; ++i) p.a.send_to(asio::buffer(std::to_string(i)), p.to_b);
  int received = 0;
  while (!is_silent(p.b)) {
    (void)receive_string(p.b);
    ++received;
  }
  const auto s = asio_rdma::statistics(p.a);
  BOOST_TEST(s.counters.writes == static_cast<unsigned>(total));
  BOOST_TEST(s.counters.messages_sent + s.datagrams.dropped_waiting == static_cast<unsigned>(total));
  BOOST_TEST(static_cast<std::uint64_t>(received) <= s.counters.messages_sent);
  // One that is connected waits.
  ud::socket c(p.context, any_port());
  c.connect(p.to_b);
  for (int i = 0; i < total; ++i) c.send(asio::buffer(std::to_string(i)));
  const auto t = asio_rdma::statistics(c);
  BOOST_TEST(t.datagrams.dropped_waiting == 0u);
  while (!is_silent(p.b)) (void)receive_string(p.b);
}

BOOST_AUTO_TEST_CASE(many_sends_at_a_time_keep_their_order) {
  constexpr std::size_t total = 500;  // the device takes 128 of them
  two_sockets p;
  ud::socket large(p.context, ud::v4());
  large.set_option(ud::socket::receive_buffer_size(4 << 20));
  large.bind(any_port());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i != total; ++i) texts.push_back(std::to_string(i));
  std::vector<std::size_t> completed;
  p.a.connect(large.local_endpoint());  // what has no room waits then
  for (std::size_t i = 0; i != total; ++i) {
    p.a.async_send(asio::buffer(texts[i]), [&, i](error_code ec, std::size_t) {
      BOOST_TEST(!ec);
      completed.push_back(i);
    });
  }
  run_until(p.context, [&] { return completed.size() == total; });
  BOOST_TEST(std::is_sorted(completed.begin(), completed.end()));
  for (const std::string& text : texts) BOOST_TEST(receive_string(large) == text);
}

BOOST_AUTO_TEST_CASE(buffer_sizes_make_room) {
  asio::io_context context;
  ud::socket large(context, ud::v4());
  large.set_option(ud::socket::receive_buffer_size(4 << 20));
  large.bind(any_port());
  asio_rdma::queue_depth depth;
  large.get_option(depth);
  BOOST_TEST(depth.value() >= 1000);
  ud::socket sender(context, any_port());
  sender.send_to(asio::buffer("first", 5), large.local_endpoint());
  BOOST_TEST(receive_string(large) == "first");
  for (int i = 0; i < 900; ++i) sender.send_to(asio::buffer(std::to_string(i)), large.local_endpoint());
  for (int i = 0; i < 900; ++i) BOOST_TEST(receive_string(large) == std::to_string(i));
  error_code ec;
  large.set_option(asio_rdma::queue_depth(64), ec);
  BOOST_TEST(ec == asio::error::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
