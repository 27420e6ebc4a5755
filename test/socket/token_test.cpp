// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Asio's completion tokens on our sockets; callbacks and futures are in echo_test.cpp.

#define BOOST_COROUTINES_NO_DEPRECATION_WARNING

#include "fixture.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/spawn.hpp>

#include <chrono>
#include <future>
#include <optional>
#include <variant>

// GCC 12 takes the allocation functions of Asio's coroutines for a mismatched pair.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

BOOST_AUTO_TEST_SUITE(tokens)

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(future_throws_what_went_wrong) {
  asio::io_context context;
  rc::socket s(context);
  auto connected = s.async_connect(deserted_endpoint(), asio::use_future);
  context.run();
  BOOST_CHECK_EXCEPTION(connected.get(), boost::system::system_error,
                        [](const auto& e) { return e.code() == asio::error::connection_refused; });
}

BOOST_AUTO_TEST_CASE(detached) {
  connected_pair p;
  asio::async_write(p.client, asio::buffer("x", 1), asio::detached);
  p.client.async_wait(rc::socket::wait_write, asio::detached);
  p.context.run();
  BOOST_TEST(read_string(p.server, 1) == "x");
}

BOOST_AUTO_TEST_CASE(deferred_starts_when_it_is_called) {
  connected_pair p;
  write_string(p.client, "ab");
  char c = 0, d = 0;
  auto operation = p.server.async_read_some(asio::buffer(&c, 1), asio::deferred);
  BOOST_TEST(p.context.run() == 0u);
  BOOST_TEST(c == 0);
  std::move(operation)([&](error_code ec, std::size_t n) {
    BOOST_TEST(!ec);
    BOOST_TEST(n == 1u);
  });
  run(p.context);
  BOOST_TEST(c == 'a');
  // Two in a row.
  auto both = p.server.async_wait(rc::socket::wait_read, asio::deferred([&](error_code) {
                                    return p.server.async_read_some(asio::buffer(&d, 1), asio::deferred);
                                  }));
  std::move(both)([](error_code ec, std::size_t) { BOOST_TEST(!ec); });
  run(p.context);
  BOOST_TEST(d == 'b');
}

BOOST_AUTO_TEST_CASE(any_completion_handler) {
  connected_pair p;
  char c = 0;
  int calls = 0;
  asio::any_completion_handler<void(error_code, std::size_t)> handler([&](error_code ec, std::size_t) {
    BOOST_TEST(!ec);
    ++calls;
  });
  p.server.async_read_some(asio::buffer(&c, 1), std::move(handler));
  write_string(p.client, "x");
  p.context.run();
  BOOST_TEST(calls == 1);
}

BOOST_AUTO_TEST_CASE(yield_context) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  int done = 0;
  const auto no_exception = [&](std::exception_ptr e) {
    BOOST_TEST(!e);
    ++done;
  };
  asio::spawn(
      context,
      [&](asio::yield_context yield) {
        rc::socket s(context);
        acceptor.async_accept(s, yield);
        std::string text(5, '\0');
        asio::async_read(s, asio::buffer(text), yield);
        asio::async_write(s, asio::buffer(text), yield);
        error_code ec;
        char c = 0;
        BOOST_TEST(s.async_read_some(asio::buffer(&c, 1), yield[ec]) == 0u);
        BOOST_TEST(ec == asio::error::eof);
      },
      no_exception);
  asio::spawn(
      context,
      [&](asio::yield_context yield) {
        rc::socket s(context);
        s.async_connect(acceptor.local_endpoint(), yield);
        asio::async_write(s, asio::buffer("hello", 5), yield);
        std::string text(5, '\0');
        BOOST_TEST(asio::async_read(s, asio::buffer(text), yield) == 5u);
        BOOST_TEST(text == "hello");
        s.async_wait(rc::socket::wait_write, yield);
      },
      no_exception);
  context.run();
  BOOST_TEST(done == 2);
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)

/// Runs a coroutine to its end.
void run_coroutine(asio::io_context& context, asio::awaitable<void> coroutine) {
  std::exception_ptr failure;
  bool done = false;
  asio::co_spawn(context, std::move(coroutine), [&](std::exception_ptr e) {
    failure = e;
    done = true;
  });
  run(context);
  BOOST_TEST(done);
  if (failure) std::rethrow_exception(failure);
}

BOOST_AUTO_TEST_CASE(tokens_as_defaults) {
  using token = asio::use_awaitable_t<>;
  using tuple_token = asio::as_tuple_t<token>;
  using acceptor_type = token::as_default_on_t<rc::acceptor>;
  using socket_type = tuple_token::as_default_on_t<rc::socket>;
  asio::io_context context;
  acceptor_type acceptor(context, any_port());
  run_coroutine(context, [&]() -> asio::awaitable<void> {
    socket_type client(context), server(context);
    const auto [refused] = co_await client.async_connect(deserted_endpoint());
    BOOST_TEST(refused == asio::error::connection_refused);
    const auto [connected] = co_await client.async_connect(acceptor.local_endpoint());
    BOOST_TEST(!connected);
    server = socket_type(co_await acceptor.async_accept());
    const auto [written, count] = co_await asio::async_write(client, asio::buffer("x", 1));
    BOOST_TEST(!written);
    BOOST_TEST(count == 1u);
    char c = 0;
    const auto [waited] = co_await server.async_wait(rc::socket::wait_read);
    BOOST_TEST(!waited);
    const auto [read, size] = co_await server.async_read_some(asio::buffer(&c, 1));
    BOOST_TEST(!read);
    BOOST_TEST(size == 1u);
    BOOST_TEST(c == 'x');
  }());
}

