// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <cstddef>
#include <string>
#include <vector>

using namespace fault_test;
using asio::awaitable;
using asio::use_awaitable;
using asio_rdma::rc_seq_packet;
using message_flags = asio::socket_base::message_flags;

namespace {

constexpr message_flags end_of_record = asio::socket_base::message_end_of_record;  // Asio's is a declaration only

/// One longer than a ring.
const std::vector<std::string> messages = {pattern(1, 3), pattern(300'000, 4), "", pattern(5000, 5),
                                           pattern(70'000, 6)};

std::string all_of(const std::vector<std::string>& list) {
  std::string result;
  for (const std::string& m : list) result += std::to_string(m.size()) + ':' + m;
  return result;
}

awaitable<void> send_all(rc_seq_packet::socket& s) {
  for (const std::string& m : messages) {
    BOOST_TEST(co_await s.async_send(asio::buffer(m), 0, use_awaitable) == m.size());
  }
  s.shutdown(rc_seq_packet::socket::shutdown_send);
}

/// Only whole ones count.
awaitable<void> receive_all(rc_seq_packet::socket& s, end& e) {
  std::string part(100'000, '\0');
  for (;;) {
    std::string message;
    for (message_flags flags = 0; (flags & end_of_record) == 0;) {
      error_code ec;
      flags = 0;
      const std::size_t n =
          co_await s.async_receive(asio::buffer(part), flags, asio::redirect_error(use_awaitable, ec));
      message.append(part, 0, n);
      if (ec == asio::error::eof) {
        e.is_complete = true;
        BOOST_TEST(message.empty());
        co_return;
      }
      if (ec) throw boost::system::system_error(ec);
    }
    e.received += std::to_string(message.size()) + ':' + message;
  }
}

awaitable<void> ask(rc_seq_packet::endpoint to, end& e) {
  rc_seq_packet::socket s(co_await asio::this_coro::executor);
  co_await s.async_connect(to, use_awaitable);
  co_await send_all(s);
  co_await receive_all(s, e);
}

awaitable<void> answer_one(rc_seq_packet::acceptor& acceptor, end& e) {
  rc_seq_packet::socket s = co_await acceptor.async_accept(use_awaitable);
  co_await receive_all(s, e);
  co_await send_all(s);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(faults_of_messages)

BOOST_AUTO_TEST_CASE(each_call_while_messages_go_both_ways, *boost::unit_test::label("native")) {
  fail_each_call([](bool is_faulty) {
    asio::io_context context;
    end client, server;
    rc_seq_packet::acceptor acceptor(context);
    if (const error_code ec = listen_on_any_port(acceptor)) return ec;
    start(context, server, answer_one(acceptor, server), [&] { acceptor.close(); });
    start(context, client, ask(acceptor.local_endpoint(), client), [&] { acceptor.close(); });
    run(context);
    return check_both(client, server, all_of(messages), all_of(messages), is_faulty);
  });
}

BOOST_AUTO_TEST_SUITE_END()
