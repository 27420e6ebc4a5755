// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

BOOST_AUTO_TEST_SUITE(stream)

BOOST_AUTO_TEST_CASE(both_directions_at_once) {
  connected_pair p;
  constexpr std::size_t size = 8 << 20;
  const auto up = pattern(size, 1), down = pattern(size, 2);
  std::vector<unsigned char> at_server(size), at_client(size);
  int done = 0;
  const auto handler = [&](error_code ec, std::size_t n) {
    BOOST_TEST(!ec);
    BOOST_TEST(n == size);
    ++done;
  };
  asio::async_write(p.client, asio::buffer(up), handler);
  asio::async_write(p.server, asio::buffer(down), handler);
  asio::async_read(p.server, asio::buffer(at_server), handler);
  asio::async_read(p.client, asio::buffer(at_client), handler);
  p.context.run();
  BOOST_TEST(done == 4);
  BOOST_TEST((at_server == up));
  BOOST_TEST((at_client == down));
}

BOOST_AUTO_TEST_CASE(gather_and_scatter) {
  connected_pair p;
  const auto sent = pattern(1000);
  std::vector<asio::const_buffer> pieces;
  for (std::size_t at = 0; at < sent.size(); at += 7)
    pieces.push_back(asio::buffer(sent.data() + at, std::min<std::size_t>(7, sent.size() - at)));
  BOOST_TEST(asio::write(p.client, pieces) == sent.size());
  std::vector<unsigned char> received(sent.size());
  const std::array<asio::mutable_buffer, 3> parts{
      asio::buffer(received.data(), 1), asio::buffer(received.data() + 1, 0), asio::buffer(received.data() + 1, 999)};
  BOOST_TEST(asio::read(p.server, parts) == sent.size());
  BOOST_TEST((received == sent));
}

BOOST_AUTO_TEST_CASE(half_close_ends_one_direction_and_eof_stays) {
  connected_pair p;
  write_string(p.client, "last words");
  p.client.shutdown(rc::socket::shutdown_send);
  BOOST_TEST(read_string(p.server, 10) == "last words");
  char c = 0;
  error_code ec;
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(p.server.read_some(asio::buffer(&c, 1), ec) == 0u);
    BOOST_TEST(ec == asio::error::eof);
  }
  p.server.async_read_some(asio::buffer(&c, 1), [&](error_code e, std::size_t) { ec = e; });
  ec = error_code();
  p.context.run();
  BOOST_TEST(ec == asio::error::eof);

  write_string(p.server, "answer");
  BOOST_TEST(read_string(p.client, 6) == "answer");
  p.client.write_some(asio::buffer("x", 1), ec);
  BOOST_TEST(ec == asio::error::broken_pipe);
}

BOOST_AUTO_TEST_CASE(close_after_write_loses_nothing) {
  connected_pair p;
  const auto sent = pattern(64 << 10);
  scoped_thread writer([&] {
    asio::write(p.client, asio::buffer(sent));
    p.client.close();
  });
  std::vector<unsigned char> received;
  error_code ec;
  asio::read(p.server, asio::dynamic_buffer(received), ec);
  BOOST_TEST(ec == asio::error::eof);
  BOOST_TEST((received == sent));
}