BOOST_AUTO_TEST_CASE(redirected_errors_and_exceptions) {
  connected_pair p;
  p.client.close();
  run_coroutine(p.context, [&]() -> asio::awaitable<void> {
    char c = 0;
    error_code ec;
    co_await p.server.async_read_some(asio::buffer(&c, 1), asio::redirect_error(asio::use_awaitable, ec));
    BOOST_TEST(ec == asio::error::eof);
    bool thrown = false;
    try {
      co_await p.server.async_read_some(asio::buffer(&c, 1), asio::use_awaitable);
    } catch (const boost::system::system_error& e) {
      thrown = e.code() == asio::error::eof;
    }
    BOOST_TEST(thrown);
  }());
}

using namespace asio::experimental::awaitable_operators;

BOOST_AUTO_TEST_CASE(or_cancels_the_loser_promptly) {
  connected_pair p;
  const auto before = std::chrono::steady_clock::now();
  run_coroutine(p.context, [&]() -> asio::awaitable<void> {
    asio::steady_timer timer(p.context, 10ms);
    char c = 0;
    std::string text(10, '\0');
    // A read, a composed read and an accept, which wait for ever.
    auto first = co_await (p.server.async_read_some(asio::buffer(&c, 1), asio::use_awaitable) ||
                           timer.async_wait(asio::use_awaitable));
    BOOST_TEST(first.index() == 1u);
    timer.expires_after(10ms);
    auto second = co_await (asio::async_read(p.server, asio::buffer(text), asio::use_awaitable) ||
                            timer.async_wait(asio::use_awaitable));
    BOOST_TEST(second.index() == 1u);
    rc::acceptor acceptor(p.context, any_port());
    timer.expires_after(10ms);
    auto third = co_await (acceptor.async_accept(asio::use_awaitable) || timer.async_wait(asio::use_awaitable));
    BOOST_TEST(third.index() == 1u);
    timer.expires_after(10ms);
    auto fourth = co_await (p.server.async_wait(rc::socket::wait_error, asio::use_awaitable) ||
                            timer.async_wait(asio::use_awaitable));
    BOOST_TEST(fourth.index() == 1u);
    // And the other way round: the read wins.
    write_string(p.client, "x");
    timer.expires_after(60s);
    auto fifth = co_await (p.server.async_read_some(asio::buffer(&c, 1), asio::use_awaitable) ||
                           timer.async_wait(asio::use_awaitable));
    BOOST_TEST(fifth.index() == 0u);
    BOOST_TEST(c == 'x');
  }());
  BOOST_TEST((std::chrono::steady_clock::now() - before < 20s));
}

BOOST_AUTO_TEST_CASE(and_waits_for_both_and_cancels_what_is_left_of_a_failure) {
  connected_pair p;
  run_coroutine(p.context, [&]() -> asio::awaitable<void> {
    std::string at_server(3, '\0'), at_client(3, '\0');
    write_string(p.client, "abc");
    write_string(p.server, "def");
    co_await (asio::async_read(p.server, asio::buffer(at_server), asio::use_awaitable) &&
              asio::async_read(p.client, asio::buffer(at_client), asio::use_awaitable));
    BOOST_TEST(at_server == "abc");
    BOOST_TEST(at_client == "def");
    p.client.shutdown(rc::socket::shutdown_send);
    error_code failed;
    char c = 0, d = 0;
    try {
      co_await (p.server.async_read_some(asio::buffer(&c, 1), asio::use_awaitable) &&
                p.client.async_read_some(asio::buffer(&d, 1), asio::use_awaitable));
    } catch (const asio::multiple_exceptions& e) {
      try {
        std::rethrow_exception(e.first_exception());
      } catch (const boost::system::system_error& first) {
        failed = first.code();
      }
    }
    BOOST_TEST(failed == asio::error::eof);
  }());
}

#endif

#if BOOST_VERSION >= 108600
BOOST_AUTO_TEST_CASE(cancel_after) {
  connected_pair p;
  char c = 0;
  std::optional<error_code> result;
  p.server.async_read_some(asio::buffer(&c, 1),
                           asio::cancel_after(10ms, [&](error_code ec, std::size_t) { result = ec; }));
  p.context.run();
  BOOST_REQUIRE(result.has_value());
  BOOST_TEST(*result == asio::error::operation_aborted);
  write_string(p.client, "x");
  BOOST_TEST(read_string(p.server, 1) == "x");
}
#endif

BOOST_AUTO_TEST_SUITE_END()
