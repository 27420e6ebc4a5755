// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <algorithm>
#include <memory>
#include <optional>

BOOST_AUTO_TEST_SUITE(cancellation)

BOOST_AUTO_TEST_CASE(cancelled_read_leaves_the_socket_in_order) {
  connected_pair p;
  char c = 0;
  error_code result;
  p.server.async_read_some(asio::buffer(&c, 1), [&](error_code ec, std::size_t n) {
    result = ec;
    BOOST_TEST(n == 0u);
  });
  p.context.poll();
  p.server.cancel();
  BOOST_TEST(!result);  // never from within cancel()
  run(p.context);
  BOOST_TEST(result == asio::error::operation_aborted);

  write_string(p.client, "whole");
  BOOST_TEST(read_string(p.server, 5) == "whole");
}

BOOST_AUTO_TEST_CASE(close_aborts_everything_outstanding) {
  connected_pair p;
  char c[3];
  const std::vector<unsigned char> block(1 << 20);
  p.client.non_blocking(true);
  for (error_code ec; !ec;) p.client.write_some(asio::buffer(block), ec);
  int aborted = 0;
  const auto transferred = [&](error_code ec, std::size_t) { aborted += ec == asio::error::operation_aborted; };
  const auto waited = [&](error_code ec) { aborted += ec == asio::error::operation_aborted; };
  p.client.async_read_some(asio::buffer(c), transferred);
  p.client.async_read_some(asio::buffer(c), transferred);
  p.client.async_write_some(asio::buffer(block), transferred);
  p.client.async_wait(rc::socket::wait_read, waited);
  p.client.async_wait(rc::socket::wait_write, waited);
  p.client.async_wait(rc::socket::wait_error, waited);
  p.context.poll();
  p.client.close();
  BOOST_TEST(aborted == 0);
  run(p.context);
  BOOST_TEST(aborted == 6);
}

BOOST_AUTO_TEST_CASE(destructor_aborts) {
  connected_pair p;
  auto s = std::make_unique<rc::socket>(std::move(p.server));
  char c = 0;
  error_code result;
  s->async_read_some(asio::buffer(&c, 1), [&](error_code ec, std::size_t) { result = ec; });
  s.reset();
  p.context.run();
  BOOST_TEST(result == asio::error::operation_aborted);
}

BOOST_AUTO_TEST_CASE(slot_cancels_one_operation_alone) {
  for (const auto type :
       {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total}) {
    connected_pair p;
    char first = 0, second = 0, third = 0;
    asio::cancellation_signal signal;
    std::vector<error_code> results(3, asio::error::in_progress);
    p.server.async_read_some(asio::buffer(&first, 1), [&](error_code ec, std::size_t) { results[0] = ec; });
    p.server.async_read_some(
        asio::buffer(&second, 1),
        asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, std::size_t) { results[1] = ec; }));
    p.server.async_read_some(asio::buffer(&third, 1), [&](error_code ec, std::size_t) { results[2] = ec; });
    p.context.poll();
    signal.emit(type);
    BOOST_TEST(results[1] == asio::error::in_progress);
    p.context.restart();
    p.context.poll();
    BOOST_TEST(results[1] == asio::error::operation_aborted);
    write_string(p.client, "13");
    run(p.context);
    BOOST_TEST(!results[0]);
    BOOST_TEST(!results[2]);
    BOOST_TEST(first == '1');
    BOOST_TEST(third == '3');
    signal.emit(type);  // too late, and for nobody
  }
}

BOOST_AUTO_TEST_CASE(slot_cancels_accept_connect_and_wait) {
  connected_pair p;
  rc::acceptor acceptor(p.context, any_port());
  asio::cancellation_signal accept_signal, wait_signal;
  int aborted = 0;
  acceptor.async_accept(asio::bind_cancellation_slot(
      accept_signal.slot(), [&](error_code ec, rc::socket) { aborted += ec == asio::error::operation_aborted; }));
  p.client.async_wait(rc::socket::wait_read, asio::bind_cancellation_slot(wait_signal.slot(), [&](error_code ec) {
                        aborted += ec == asio::error::operation_aborted;
                      }));
  p.context.poll();
  accept_signal.emit(asio::cancellation_type::total);
  wait_signal.emit(asio::cancellation_type::total);
  run(p.context);
  BOOST_TEST(aborted == 2);

  rc::socket client(p.context);
  client.connect(acceptor.local_endpoint());
  rc::socket server = acceptor.accept();
  write_string(client, "x");
  BOOST_TEST(read_string(server, 1) == "x");
}

