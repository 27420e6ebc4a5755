// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Reads into registered memory, which the peer writes directly. The program's memory is deregistered when its read is
// over, however that ended, which it cannot be while a window to it is open.

#include "fixture.hpp"

#include "socket/parameter.hpp"

#include <asio_rdma/registered_buffer.hpp>

#include <cstring>

using namespace fault_test;
using asio::awaitable;
using asio::use_awaitable;
using asio_rdma::rc;
using asio_rdma::registered_buffer;

namespace {

const std::string question = pattern(300'000, 3);
const std::string answer = pattern(200'000, 4);

awaitable<void> write_all(rc::socket& s, const std::string& text) {
  registered_buffer memory(text.size());
  std::memcpy(memory.data(), text.data(), text.size());
  for (std::size_t at = 0; at < text.size();) {
    at += co_await s.async_write_some(memory.buffer(at, text.size() - at), use_awaitable);
  }
  s.shutdown(rc::socket::shutdown_send);
}

awaitable<void> read_all(rc::socket& s, end& e) {
  registered_buffer memory(100'000);
  for (;;) {
    error_code ec;
    const std::size_t n = co_await s.async_read_some(memory.buffer(), asio::redirect_error(use_awaitable, ec));
    e.received.append(reinterpret_cast<const char*>(memory.data()), n);
    if (ec == asio::error::eof) {
      e.is_complete = true;
      co_return;
    }
    if (ec) throw boost::system::system_error(ec);
  }
}

awaitable<void> ask(rc::endpoint to, end& e, bool own_domain) {
  rc::socket s(co_await asio::this_coro::executor, to.protocol());
  s.set_option(asio_rdma::own_protection_domain(own_domain));
  s.set_option(asio_rdma::connect_timeout(parameter("ASIO_RDMA_TEST_CONNECT_TIMEOUT", 500, 5000)));
  co_await s.async_connect(to, use_awaitable);
  co_await write_all(s, question);
  co_await read_all(s, e);
}

awaitable<void> answer_one(rc::acceptor& acceptor, end& e) {
  rc::socket s = co_await acceptor.async_accept(use_awaitable);
  co_await read_all(s, e);
  co_await write_all(s, answer);
}

error_code both_directions(bool is_faulty, bool own_domains) {
  asio::io_context context;
  end client, server;
  rc::acceptor acceptor(context);
  if (const error_code ec = listen_on_any_port(acceptor, asio_rdma::own_protection_domain(own_domains))) return ec;
  start(context, server, answer_one(acceptor, server), [&] { acceptor.close(); });
  start(context, client, ask(acceptor.local_endpoint(), client, own_domains), [&] { acceptor.close(); });
  run(context);
  return check_both(client, server, answer, question, is_faulty);
}

/// Somebody is killed while the other one waits with its memory.
void reset_while_memory_is_offered() {
  asio::io_context context;
  rc::acceptor acceptor(context, {test_address(), 0});
  rc::socket client(context), server(context);
  client.connect(acceptor.local_endpoint());
  acceptor.accept(server);
  registered_buffer memory(100'000);
  error_code result;
  server.async_read_some(memory.buffer(), [&](error_code ec, std::size_t) { result = ec; });
  context.poll();
  client.set_option(asio::socket_base::linger(true, 0));
  client.close();
  run(context);
  BOOST_TEST(result == asio::error::connection_reset);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(faults_of_direct_reads)

BOOST_AUTO_TEST_CASE(each_call_while_both_ends_read_directly) {
  fail_each_call([](bool is_faulty) { return both_directions(is_faulty, false); });
}

/// In which the memory is registered for as long as the connection lasts.
BOOST_AUTO_TEST_CASE(each_call_in_protection_domains_of_their_own) {
  fail_each_call([](bool is_faulty) { return both_directions(is_faulty, true); });
}

BOOST_AUTO_TEST_CASE(a_reset_leaves_no_memory_registered) {
  reset_while_memory_is_offered();  // what is made once
  settle();
  leaves_nothing(reset_while_memory_is_offered);
}

BOOST_AUTO_TEST_SUITE_END()
