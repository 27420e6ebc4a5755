// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <future>
#include <memory>

BOOST_AUTO_TEST_SUITE(echo)

BOOST_AUTO_TEST_CASE(synchronous_calls_need_nobody_to_run_the_context) {
  connected_pair p;
  for (int i = 0; i < 10; ++i) {
    write_string(p.client, "to the server");
    BOOST_TEST(read_string(p.server, 13) == "to the server");
    write_string(p.server, "to the client");
    BOOST_TEST(read_string(p.client, 13) == "to the client");
  }
  BOOST_TEST(p.context.poll() == 0u);
}

BOOST_AUTO_TEST_CASE(callbacks) {
  connected_pair p;
  std::string request = "request", at_server(7, '\0'), at_client(7, '\0');
  int rounds = 0;
  std::function<void()> start_round = [&] {
    asio::async_write(p.client, asio::buffer(request), [&](error_code ec, std::size_t n) {
      BOOST_TEST(!ec);
      BOOST_TEST(n == 7u);
    });
    asio::async_read(p.server, asio::buffer(at_server), [&](error_code ec1, std::size_t) {
      BOOST_TEST(!ec1);
      asio::async_write(p.server, asio::buffer(at_server), [](error_code ec, std::size_t) { BOOST_TEST(!ec); });
    });
    asio::async_read(p.client, asio::buffer(at_client), [&](error_code ec, std::size_t) {
      BOOST_TEST(!ec);
      BOOST_TEST(at_client == request);
      if (++rounds < 100) start_round();
    });
  };
  start_round();
  p.context.run();
  BOOST_TEST(rounds == 100);
}

BOOST_AUTO_TEST_CASE(futures) {
  connected_pair p;
  auto work = asio::make_work_guard(p.context);
  scoped_thread runner([&] { p.context.run(); });
  std::string text(5, '\0');
  auto read = asio::async_read(p.server, asio::buffer(text), asio::use_future);
  auto written = asio::async_write(p.client, asio::buffer("hello", 5), asio::use_future);
  BOOST_TEST(written.get() == 5u);
  BOOST_TEST(read.get() == 5u);
  BOOST_TEST(text == "hello");

  p.client.close();
  auto at_end =
      p.server.async_read_some(asio::buffer(text), asio::use_future([](error_code ec, std::size_t) { return ec; }));
  BOOST_TEST(at_end.get() == asio::error::eof);
  work.reset();
}

BOOST_AUTO_TEST_CASE(read_until_a_line_ends) {
  connected_pair p;
  write_string(p.client, "one\ntwo\n");
  std::string data;
  BOOST_TEST(asio::read_until(p.server, asio::dynamic_buffer(data), '\n') == 4u);
  BOOST_TEST(data.substr(0, 4) == "one\n");
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

// GCC 12 takes the allocation functions of Asio's coroutines for a mismatched pair.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

asio::awaitable<void> echo_until_eof(rc::socket s) {
  char data[1024];
  for (;;) {
    const auto [ec, n] = co_await s.async_read_some(asio::buffer(data), asio::as_tuple(asio::use_awaitable));
    if (ec) {
      BOOST_TEST(ec == asio::error::eof);
      co_return;
    }
    co_await asio::async_write(s, asio::buffer(data, n), asio::use_awaitable);
  }
}

asio::awaitable<void> ask(rc::endpoint server, int& answers) {
  rc::socket s(co_await asio::this_coro::executor);
  co_await s.async_connect(server, asio::use_awaitable);
  for (int i = 0; i < 20; ++i) {
    const std::string question = "question " + std::to_string(i);
    co_await asio::async_write(s, asio::buffer(question), asio::use_awaitable);
    std::string answer(question.size(), '\0');
    co_await asio::async_read(s, asio::buffer(answer), asio::use_awaitable);
    BOOST_TEST(answer == question);
    ++answers;
  }
}

BOOST_AUTO_TEST_CASE(coroutines) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  int answers = 0;
  asio::co_spawn(
      context,
      [&]() -> asio::awaitable<void> {
        for (int i = 0; i < 3; ++i) {
          asio::co_spawn(context, echo_until_eof(co_await acceptor.async_accept(asio::use_awaitable)), asio::detached);
        }
      },
      asio::detached);
  for (int i = 0; i < 3; ++i) asio::co_spawn(context, ask(acceptor.local_endpoint(), answers), asio::detached);
  context.run();
  BOOST_TEST(answers == 60);
}

#endif

BOOST_AUTO_TEST_SUITE_END()
