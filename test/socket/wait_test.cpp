// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

BOOST_AUTO_TEST_SUITE(waiting)

BOOST_AUTO_TEST_CASE(wait_for_data) {
  connected_pair p;
  int ready = 0;
  p.server.async_wait(rc::socket::wait_read, [&](error_code ec) {
    BOOST_TEST(!ec);
    ++ready;
  });
  p.context.poll();
  BOOST_TEST(ready == 0);
  write_string(p.client, "x");
  run(p.context);
  BOOST_TEST(ready == 1);
  BOOST_TEST(p.server.available() == 1u);
  p.server.wait(rc::socket::wait_read);
  BOOST_TEST(read_string(p.server, 1) == "x");

  p.client.close();
  p.server.wait(rc::socket::wait_read);  // eof is something to read
  p.server.async_wait(rc::socket::wait_read, [&](error_code ec) {
    BOOST_TEST(!ec);
    ++ready;
  });
  run(p.context);
  BOOST_TEST(ready == 2);
}

BOOST_AUTO_TEST_CASE(wait_for_room) {
  connected_pair p;
  p.client.wait(rc::socket::wait_write);
  const std::vector<unsigned char> block(1 << 20);
  std::size_t filled = 0;
  p.client.non_blocking(true);
  for (error_code ec; !ec;) filled += p.client.write_some(asio::buffer(block), ec);
  error_code ec;
  p.client.wait(rc::socket::wait_write, ec);
  BOOST_TEST(ec == asio::error::would_block);

  int ready = 0;
  p.client.async_wait(rc::socket::wait_write, [&](error_code e) {
    LOCKED_TEST(!e);
    ++ready;
  });
  p.context.poll();
  BOOST_TEST(ready == 0);
  p.context.restart();
  scoped_thread runner([&] { p.context.run(); });
  std::vector<unsigned char> skipped(filled);
  asio::read(p.server, asio::buffer(skipped));
  runner.join();
  BOOST_TEST(ready == 1);
  BOOST_TEST(p.client.write_some(asio::buffer(block)) > 0u);
}

BOOST_AUTO_TEST_CASE(wait_for_an_error) {
  connected_pair p;
  int ready = 0;
  p.server.async_wait(rc::socket::wait_error, [&](error_code ec) {
    BOOST_TEST(!ec);
    ++ready;
  });
  write_string(p.client, "data is no error");
  BOOST_TEST(read_string(p.server, 16) == "data is no error");
  p.context.poll();
  BOOST_TEST(ready == 0);
  p.client.set_option(rc::socket::linger(true, 0));
  p.client.close();
  run(p.context);
  BOOST_TEST(ready == 1);
}

BOOST_AUTO_TEST_CASE(non_blocking_calls_never_wait) {
  connected_pair p;
  p.server.non_blocking(true);
  BOOST_TEST(p.server.non_blocking());
  char c = 0;
  error_code ec;
  p.server.read_some(asio::buffer(&c, 1), ec);
  BOOST_TEST(ec == asio::error::would_block);

  // Asynchronous operations work as ever.
  p.server.async_read_some(asio::buffer(&c, 1), [&](error_code e, std::size_t) { ec = e; });
  write_string(p.client, "x");
  p.context.run();
  BOOST_TEST(!ec);
  BOOST_TEST(c == 'x');
}

/// What Beast does at the end of each websocket.
struct teardown {
  rc::socket& s;
  bool& done;

  void operator()(error_code ec = {}) {
    BOOST_TEST(!ec);
    char data[256];
    for (;;) {
      s.read_some(asio::buffer(data), ec);
      if (ec) break;
    }
    if (ec == asio::error::would_block) return s.async_wait(rc::socket::wait_read, teardown{s, done});
    BOOST_TEST(ec == asio::error::eof);
    done = true;
    s.close();
  }
};

BOOST_AUTO_TEST_CASE(teardown_with_would_block_and_wait) {
  connected_pair p;
  bool done = false;
  p.server.shutdown(rc::socket::shutdown_send);
  p.server.non_blocking(true);
  teardown{p.server, done}();
  char c = 0;
  p.client.async_read_some(asio::buffer(&c, 1), [&](error_code ec, std::size_t) {
    BOOST_TEST(ec == asio::error::eof);
    write_string(p.client, "still on its way");
    p.client.shutdown(rc::socket::shutdown_send);
  });
  p.context.run();
  BOOST_TEST(done);
}

BOOST_AUTO_TEST_CASE(unknown_wait_type) {
  connected_pair p;
  error_code ec;
  p.client.async_wait(static_cast<rc::socket::wait_type>(3), [&](error_code e) { ec = e; });
  p.context.run();
  BOOST_TEST(ec == asio::error::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
