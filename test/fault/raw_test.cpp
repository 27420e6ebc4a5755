// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <asio_rdma/raw_acceptor.hpp>
#include <asio_rdma/raw_connection.hpp>

#include <chrono>
#include <cstring>
#include <exception>
#include <string>

using namespace fault_test;
using asio::awaitable;
using asio::use_awaitable;
using asio_rdma::raw_acceptor;
using asio_rdma::raw_connection;
using asio_rdma::raw_options;
using asio_rdma::raw_setup;
using asio_rdma::registered_memory;
using asio_rdma::work_completion;

namespace {

using endpoint = asio::ip::tcp::endpoint;

constexpr int rounds = 8;
constexpr std::size_t size = 16;

const std::string questions = pattern(rounds * size, 7);
const std::string answers = pattern(rounds * size, 8);

/// A receive that was posted, to be waited for later.
class posted_receive {
public:
  explicit posted_receive(raw_connection& c) : connection_(c), done_(c.get_executor()) {}

  void post(const registered_memory& memory) {
    is_done_ = false;
    text_ = memory.as<char>();
    connection_.async_receive(memory.slice(0, size), [this](const error_code& ec, const work_completion& w) {
      is_done_ = true;
      result_ = ec;
      if (!ec) BOOST_TEST(w.bytes() == size);
      done_.cancel();
    });
  }
  awaitable<void> wait(end& e) {
    while (!is_done_) {
      error_code ignored;
      done_.expires_after(std::chrono::hours(1));
      co_await done_.async_wait(asio::redirect_error(use_awaitable, ignored));
    }
    if (result_) throw boost::system::system_error(result_);
    e.received.append(text_, size);
    e.is_complete = e.received.size() == rounds * size;
  }
  /// Before it is destroyed, its handler has to be called.
  awaitable<void> finish() {
    connection_.close();
    while (!is_done_) co_await asio::post(connection_.get_executor(), use_awaitable);
  }

private:
  raw_connection& connection_;
  asio::steady_timer done_;
  bool is_done_ = true;
  error_code result_;
  const char* text_ = nullptr;
};

/// Sends one text after the other: who begins before it receives one, the other end afterwards.
awaitable<void> talk(raw_connection& c, const registered_memory& memory, posted_receive& receive,
                     const std::string& texts, bool begins, end& e) {
  for (int i = 0; i < rounds; ++i) {
    if (begins) {
      receive.post(memory);
    } else {
      co_await receive.wait(e);
      receive.post(memory);
    }
    std::memcpy(memory.as<char>(64), texts.data() + static_cast<std::size_t>(i) * size, size);
    co_await c.async_send(memory.slice(64, size), use_awaitable);
    if (begins) co_await receive.wait(e);
  }
}

awaitable<void> ask(endpoint to, raw_options options, end& e) {
  registered_memory memory;
  raw_connection c(co_await asio::this_coro::executor);
  posted_receive receive(c);
  std::exception_ptr failure;
  try {
    co_await c.async_connect(to, options, use_awaitable);
    memory = c.register_memory(4096);
    co_await talk(c, memory, receive, questions, true, e);
    // One of its own, waited for by the program; and what only the device does.
    const asio_rdma::local_buffer from = memory.slice(64, size);
    c.post_send(asio_rdma::work_request::write(from, c.peer_memory().at(2048)).with_id(1));
    work_completion found[1];
    co_await c.async_poll(found, use_awaitable);
    BOOST_TEST(found[0].id() == 1u);
    co_await c.async_read_remote(memory.slice(256, size), c.peer_memory().at(2048), use_awaitable);
    BOOST_TEST(std::memcmp(memory.as<char>(256), memory.as<char>(64), size) == 0);
  } catch (...) {
    failure = std::current_exception();
  }
  co_await receive.finish();
  if (failure) std::rethrow_exception(failure);
}

awaitable<void> answer_one(raw_acceptor& acceptor, end& e) {
  registered_memory memory;
  raw_connection c(co_await asio::this_coro::executor);
  posted_receive receive(c);
  std::exception_ptr failure;
  try {
    co_await acceptor.async_accept_request(c, use_awaitable);
    memory = c.register_memory(4096);
    c.offer(memory.offer());
    receive.post(memory);
    co_await c.async_establish(use_awaitable);
    co_await talk(c, memory, receive, answers, false, e);
    // The client still accesses this memory. When it has closed, the last receive comes back.
    error_code ec;
    end nothing;
    try {
      co_await receive.wait(nothing);
    } catch (const boost::system::system_error& error) {
      ec = error.code();
    }
    BOOST_TEST(nothing.received.empty());
    if (ec != asio::error::connection_reset) throw boost::system::system_error(ec);
  } catch (...) {
    failure = std::current_exception();
  }
  co_await receive.finish();
  if (failure) std::rethrow_exception(failure);
}

error_code one_connection(raw_setup setup, bool is_faulty) {
  asio::io_context context;
  raw_options options;
  options.setup = setup;
  raw_acceptor acceptor(context);
  error_code ec;
  acceptor.listen({test_address(), 0}, options, 8, ec);
  if (ec) return ec;
  end client, server;
  start(context, server, answer_one(acceptor, server), [&] { acceptor.close(); });
  start(context, client, ask(acceptor.local_endpoint(), options, client), [&] { acceptor.close(); });
  run(context);
  return check_both(client, server, answers, questions, is_faulty);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(faults_of_raw_connections)

BOOST_AUTO_TEST_CASE(each_call_by_the_connection_manager) {
  fail_each_call([](bool is_faulty) { return one_connection(raw_setup::connection_manager, is_faulty); });
}

BOOST_AUTO_TEST_CASE(each_event_that_may_come_at_any_time, *boost::unit_test::label("native")) {
  insert_each_event([](bool is_faulty) { return one_connection(raw_setup::connection_manager, is_faulty); });
}

BOOST_AUTO_TEST_CASE(each_call_by_an_exchange, *boost::unit_test::label("native")) {
  fail_each_call([](bool is_faulty) { return one_connection(raw_setup::exchange, is_faulty); });
}

BOOST_AUTO_TEST_SUITE_END()
