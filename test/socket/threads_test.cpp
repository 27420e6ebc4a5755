// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>

BOOST_AUTO_TEST_SUITE(threads)

/// Sends back what comes, on synchronous calls, until eof.
void echo(rc::socket& s) {
  std::vector<char> data(64 << 10);
  error_code ec;
  for (;;) {
    const std::size_t n = s.read_some(asio::buffer(data), ec);
    if (ec) break;
    asio::write(s, asio::buffer(data, n), ec);
    if (ec) break;
  }
  LOCKED_TEST(ec == asio::error::eof);
  s.shutdown(rc::socket::shutdown_send, ec);
}

BOOST_AUTO_TEST_CASE(synchronous_read_beside_an_asynchronous_write_on_another_thread) {
  connected_pair p;
  scoped_thread server([&] { echo(p.server); });
  const auto sent = pattern(4 << 20);
  std::vector<unsigned char> received(sent.size());
  asio::async_write(p.client, asio::buffer(sent), [](error_code ec, std::size_t) { LOCKED_TEST(!ec); });
  scoped_thread runner([&] { p.context.run(); });
  asio::read(p.client, asio::buffer(received));
  p.client.shutdown(rc::socket::shutdown_send);
  LOCKED_TEST((received == sent));
}

BOOST_AUTO_TEST_CASE(synchronous_write_beside_an_asynchronous_read_on_another_thread) {
  connected_pair p;
  scoped_thread server([&] { echo(p.server); });
  const auto sent = pattern(4 << 20);
  std::vector<unsigned char> received(sent.size());
  asio::async_read(p.client, asio::buffer(received), [](error_code ec, std::size_t) { LOCKED_TEST(!ec); });
  scoped_thread runner([&] { p.context.run(); });
  asio::write(p.client, asio::buffer(sent));
  runner.join();
  p.client.shutdown(rc::socket::shutdown_send);
  LOCKED_TEST((received == sent));
}

BOOST_AUTO_TEST_CASE(synchronous_calls_serve_what_waits_though_nobody_runs_the_context) {
  connected_pair p;
  scoped_thread server([&] { echo(p.server); });
  const auto sent = pattern(4 << 20);
  std::vector<unsigned char> received(sent.size());
  std::size_t at = 0;
  std::function<void(error_code, std::size_t)> write_on = [&](error_code ec, std::size_t n) {
    LOCKED_TEST(!ec);
    at += n;
    if (at < sent.size()) p.client.async_write_some(asio::buffer(sent.data() + at, sent.size() - at), write_on);
  };
  write_on({}, 0);
  // Reads wait on this thread; between them it lets the writes go on.
  for (std::size_t read = 0; read < received.size();) {
    p.context.restart();
    p.context.poll();
    read += p.client.read_some(asio::buffer(received.data() + read, received.size() - read));
  }
  run(p.context);
  p.client.shutdown(rc::socket::shutdown_send);
  LOCKED_TEST((received == sent));
}

/// Writes until the peer's ring and our own memory are full; the number of bytes.
std::size_t fill(rc::socket& s, const std::vector<unsigned char>& data) {
  s.non_blocking(true);
  std::size_t filled = 0;
  for (error_code ec; !ec;) filled += s.write_some(asio::buffer(data) + filled, ec);
  return filled;
}

BOOST_AUTO_TEST_CASE(written_bytes_arrive_though_an_operation_waits_and_nobody_runs_the_context) {
  connected_pair p;
  const auto sent = pattern(4 << 20);
  const std::size_t filled = fill(p.client, sent);
  char c = 0;
  p.client.async_read_some(asio::buffer(&c, 1), [](error_code ec, std::size_t) { BOOST_TEST(!ec); });
  std::vector<unsigned char> received(filled);
  asio::read(p.server, asio::buffer(received));
  BOOST_TEST(std::equal(received.begin(), received.end(), sent.begin()));
  // The operation has missed nothing.
  write_string(p.server, "x");
  p.context.run();
  BOOST_TEST(c == 'x');
}

