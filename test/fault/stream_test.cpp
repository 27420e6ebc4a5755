// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include "socket/parameter.hpp"

#include <thread>

using namespace fault_test;
using asio::awaitable;
using asio::use_awaitable;
using asio_rdma::rc;

namespace {

/// More than the staging memory or a ring holds, so that credits have to come.
const std::string question = pattern(300'000, 1);
const std::string answer = pattern(100'000, 2);

/// To the end of what the peer sends.
awaitable<void> read_all(rc::socket& s, end& e) {
  std::string part(20'000, '\0');
  for (;;) {
    error_code ec;
    const std::size_t n = co_await s.async_read_some(asio::buffer(part), asio::redirect_error(use_awaitable, ec));
    e.received.append(part, 0, n);
    if (ec == asio::error::eof) {
      e.is_complete = true;
      co_return;
    }
    if (ec) throw boost::system::system_error(ec);
  }
}

awaitable<void> ask(rc::endpoint to, end& e) {
  rc::socket s(co_await asio::this_coro::executor, to.protocol());
  s.set_option(asio_rdma::connect_timeout(parameter("ASIO_RDMA_TEST_CONNECT_TIMEOUT", 500, 5000)));
  co_await s.async_connect(to, use_awaitable);
  co_await asio::async_write(s, asio::buffer(question), use_awaitable);
  s.shutdown(rc::socket::shutdown_send);
  co_await read_all(s, e);
}

awaitable<void> answer_one(rc::acceptor& acceptor, end& e) {
  rc::socket s = co_await acceptor.async_accept(use_awaitable);
  co_await read_all(s, e);
  co_await asio::async_write(s, asio::buffer(answer), use_awaitable);
}

/// One end on a thread of its own. Boost.Test's checks are for the first thread.
template <class Body>
void run_blocking(end& e, Body body) {
  try {
    body();
  } catch (const boost::system::system_error& error) {
    e.result = error.code();
  }
  e.has_ended = true;
}

error_code one_connection(bool is_faulty) {
  asio::io_context context;
  end client, server;
  rc::acceptor acceptor(context);
  if (const error_code ec = listen_on_any_port(acceptor)) return ec;
  start(context, server, answer_one(acceptor, server), [&] { acceptor.close(); });
  start(context, client, ask(acceptor.local_endpoint(), client), [&] { acceptor.close(); });
  run(context);
  return check_both(client, server, answer, question, is_faulty);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(faults_of_streams)

BOOST_AUTO_TEST_CASE(each_call_in_a_connection_with_a_half_close) {
  fail_each_call(one_connection);
}

BOOST_AUTO_TEST_CASE(each_event_that_may_come_at_any_time, *boost::unit_test::label("native")) {
  insert_each_event(one_connection);
}

BOOST_AUTO_TEST_CASE(calls_that_never_succeed_again, *boost::unit_test::label("native")) {
  fail_from_each_call_on(one_connection);
}

/// An acceptor that one connection fails on serves the next.
BOOST_AUTO_TEST_CASE(each_call_of_an_acceptor_with_three_clients, *boost::unit_test::label("native")) {
  fail_each_call([](bool is_faulty) {
    asio::io_context context;
    rc::acceptor acceptor(context);
    if (const error_code ec = listen_on_any_port(acceptor)) return ec;
    const auto echo = [](rc::socket s) -> awaitable<void> {
      char text[64];
      const std::size_t n = co_await s.async_read_some(asio::buffer(text), use_awaitable);
      co_await asio::async_write(s, asio::buffer(text, n), use_awaitable);
    };
    const auto serve = [&]() -> awaitable<void> {
      while (acceptor.is_open()) {
        error_code ec;
        rc::socket s = co_await acceptor.async_accept(asio::redirect_error(use_awaitable, ec));
        if (!ec) asio::co_spawn(context, echo(std::move(s)), asio::detached);
      }
    };
    error_code first;
    unsigned good = 0;
    const auto ask_three_times = [&]() -> awaitable<void> {
      for (int i = 0; i < 3; ++i) {
        rc::socket s(context);
        std::string text = "hello", back(5, '\0');
        try {
          co_await s.async_connect(acceptor.local_endpoint(), use_awaitable);
          co_await asio::async_write(s, asio::buffer(text), use_awaitable);
          co_await asio::async_read(s, asio::buffer(back), use_awaitable);
          BOOST_TEST(back == text);
          ++good;
        } catch (const boost::system::system_error& e) {
          if (!first) first = e.code();
        }
      }
      acceptor.close();
    };
    asio::co_spawn(context, serve(), asio::detached);
    asio::co_spawn(context, ask_three_times(), asio::detached);
    run(context);
    BOOST_TEST(good == (first ? 2u : 3u), good << " of 3, " << first.message());
    BOOST_TEST((is_faulty || !first), first.message());
    return first;
  });
}

/// Synchronous calls sleep elsewhere than asynchronous ones.
BOOST_AUTO_TEST_CASE(each_call_of_blocking_threads, *boost::unit_test::label("native")) {
  fail_each_call([](bool is_faulty) {
    asio::io_context context;
    rc::acceptor acceptor(context);
    if (const error_code ec = listen_on_any_port(acceptor)) return ec;
    const rc::endpoint to = acceptor.local_endpoint();
    end client, server;
    const auto read_to_end = [](rc::socket& s, end& e) {
      std::string part(20'000, '\0');
      for (;;) {
        error_code ec;
        e.received.append(part, 0, s.read_some(asio::buffer(part), ec));
        if (ec == asio::error::eof) return void(e.is_complete = true);
        if (ec) throw boost::system::system_error(ec);
      }
    };
    std::thread answering([&] {
      run_blocking(server, [&] {
        rc::socket s = acceptor.accept();
        read_to_end(s, server);
        asio::write(s, asio::buffer(answer));
      });
      acceptor.close();  // so that a client in its backlog is not left waiting
    });
    run_blocking(client, [&] {
      rc::socket s(context);
      s.connect(to);
      asio::write(s, asio::buffer(question));
      s.shutdown(rc::socket::shutdown_send);
      read_to_end(s, client);
    });
    if (client.result) {
      // It may still wait in accept(), for the connection that failed.
      rc::socket s(context, rc::v4());
      s.set_option(asio::socket_base::linger(true, 0));
      error_code ec;
      s.connect(to, ec);
    }
    answering.join();
    return check_both(client, server, answer, question, is_faulty);
  });
}

BOOST_AUTO_TEST_SUITE_END()