BOOST_AUTO_TEST_CASE(slot_cancels_connect) {
  for (const auto type :
       {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total}) {
    asio::io_context context;
    rc::acceptor acceptor(context, any_port());
    rc::socket s(context);
    asio::cancellation_signal signal;
    std::vector<error_code> results;
    s.async_connect(acceptor.local_endpoint(),
                    asio::bind_cancellation_slot(signal.slot(), [&](error_code ec) { results.push_back(ec); }));
    signal.emit(type);
    context.run();
    BOOST_REQUIRE(results.size() == 1u);
    // It may have been too late.
    if (results[0]) {
      BOOST_TEST(results[0] == asio::error::operation_aborted);
      s.connect(acceptor.local_endpoint());
    }
    write_string(s, "x");
    BOOST_TEST(s.remote_endpoint() == acceptor.local_endpoint());
  }
}

BOOST_AUTO_TEST_CASE(slot_that_asks_for_nothing_cancels_nothing) {
  connected_pair p;
  asio::cancellation_signal signal;
  char c = 0;
  error_code result = asio::error::in_progress;
  p.server.async_read_some(asio::buffer(&c, 1), asio::bind_cancellation_slot(
                                                    signal.slot(), [&](error_code ec, std::size_t) { result = ec; }));
  p.context.poll();
  signal.emit(asio::cancellation_type::none);
  write_string(p.client, "x");
  run(p.context);
  BOOST_TEST(!result);
}

BOOST_AUTO_TEST_CASE(what_was_done_before_keeps_its_success) {
  connected_pair p;
  write_string(p.client, "x");
  p.server.wait(rc::socket::wait_read);
  char c = 0;
  error_code read = asio::error::in_progress, written = asio::error::in_progress;
  p.server.async_read_some(asio::buffer(&c, 1), [&](error_code ec, std::size_t) { read = ec; });
  p.server.async_write_some(asio::buffer("y", 1), [&](error_code ec, std::size_t) { written = ec; });
  p.server.cancel();
  p.server.close();
  p.context.run();
  BOOST_TEST(!read);
  BOOST_TEST(!written);
  BOOST_TEST(c == 'x');
  BOOST_TEST(read_string(p.client, 1) == "y");
}

BOOST_AUTO_TEST_CASE(acknowledged_write_that_was_handed_over_is_not_cancelled_without_a_trace) {
  connected_pair p;
  // The peer's ring is full, and in our own memory there is some room.
  const auto sent = pattern(4 << 20);
  std::size_t filled = 0;
  p.client.non_blocking(true);
  for (error_code ec; !ec;) filled += p.client.write_some(asio::buffer(sent) + filled, ec);
  std::vector<unsigned char> received(64 << 10);
  asio::read(p.server, asio::buffer(received));
  p.client.non_blocking(false);
  p.client.wait(rc::socket::wait_write);

  p.client.set_option(asio_rdma::acknowledged_writes(true));
  asio::cancellation_signal signal;
  std::size_t count = 0;
  error_code result = asio::error::in_progress;
  p.client.async_write_some(asio::buffer(sent) + filled,
                            asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, std::size_t n) {
                              result = ec;
                              count = n;
                            }));
  p.context.poll();
  signal.emit(asio::cancellation_type::total);
  p.context.restart();
  p.context.poll();
  BOOST_TEST(result == asio::error::in_progress);
  signal.emit(asio::cancellation_type::partial);
  p.context.restart();
  p.context.poll();
  BOOST_TEST(result == asio::error::operation_aborted);
  BOOST_TEST(count > 0u);  // these will arrive
  const std::size_t read = received.size();
  received.resize(filled + count);
  asio::read(p.server, asio::buffer(received) + read);
  BOOST_TEST((std::equal(received.begin(), received.end(), sent.begin())));
}

BOOST_AUTO_TEST_CASE(slot_may_outlive_socket_and_context) {
  asio::cancellation_signal signal;
  char c = 0;
  {
    connected_pair p;
    p.server.async_read_some(asio::buffer(&c, 1),
                             asio::bind_cancellation_slot(signal.slot(), [](error_code, std::size_t) {}));
    p.context.poll();
  }
  signal.emit(asio::cancellation_type::all);
  BOOST_TEST(c == 0);
}

BOOST_AUTO_TEST_CASE(composed_read_says_how_far_it_came) {
  connected_pair p;
  std::string text(10, '\0');
  asio::cancellation_signal signal;
  std::optional<std::size_t> read;
  asio::async_read(p.server, asio::buffer(text),
                   asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, std::size_t n) {
                     BOOST_TEST(ec == asio::error::operation_aborted);
                     read = n;
                   }));
  write_string(p.client, "four");
  while (text[3] == '\0') p.context.run_one();
  p.context.poll();
  signal.emit(asio::cancellation_type::partial);
  run(p.context);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(*read == 4u);
  write_string(p.client, "more");
  BOOST_TEST(read_string(p.server, 4) == "more");
}

BOOST_AUTO_TEST_SUITE_END()
