// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <atomic>
#include <memory>

BOOST_AUTO_TEST_SUITE(executors)

BOOST_AUTO_TEST_CASE(handler_is_never_called_by_the_initiating_function) {
  connected_pair p;
  write_string(p.client, "ready");
  p.server.wait(rc::socket::wait_read);
  bool initiating = true;
  int calls = 0;
  char c = 0;
  const auto transferred = [&](error_code, std::size_t) {
    BOOST_TEST(!initiating);
    ++calls;
  };
  // From within the context too, where dispatch would call it.
  asio::post(p.context, [&] {
    p.server.async_read_some(asio::buffer(&c, 1), transferred);
    p.server.async_write_some(asio::buffer("x", 1), transferred);
    p.server.async_wait(rc::socket::wait_write, [&](error_code) {
      BOOST_TEST(!initiating);
      ++calls;
    });
    p.server.async_wait(rc::socket::wait_error, [&](error_code) {
      BOOST_TEST(!initiating);
      ++calls;
    });
    p.server.cancel();
    initiating = false;
  });
  p.context.run();
  BOOST_TEST(calls == 4);
}

BOOST_AUTO_TEST_CASE(handler_runs_on_its_own_executor) {
  connected_pair p;
  asio::io_context other;
  char c = 0, d = 0;
  int calls = 0;
  const auto handler = [&](error_code ec, std::size_t) {
    BOOST_TEST(!ec);
    BOOST_TEST(other.get_executor().running_in_this_thread());
    ++calls;
  };
  p.server.async_read_some(asio::buffer(&c, 1), asio::bind_executor(other, handler));  // later
  write_string(p.client, "12");
  p.context.run();
  BOOST_TEST(calls == 0);
  BOOST_TEST(other.run() == 1u);
  p.server.wait(rc::socket::wait_read);
  p.server.async_read_some(asio::buffer(&d, 1), asio::bind_executor(other, handler));  // at once
  run(p.context);
  BOOST_TEST(run(other) == 1u);
  BOOST_TEST(calls == 2);
  BOOST_TEST(c == '1');
  BOOST_TEST(d == '2');
}

BOOST_AUTO_TEST_CASE(operation_is_work_on_the_handlers_executor_too) {
  connected_pair p;
  asio::io_context other;
  char c = 0;
  bool called = false;
  p.server.async_read_some(asio::buffer(&c, 1),
                           asio::bind_executor(other, [&](error_code, std::size_t) { called = true; }));
  scoped_thread runner([&] { other.run(); });
  write_string(p.client, "x");
  p.context.run();
  runner.join();
  BOOST_TEST(called);
}

template <class Socket>
void check_strand(asio::io_context& context, Socket& reader, rc::socket& writer,
                  const std::function<bool()>& in_strand) {
  std::atomic<int> running{0};
  int bytes = 0;  // guarded by the strand alone
  char c[2] = {};
  std::function<void(error_code, std::size_t)> handler[2];
  const auto read = [&](int i) {
    reader.async_read_some(asio::buffer(&c[i], 1), [&handler, i](error_code ec, std::size_t n) { handler[i](ec, n); });
  };
  for (int i = 0; i < 2; ++i) {
    handler[i] = [&, i](error_code ec, std::size_t n) {
      LOCKED_TEST(in_strand());
      LOCKED_TEST(++running == 1);
      bytes += static_cast<int>(n);
      --running;
      if (!ec) read(i);
    };
  }
  asio::post(reader.get_executor(), [&] {
    for (int i = 0; i < 2; ++i) read(i);
  });
  scoped_thread t1([&] { context.run(); }), t2([&] { context.run(); }), t3([&] { context.run(); });
  for (int i = 0; i < 500; ++i) write_string(writer, "x");
  writer.shutdown(rc::socket::shutdown_send);
  t1.join();
  t2.join();
  t3.join();
  LOCKED_TEST(bytes == 500);
}

BOOST_AUTO_TEST_CASE(strand_of_the_socket) {
  asio::io_context context, writing;
  auto strand = asio::make_strand(context);
  rc::socket reader(strand), writer(writing);
  connect_pair(writer, reader);
  check_strand(context, reader, writer, [&] { return strand.running_in_this_thread(); });
}

BOOST_AUTO_TEST_CASE(socket_with_a_strand_in_its_type) {
  using strand_type = asio::strand<asio::io_context::executor_type>;
  asio::io_context context, writing;
  strand_type strand(context.get_executor());
  rc::socket::rebind_executor<strand_type>::other reader(strand);
  rc::socket writer(writing);
  rc::acceptor acceptor(writing, any_port());
  writer.connect(acceptor.local_endpoint());
  acceptor.accept(reader);
  check_strand(context, reader, writer, [&] { return strand.running_in_this_thread(); });
}

BOOST_AUTO_TEST_CASE(thread_pool) {
  asio::thread_pool pool(2);
  rc::socket client(pool), server(pool);
  connect_pair(client, server);
  const auto sent = pattern(1 << 20);
  std::vector<unsigned char> received(sent.size());
  auto read = asio::async_read(server, asio::buffer(received), asio::use_future);
  auto written = asio::async_write(client, asio::buffer(sent), asio::use_future);
  BOOST_TEST(written.get() == sent.size());
  BOOST_TEST(read.get() == sent.size());
  BOOST_TEST((received == sent));
  client.close();
  server.close();
  pool.join();
}

BOOST_AUTO_TEST_CASE(system_executor) {
  using socket_type = rc::socket::rebind_executor<asio::system_executor>::other;
  connected_pair p;
  socket_type s((asio::system_executor()));
  s.assign(rc::v4(), p.server.release());
  char c = 0;
  auto read = s.async_read_some(asio::buffer(&c, 1), asio::use_future);
  write_string(p.client, "x");
  BOOST_TEST(read.get() == 1u);
  BOOST_TEST(c == 'x');
}

BOOST_AUTO_TEST_CASE(converting_move_keeps_what_waits) {
  using socket_type = rc::socket::rebind_executor<asio::io_context::executor_type>::other;
  asio::io_context context;
  socket_type narrow(context);
  rc::socket client(context);
  rc::acceptor acceptor(context, any_port());
  client.connect(acceptor.local_endpoint());
  acceptor.accept(narrow);
  char c = 0, d = 0;
  int calls = 0;
  const auto handler = [&](error_code ec, std::size_t) {
    BOOST_TEST(!ec);
    ++calls;
  };
  narrow.async_read_some(asio::buffer(&c, 1), handler);
  rc::socket wide(std::move(narrow));
  wide.async_read_some(asio::buffer(&d, 1), handler);
  context.poll();
  write_string(client, "cd");
  run(context);
  BOOST_TEST(calls == 2);
  BOOST_TEST(c == 'c');
  BOOST_TEST(d == 'd');
}

BOOST_AUTO_TEST_SUITE_END()