BOOST_AUTO_TEST_CASE(written_bytes_arrive_while_a_handler_blocks_the_context) {
  connected_pair p;
  const auto sent = pattern(4 << 20);
  const std::size_t filled = fill(p.client, sent);
  char c = 0;
  bool called = false;
  p.client.async_read_some(asio::buffer(&c, 1), [&](error_code ec, std::size_t) { called = !ec; });
  asio::post(p.context, [&] {
    std::vector<unsigned char> received(filled);
    asio::read(p.server, asio::buffer(received));
    BOOST_TEST(std::equal(received.begin(), received.end(), sent.begin()));
    write_string(p.server, "x");
  });
  p.context.run();
  BOOST_TEST(called);
  BOOST_TEST(c == 'x');
}

BOOST_AUTO_TEST_CASE(blocked_reader_and_writer_on_one_socket) {
  connected_pair p;
  scoped_thread server([&] { echo(p.server); });
  const auto sent = pattern(4 << 20);
  std::vector<unsigned char> received(sent.size());
  scoped_thread writer([&] {
    asio::write(p.client, asio::buffer(sent));
    p.client.shutdown(rc::socket::shutdown_send);
  });
  asio::read(p.client, asio::buffer(received));
  LOCKED_TEST((received == sent));
}

/// A pair of sockets that exchange messages, each side strictly in turn.
class conversation : public std::enable_shared_from_this<conversation> {
public:
  conversation(asio::io_context& c, std::atomic<int>& rounds) : a_(c), b_(c), rounds_(rounds) { connect_pair(a_, b_); }
  void start() { speak(a_, a_data_, b_, b_data_, 200); }

private:
  using data = std::array<char, 100>;
  void speak(rc::socket& from, data& sent, rc::socket& to, data& received, int left) {
    asio::async_write(from, asio::buffer(sent),
                      [self = shared_from_this()](error_code ec, std::size_t) { LOCKED_TEST(!ec); });
    asio::async_read(to, asio::buffer(received),
                     [this, self = shared_from_this(), &from, &sent, &to, &received, left](error_code ec, std::size_t) {
                       LOCKED_TEST(!ec);
                       ++rounds_;
                       if (left > 1) speak(to, received, from, sent, left - 1);
                     });
  }

  rc::socket a_, b_;
  data a_data_{}, b_data_{};
  std::atomic<int>& rounds_;
};

BOOST_AUTO_TEST_CASE(many_sockets_on_a_context_that_several_threads_run) {
  asio::io_context context;
  std::atomic<int> rounds{0};
  for (int i = 0; i < 8; ++i) std::make_shared<conversation>(context, rounds)->start();
  {
    scoped_thread t1([&] { context.run(); }), t2([&] { context.run(); }), t3([&] { context.run(); });
    context.run();
  }
  LOCKED_TEST(rounds == 8 * 200);
}

BOOST_AUTO_TEST_CASE(several_threads_accept_from_one_acceptor) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  std::vector<std::unique_ptr<scoped_thread>> threads;
  for (int i = 0; i < 3; ++i) {
    threads.push_back(std::make_unique<scoped_thread>([&] {
      rc::socket s = acceptor.accept();
      write_string(s, "hello");
    }));
  }
  for (int i = 0; i < 3; ++i) {
    rc::socket s(context);
    s.connect(acceptor.local_endpoint());
    LOCKED_TEST(read_string(s, 5) == "hello");
  }
}

BOOST_AUTO_TEST_CASE(handlers_of_one_socket_do_not_wait_for_each_other) {
  connected_pair p;
  char c = 0;
  std::promise<void> second_called;
  p.server.async_read_some(asio::buffer(&c, 1), [&](error_code, std::size_t) { second_called.get_future().wait(); });
  p.server.async_wait(rc::socket::wait_read, [&](error_code) { second_called.set_value(); });
  p.context.poll();
  write_string(p.client, "xy");
  p.context.restart();
  scoped_thread t1([&] { p.context.run(); }), t2([&] { p.context.run(); });
  t1.join();
  t2.join();
  BOOST_TEST(c == 'x');
}

BOOST_AUTO_TEST_SUITE_END()
