// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <memory>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(lifetime)

BOOST_AUTO_TEST_CASE(open_sockets_are_no_work) {
  connected_pair p;
  rc::acceptor acceptor(p.context, any_port());
  BOOST_TEST(p.context.run() == 0u);

  // Nor are they after operations.
  char c = 0;
  p.server.async_read_some(asio::buffer(&c, 1), [](error_code ec, std::size_t) { BOOST_TEST(!ec); });
  p.client.async_write_some(asio::buffer("x", 1), [](error_code ec, std::size_t) { BOOST_TEST(!ec); });
  run(p.context);
  BOOST_TEST(run(p.context) == 0u);
}

BOOST_AUTO_TEST_CASE(operations_are_work_until_they_end) {
  connected_pair p;
  char c = 0;
  bool read = false;
  p.server.async_read_some(asio::buffer(&c, 1), [&](error_code ec, std::size_t) {
    BOOST_TEST(!ec);
    read = true;
  });
  asio::steady_timer timer(p.context, std::chrono::milliseconds(20));
  timer.async_wait([&](error_code) { write_string(p.client, "x"); });
  p.context.run();
  BOOST_TEST(read);
}

/// Counts how many are alive, and whether one was called.
struct tracked {
  explicit tracked(int& alive) : alive_(alive) { ++alive_; }
  tracked(const tracked&) = delete;
  tracked& operator=(const tracked&) = delete;
  ~tracked() { --alive_; }
  int& alive_;
};

BOOST_AUTO_TEST_CASE(context_that_dies_destroys_handlers_without_calling_them) {
  struct session {
    session(asio::io_context& c, int& alive) : s(c), t(alive) {}
    rc::socket s;
    tracked t;
    char data[10];
  };
  int alive = 0, calls = 0;
  {
    asio::io_context context;
    auto client = std::make_shared<session>(context, alive), server = std::make_shared<session>(context, alive);
    auto acceptor = std::make_shared<rc::acceptor>(context, any_port());
    client->s.connect(acceptor->local_endpoint());
    acceptor->accept(server->s);
    for (const auto& s : {client, server}) {
      s->s.async_read_some(asio::buffer(s->data), [&calls, s](error_code, std::size_t) { ++calls; });
      s->s.async_wait(rc::socket::wait_error, [&calls, s](error_code) { ++calls; });
    }
    acceptor->async_accept([&calls, acceptor](error_code, rc::socket) { ++calls; });
    client.reset();
    server.reset();
    context.poll();
    BOOST_TEST(alive == 2);
  }
  BOOST_TEST(alive == 0);
  BOOST_TEST(calls == 0);
}

BOOST_AUTO_TEST_CASE(context_that_dies_destroys_completions_that_were_not_run) {
  int alive = 0, calls = 0;
  {
    connected_pair p;
    char c = 0;
    auto t = std::make_shared<tracked>(alive);
    p.client.async_write_some(asio::buffer("x", 1), [&calls, t](error_code, std::size_t) { ++calls; });
    p.client.async_read_some(asio::buffer(&c, 1), [&calls, t](error_code, std::size_t) { ++calls; });
    p.client.cancel();
  }
  BOOST_TEST(alive == 0);
  BOOST_TEST(calls == 0);
}

BOOST_AUTO_TEST_CASE(socket_moves_while_operations_wait) {
  connected_pair p;
  std::string text(2, '\0');
  asio::cancellation_signal signal;
  error_code first = asio::error::in_progress, second = asio::error::in_progress;
  char c = 0;
  asio::async_read(p.server, asio::buffer(text), [&](error_code ec, std::size_t) { first = ec; });
  p.client.async_read_some(asio::buffer(&c, 1), asio::bind_cancellation_slot(
                                                    signal.slot(), [&](error_code ec, std::size_t) { second = ec; }));
  p.context.poll();
  rc::socket client(std::move(p.client));
  rc::socket server(p.context);
  server = std::move(p.server);
  BOOST_TEST(!p.client.is_open());
  signal.emit(asio::cancellation_type::terminal);
  write_string(client, "ab");
  // The composed read refers to the socket it was started on; what it waits for has moved.
  p.server = std::move(server);
  run(p.context);
  BOOST_TEST(!first);
  BOOST_TEST(text == "ab");
  BOOST_TEST(second == asio::error::operation_aborted);

  // What was moved from is closed and can be used again.
  p.client.open(rc::v4());
  BOOST_TEST(p.client.is_open());
}

BOOST_AUTO_TEST_CASE(socket_is_destroyed_by_its_own_handler) {
  connected_pair p;
  auto s = std::make_unique<rc::socket>(std::move(p.server));
  char c[2];
  int calls = 0;
  s->async_read_some(asio::buffer(c, 1), [&](error_code ec, std::size_t) {
    BOOST_TEST(!ec);
    ++calls;
    s.reset();
  });
  s->async_wait(rc::socket::wait_error, [&](error_code ec) {
    BOOST_TEST(ec == asio::error::operation_aborted);
    ++calls;
  });
  write_string(p.client, "x");
  p.context.run();
  BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_CASE(released_socket_goes_on_elsewhere) {
  asio::io_context other;
  connected_pair p;
  char c = 0;
  error_code result;
  p.server.async_read_some(asio::buffer(&c, 1), [&](error_code ec, std::size_t) { result = ec; });
  const auto id = p.server.native_handle().id();
  rc::socket::native_handle_type handle = p.server.release();
  BOOST_TEST(!p.server.is_open());
  BOOST_TEST(handle.id() == id);
  p.context.run();
  BOOST_TEST(result == asio::error::operation_aborted);

  rc::socket moved(other, rc::v4(), handle);
  moved.async_read_some(asio::buffer(&c, 1), [&](error_code ec, std::size_t) { result = ec; });
  write_string(p.client, "y");
  other.run();
  BOOST_TEST(!result);
  BOOST_TEST(c == 'y');
}

BOOST_AUTO_TEST_CASE(handlers_that_throw_on_completions_done_at_once) {
  connected_pair p;
  int thrown = 0, caught = 0;
  for (int i = 0; i < 3; ++i) {
    p.client.async_write_some(asio::buffer("x", 1), [&](error_code, std::size_t) {
      ++thrown;
      throw std::runtime_error("a handler's");
    });
  }
  p.context.restart();
  for (;;) {
    try {
      p.context.run();
      break;
    } catch (const std::runtime_error&) {
      ++caught;
    }
  }
  BOOST_TEST(thrown == 3);
  BOOST_TEST(caught == 3);
  BOOST_TEST(read_string(p.server, 3) == "xxx");
}

BOOST_AUTO_TEST_CASE(handler_that_throws_leaves_everything_in_order) {
  connected_pair p;
  char c = 0, d = 0;
  p.server.async_read_some(asio::buffer(&c, 1), [](error_code, std::size_t) { throw 42; });
  p.server.async_read_some(asio::buffer(&d, 1), [](error_code ec, std::size_t) { BOOST_TEST(!ec); });
  p.context.poll();
  write_string(p.client, "cd");
  int caught = 0;
  p.context.restart();
  try {
    p.context.run();
  } catch (int i) {
    caught = i;
  }
  BOOST_TEST(caught == 42);
  run(p.context);
  BOOST_TEST(d == 'd');
}

BOOST_AUTO_TEST_SUITE_END()
