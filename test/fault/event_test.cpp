// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Nothing fails, but the connection manager's events come when they like.

#include "fixture.hpp"

#include "cm/raw_peer.hpp"
#include "socket/parameter.hpp"
#include "support/cm_events.hpp"

#include <chrono>
#include <exception>
#include <list>
#include <optional>
#include <random>
#include <thread>

using namespace fault_test;
using asio::awaitable;
using asio::use_awaitable;
using asio_rdma::rc;
using test_support::cm_events;

namespace {

const std::string text = pattern(20'000, 3);

awaitable<void> echo(rc::socket s) {
  std::string all(text.size(), '\0');
  co_await asio::async_read(s, asio::buffer(all), use_awaitable);
  co_await asio::async_write(s, asio::buffer(all), use_awaitable);
}

awaitable<void> say_and_hear(rc::endpoint to) {
  rc::socket s(co_await asio::this_coro::executor);
  std::string back(text.size(), '\0');
  co_await s.async_connect(to, use_awaitable);
  co_await asio::async_write(s, asio::buffer(text), use_awaitable);
  co_await asio::async_read(s, asio::buffer(back), use_awaitable);
  BOOST_TEST((back == text));
}

/// Two listeners, and clients of both, which all come at once and go at once.
error_code many_at_once(bool) {
  constexpr int clients = 8;  // of each
  asio::io_context context;
  std::list<rc::acceptor> acceptors;
  error_code first;
  int left = 4 * clients;
  const auto one_is_over = [&](std::exception_ptr failure) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const boost::system::system_error& e) {
      if (!first) first = e.code();
    }
    if (--left == 0) {
      for (rc::acceptor& a : acceptors) a.close();
    }
  };
  const auto serve = [&](rc::acceptor& a) -> awaitable<void> {
    while (a.is_open()) {
      error_code ec;
      rc::socket s = co_await a.async_accept(asio::redirect_error(use_awaitable, ec));
      if (!ec) asio::co_spawn(context, echo(std::move(s)), one_is_over);
    }
  };
  for (int i = 0; i < 2; ++i) {
    rc::acceptor& a = acceptors.emplace_back(context);
    if (const error_code ec = listen_on_any_port(a)) return ec;
    asio::co_spawn(context, serve(a), asio::detached);
    for (int n = 0; n < clients; ++n) asio::co_spawn(context, say_and_hear(a.local_endpoint()), one_is_over);
  }
  run(context);
  BOOST_TEST(left == 0);
  return first;
}

/// Connects and is served.
void check(rc::acceptor& acceptor, asio::io_context& context) {
  const auto note = [&](std::exception_ptr e) { BOOST_TEST(!e); };
  const auto serve = [&]() -> awaitable<void> { co_await echo(co_await acceptor.async_accept(use_awaitable)); };
  asio::co_spawn(context, serve(), note);
  asio::co_spawn(context, say_and_hear(acceptor.local_endpoint()), note);
  run(context);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(late_events)

BOOST_AUTO_TEST_CASE(in_any_order_between_connections) {
  shuffle_events(static_cast<unsigned>(parameter("ASIO_RDMA_TEST_EVENT_ORDERS", 20, 3)), many_at_once);
}

/// It sits in the listener's queue when its client gives up.
BOOST_AUTO_TEST_CASE(a_request_whose_client_is_gone_when_it_is_answered) {
  asio::io_context context;
  rc::acceptor acceptor(context, {asio::ip::address_v4::any(), 0});
  check(acceptor, context);  // what is made once
  settle();
  leaves_nothing([&] {
    std::optional<cm_test::raw_peer> client;
    client.emplace();
    client->prepare(cm_test::device_address(acceptor.local_endpoint().port()));
    cm_events::delay_requests(300'000);
    client->request({});
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // on its way to the listener
    client.reset();
    check(acceptor, context);
    BOOST_TEST(cm_events::stop());
  });
  const auto counters = asio_rdma::statistics(acceptor).listener;
  BOOST_TEST(counters.accepted == 2u);
  BOOST_TEST(counters.unconfirmed + counters.refused_resources == 1u);
}

/// And answers to connects that were cancelled meanwhile.
BOOST_AUTO_TEST_CASE(a_refusal_after_a_cancel) {
  const rc::endpoint nobody = [] {
    asio::io_context context;
    return rc::acceptor(context, {test_address(), 0}).local_endpoint();
  }();
  std::mt19937 random(1);
  bool struck = false;
  settle();
  leaves_nothing([&] {
    cm_events::shuffle(1, 3000);
    for (int i = 0; i < 100; ++i) {
      asio::io_context context;
      std::list<rc::socket> sockets;
      for (int n = 0; n < 4; ++n) {
        rc::socket& s = sockets.emplace_back(context);
        s.async_connect(nobody, [&](error_code ec) {
          BOOST_TEST((ec == asio::error::connection_refused || ec == asio::error::operation_aborted), ec.message());
        });
      }
      context.run_for(std::chrono::microseconds(random() % 10'000));
      for (rc::socket& s : sockets) random() % 2 ? s.cancel() : s.close();
      run(context);
    }
    struck = cm_events::stop();
  });
  BOOST_TEST(struck);
}

BOOST_AUTO_TEST_SUITE_END()