/// Neither waits for the other to read.
BOOST_AUTO_TEST_CASE(both_ends_close_with_more_to_send_than_the_other_has_room_for) {
  connected_pair p;
  const auto data = pattern(64 << 10);
  for (rc::socket* s : {&p.client, &p.server}) {
    s->non_blocking(true);
    for (error_code ec; !ec;) s->write_some(asio::buffer(data), ec);
  }
  const auto here = asio_rdma::statistics(p.client).number, there = asio_rdma::statistics(p.server).number;
  p.client.close();
  p.server.close();
  const auto is_there = [&] {
    const auto list = asio_rdma::snapshot().sockets;
    return std::any_of(list.begin(), list.end(), [&](const auto& s) { return s.number == here || s.number == there; });
  };
  for (int i = 0; i < 500 && is_there(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  BOOST_TEST(!is_there());
}

BOOST_AUTO_TEST_CASE(aborted_connection_is_reset) {
  connected_pair p;
  p.client.set_option(rc::socket::linger(true, 0));
  char c = 0;
  error_code ec;
  p.server.async_read_some(asio::buffer(&c, 1), [&](error_code e, std::size_t) { ec = e; });
  p.context.poll();
  p.client.close();
  p.context.run();
  BOOST_TEST(ec == asio::error::connection_reset);
}

BOOST_AUTO_TEST_CASE(writing_to_a_peer_that_has_closed_is_a_broken_pipe) {
  connected_pair p;
  p.client.close();
  error_code ec;
  char c = 0;
  p.server.read_some(asio::buffer(&c, 1), ec);
  BOOST_TEST(ec == asio::error::eof);
  p.server.wait(rc::socket::wait_error);  // until its goodbye has come
  p.server.write_some(asio::buffer("x", 1), ec);
  BOOST_TEST(ec == asio::error::broken_pipe);
}

BOOST_AUTO_TEST_CASE(writing_to_a_peer_that_is_gone_fails) {
  connected_pair p;
  p.client.set_option(rc::socket::linger(true, 0));
  p.client.close();
  error_code ec;
  p.server.wait(rc::socket::wait_error);
  const auto data = pattern(1000);
  while (!ec) p.server.write_some(asio::buffer(data), ec);
  BOOST_TEST((ec == asio::error::broken_pipe || ec == asio::error::connection_reset));
}

BOOST_AUTO_TEST_CASE(outstanding_reads_are_filled_in_order) {
  connected_pair p;
  std::array<std::string, 4> parts;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].resize(3);
    p.server.async_read_some(asio::buffer(parts[i]), [&, i](error_code ec, std::size_t n) {
      BOOST_TEST(!ec);
      BOOST_TEST(n == 3u);
      order.push_back(i);
    });
  }
  p.context.poll();
  write_string(p.client, "aaabbbcccddd");
  p.context.run();
  BOOST_TEST((parts == std::array<std::string, 4>{"aaa", "bbb", "ccc", "ddd"}));
  BOOST_TEST((order == std::vector<std::size_t>{0, 1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(outstanding_writes_are_sent_in_order) {
  connected_pair p;
  const std::vector<unsigned char> block(1 << 20, 'x');
  std::vector<std::string> marks{"a", "b", "c"};
  std::vector<int> order;
  std::size_t filled = 0;
  // Fill the pipe, so that the writes that matter have to wait for their turn.
  p.client.non_blocking(true);
  for (error_code ec; !ec;) filled += p.client.write_some(asio::buffer(block), ec);
  for (int i = 0; i < 3; ++i) {
    p.client.async_write_some(asio::buffer(marks[static_cast<std::size_t>(i)]), [&, i](error_code ec, std::size_t) {
      LOCKED_TEST(!ec);
      order.push_back(i);
    });
  }
  scoped_thread runner([&] { p.context.run(); });
  std::vector<unsigned char> skipped(filled);
  asio::read(p.server, asio::buffer(skipped));
  LOCKED_TEST(read_string(p.server, 3) == "abc");
  runner.join();
  LOCKED_TEST((order == std::vector<int>{0, 1, 2}));
}

BOOST_AUTO_TEST_CASE(buffers_grow_under_load_up_to_their_limits_and_lose_nothing) {
  for (const int limit : {8192, 16384, 131072, 4 << 20}) {
    asio::io_context context;
    rc::acceptor acceptor(context, any_port().protocol());
    acceptor.set_option(asio_rdma::receive_buffer_size(limit));
    acceptor.set_option(asio_rdma::send_buffer_size(limit));
    acceptor.set_option(asio_rdma::initial_buffer_size(4096));
    acceptor.bind(any_port());
    acceptor.listen();
    rc::socket client(context, any_port().protocol());
    client.set_option(asio_rdma::send_buffer_size(limit));
    client.set_option(asio_rdma::receive_buffer_size(limit));
    client.set_option(asio_rdma::initial_buffer_size(8192));
    client.connect(acceptor.local_endpoint());
    rc::socket server = acceptor.accept();
    const auto idle = asio_rdma::statistics(client).levels;
    BOOST_TEST(idle.receive_buffer_size == 8192u);
    BOOST_TEST(idle.send_buffer_size == 8192u);

    const auto up = pattern(16 << 20), down = pattern(9 << 20);
    std::vector<unsigned char> at_server(up.size()), at_client(down.size());
    const auto handler = [](error_code ec, std::size_t) { BOOST_TEST(!ec); };
    asio::async_write(client, asio::buffer(up), handler);
    asio::async_write(server, asio::buffer(down), handler);
    asio::async_read(server, asio::buffer(at_server), handler);
    asio::async_read(client, asio::buffer(at_client), handler);
    context.run();
    BOOST_TEST((at_server == up));
    BOOST_TEST((at_client == down));

    const auto c = asio_rdma::statistics(client).levels, s = asio_rdma::statistics(server).levels;
    const auto largest = static_cast<std::uint64_t>(limit);
    BOOST_TEST(c.send_buffer_size == largest);
    BOOST_TEST(s.send_buffer_size == largest);
    BOOST_TEST(s.receive_buffer_size <= largest);
    BOOST_TEST(c.receive_buffer_size <= largest);
    if (limit <= 131072) {
      BOOST_TEST(s.receive_buffer_size == largest);
      BOOST_TEST(c.receive_buffer_size == largest);
    }
    BOOST_TEST(c.peer_buffer_size == s.receive_buffer_size);
    BOOST_TEST(s.peer_buffer_size == c.receive_buffer_size);
    // The former ones are gone, but for the first.
    BOOST_TEST(s.registered_memory <= s.receive_buffer_size + s.send_buffer_size + 32768u);
  }
}

BOOST_AUTO_TEST_CASE(memory_written_before_the_peer_reads_is_that_of_the_limits) {
  connected_pair p;
  const auto sent = pattern(128 << 10);
  BOOST_TEST(asio::write(p.client, asio::buffer(sent)) == sent.size());  // the server does nothing
  std::vector<unsigned char> received(sent.size());
  asio::read(p.server, asio::buffer(received));
  BOOST_TEST((received == sent));
}

BOOST_AUTO_TEST_CASE(peek_leaves_the_data) {
  connected_pair p;
  write_string(p.client, "peek");
  p.server.wait(rc::socket::wait_read);
  std::string text(4, '\0');
  while (p.server.available() < 4) p.server.receive(asio::buffer(text), rc::socket::message_peek);
  BOOST_TEST(p.server.receive(asio::buffer(text), rc::socket::message_peek) == 4u);
  BOOST_TEST(text == "peek");
  text = "....";
  p.server.async_receive(asio::buffer(text), rc::socket::message_peek, [](error_code ec, std::size_t n) {
    BOOST_TEST(!ec);
    BOOST_TEST(n == 4u);
  });
  p.context.run();
  BOOST_TEST(text == "peek");
  rc::socket::bytes_readable readable;
  p.server.io_control(readable);
  BOOST_TEST(readable.get() == 4u);
  BOOST_TEST(read_string(p.server, 4) == "peek");
  BOOST_TEST(p.server.available() == 0u);
}

BOOST_AUTO_TEST_CASE(out_of_band_data_is_not_supported) {
  connected_pair p;
  char c = 'x';
  error_code ec;
  p.client.send(asio::buffer(&c, 1), rc::socket::message_out_of_band, ec);
  BOOST_TEST(ec == asio::error::operation_not_supported);
  p.server.async_receive(asio::buffer(&c, 1), rc::socket::message_out_of_band,
                         [&](error_code e, std::size_t) { ec = e; });
  ec = error_code();
  p.context.run();
  BOOST_TEST(ec == asio::error::operation_not_supported);
}

BOOST_AUTO_TEST_CASE(empty_buffers_complete_at_once) {
  connected_pair p;
  int done = 0;
  const auto handler = [&](error_code ec, std::size_t n) {
    BOOST_TEST(!ec);
    BOOST_TEST(n == 0u);
    ++done;
  };
  BOOST_TEST(p.client.read_some(asio::mutable_buffer()) == 0u);
  BOOST_TEST(p.client.write_some(asio::const_buffer()) == 0u);
  p.client.async_read_some(asio::mutable_buffer(), handler);
  p.client.async_write_some(asio::const_buffer(), handler);
  BOOST_TEST(done == 0);
  p.context.run();
  BOOST_TEST(done == 2);
}

BOOST_AUTO_TEST_CASE(empty_buffers_on_a_closed_socket_are_an_error) {
  asio::io_context context;
  rc::socket s(context);
  error_code ec, later;
  s.write_some(asio::const_buffer(), ec);
  BOOST_TEST(ec == asio::error::bad_descriptor);
  s.async_read_some(asio::mutable_buffer(), [&](error_code e, std::size_t) { later = e; });
  context.run();
  BOOST_TEST(later == asio::error::bad_descriptor);
}

BOOST_AUTO_TEST_CASE(reads_return_what_is_there_and_errors_count_nothing) {
  connected_pair p;
  write_string(p.client, "abc");
  while (p.server.available() < 3) p.server.wait(rc::socket::wait_read);
  char data[100];
  error_code ec;
  BOOST_TEST(p.server.read_some(asio::buffer(data, 2), ec) == 2u);
  BOOST_TEST(p.server.read_some(asio::buffer(data), ec) == 1u);
  BOOST_TEST(!ec);
  BOOST_TEST(data[0] == 'c');
  p.client.close();
  BOOST_TEST(p.server.read_some(asio::buffer(data), ec) == 0u);
  BOOST_TEST(ec == asio::error::eof);
  std::size_t count = 1;
  p.server.async_read_some(asio::buffer(data), [&](error_code e, std::size_t n) {
    ec = e;
    count = n;
  });
  p.context.run();
  BOOST_TEST(ec == asio::error::eof);
  BOOST_TEST(count == 0u);
}

BOOST_AUTO_TEST_CASE(shutting_down_receives_ends_reads_and_both_ends_all) {
  connected_pair p;
  char c = 0;
  error_code pending;
  p.server.async_read_some(asio::buffer(&c, 1), [&](error_code ec, std::size_t) { pending = ec; });
  p.context.poll();
  p.server.shutdown(rc::socket::shutdown_receive);
  run(p.context);
  BOOST_TEST(pending == asio::error::eof);
  write_string(p.server, "still goes out");
  BOOST_TEST(read_string(p.client, 14) == "still goes out");
  p.server.shutdown(rc::socket::shutdown_both);
  error_code ec;
  p.server.write_some(asio::buffer("x", 1), ec);
  BOOST_TEST(ec == asio::error::broken_pipe);
  p.client.read_some(asio::buffer(&c, 1), ec);
  BOOST_TEST(ec == asio::error::eof);

  rc::socket unconnected(p.context, rc::v4());
  for (const auto what : {rc::socket::shutdown_receive, rc::socket::shutdown_send, rc::socket::shutdown_both}) {
    unconnected.shutdown(what, ec);
    BOOST_TEST(ec == asio::error::not_connected);
  }
}

BOOST_AUTO_TEST_CASE(acknowledged_writes) {
  connected_pair p;
  p.client.set_option(asio_rdma::acknowledged_writes(true));
  const auto sent = pattern(300000);
  std::vector<unsigned char> received(sent.size());
  int done = 0;
  const auto handler = [&](error_code ec, std::size_t n) {
    BOOST_TEST(!ec);
    BOOST_TEST(n == sent.size());
    ++done;
  };
  asio::async_write(p.client, asio::buffer(sent), handler);
  asio::async_read(p.server, asio::buffer(received), handler);
  p.context.run();
  BOOST_TEST(done == 2);
  BOOST_TEST((received == sent));
  write_string(p.client, "and blocking");
  BOOST_TEST(read_string(p.server, 12) == "and blocking");
}

BOOST_AUTO_TEST_SUITE_END()
