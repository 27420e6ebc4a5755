// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

using asio::awaitable;
using asio::use_awaitable;

namespace {

/// Runs a coroutine to its end.
void run(asio::io_context& context, awaitable<void> body) {
  std::exception_ptr failure;
  asio::co_spawn(context, std::move(body), [&](std::exception_ptr e) { failure = e; });
  context.restart();
  context.run();
  if (failure) std::rethrow_exception(failure);
}

awaitable<void> connect(raw_connection& c, endpoint to) {
  const raw_options options;  // g++ 12 destroys a temporary of this kind twice in a coroutine
  co_await c.async_connect(to, options, use_awaitable);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(async)

BOOST_AUTO_TEST_CASE(a_wake_up_does_not_overtake_a_posted_handler) {
  prepared_pair p;
  std::string order;
  const auto note = [&](const error_code& ec, const work_completion& w) { order += ec ? 'e' : char('0' + w.bytes()); };
  const auto send = [&](std::size_t bytes) {
    const local_buffer from = p.client_memory.slice(0, bytes);
    p.client.post_send(work_request::send(from).signaled());
    work_completion done;
    while (p.client.poll({&done, 1}) == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  p.server.async_receive(p.server_memory.slice(0, 64), note);
  p.server.async_receive(p.server_memory.slice(64, 64), note);
  send(1);
  // The wake-up is queued when this runs, and the handler of what this call finds behind it.
  asio::post(p.context, [&] {
    p.server.async_receive(p.server_memory.slice(128, 64), note);
    send(2);
    send(3);
  });
  p.context.run();
  BOOST_TEST(order == "123");
}

BOOST_AUTO_TEST_CASE(an_echo_by_coroutines) {
  asio::io_context context;
  raw_acceptor acceptor(context, any_port());
  const auto serve = [&]() -> awaitable<void> {
    raw_connection c(context);
    co_await acceptor.async_accept_request(c, use_awaitable);
    const registered_memory memory = c.register_memory(64);
    // Posted before the peer can send.
    work_completion received;
    std::size_t done = 0;
    c.async_receive(memory.slice(0, 64), [&](const error_code& ec, const work_completion& w) {
      BOOST_TEST(!ec, ec.message());
      received = w;
      ++done;
    });
    co_await c.async_establish(use_awaitable);
    while (done == 0) co_await asio::post(context, use_awaitable);
    co_await c.async_send(memory.slice(0, received.bytes()), use_awaitable);
    // The peer closes when it has its answer.
    error_code ec;
    co_await c.async_receive(memory.slice(0, 64), asio::redirect_error(use_awaitable, ec));
    BOOST_TEST((ec == asio::error::connection_reset), ec.message());
  };
  const auto ask = [&]() -> awaitable<void> {
    raw_connection c(context);
    co_await connect(c, acceptor.local_endpoint());
    const registered_memory memory = c.register_memory(128);
    std::strcpy(memory.as<char>(), "ping");
    std::string answer;
    c.async_receive(memory.slice(64, 64), [&](const error_code& ec, const work_completion& w) {
      if (!ec) answer.assign(memory.as<char>(64), w.bytes());
    });
    co_await c.async_send(memory.slice(0, 4), use_awaitable);
    while (answer.empty()) co_await asio::post(context, use_awaitable);
    BOOST_TEST(answer == "ping");
  };
  asio::co_spawn(context, serve(), [](std::exception_ptr e) { if (e) std::rethrow_exception(e); });
  run(context, ask());
}

BOOST_AUTO_TEST_CASE(one_sided_operations_and_atomics) {
  connected_pair p;
  std::strcpy(p.server_memory.as<char>(), "theirs");
  run(p.context, [&]() -> awaitable<void> {
    const remote_memory there = p.client.peer_memory();
    work_completion c = co_await p.client.async_read_remote(p.client_memory.slice(0, 7), there, use_awaitable);
    BOOST_TEST(c.bytes() == 7u);
    BOOST_TEST(p.client_memory.as<char>() == std::string("theirs"));
    std::strcpy(p.client_memory.as<char>(), "mine");
    co_await p.client.async_write_remote(p.client_memory.slice(0, 5), there.at(100), use_awaitable);
    BOOST_TEST(p.server_memory.as<char>(100) == std::string("mine"));
    *p.server_memory.as<std::uint64_t>(200) = 40;
    const local_buffer result = p.client_memory.slice(8, 8);
    co_await p.client.async_fetch_add(result, there.at(200), 2, use_awaitable);
    BOOST_TEST(*p.client_memory.as<std::uint64_t>(8) == 40u);
    co_await p.client.async_compare_swap(result, there.at(200), 42, 7, use_awaitable);
    BOOST_TEST(*p.client_memory.as<std::uint64_t>(8) == 42u);
    BOOST_TEST(*p.server_memory.as<std::uint64_t>(200) == 7u);
  }());
}

BOOST_AUTO_TEST_CASE(completions_of_ones_own_requests_are_waited_for) {
  connected_pair p;
  const local_buffer from = p.client_memory.slice(0, 8);
  p.client.post_send(work_request::write(from, p.client.peer_memory()).with_id(1));
  work_completion found[4];
  std::size_t n = 0;
  p.client.async_poll(found, [&](const error_code& ec, std::size_t count) {
    BOOST_TEST(!ec, ec.message());
    n = count;
  });
  p.context.run();
  BOOST_TEST(n == 1u);
  BOOST_TEST(found[0].id() == 1u);
  // And from now on by poll(), beside an operation's.
  bool done = false;
  p.client.async_write_remote(from, p.client.peer_memory(), [&](const error_code& ec, const work_completion&) {
    BOOST_TEST(!ec, ec.message());
    done = true;
  });
  p.client.post_send(work_request::write(from, p.client.peer_memory()).with_id(2));
  BOOST_TEST(next_good(p.client).id() == 2u);
  run(p.context, []() -> awaitable<void> { co_return; }());
  BOOST_TEST(done);
}

BOOST_AUTO_TEST_CASE(waiting_for_completions_can_be_given_up) {
  connected_pair p;
  asio::cancellation_signal signal;
  work_completion found[1];
  error_code result;
  const auto keep = [&](const error_code& ec, std::size_t) { result = ec; };
  p.client.async_poll(found, asio::bind_cancellation_slot(signal.slot(), keep));
  p.context.poll();
  BOOST_TEST(!result);
  signal.emit(asio::cancellation_type::total);
  p.context.restart();
  p.context.run();
  BOOST_TEST((result == asio::error::operation_aborted), result.message());
  const local_buffer empty = p.client_memory.slice(0, 0);
  p.client.post_send(work_request::write(empty, p.client.peer_memory()));
  next_good(p.client);
}

BOOST_AUTO_TEST_CASE(a_posted_receive_is_cancelled_by_the_end_of_the_connection_only) {
  connected_pair p;
  asio::cancellation_signal signal;
  error_code result;
  work_completion completion;
  int calls = 0;
  const auto keep = [&](const error_code& ec, const work_completion& c) {
    result = ec;
    completion = c;
    ++calls;
  };
  p.client.async_receive(p.client_memory.slice(0, 8), asio::bind_cancellation_slot(signal.slot(), keep));
  signal.emit(asio::cancellation_type::total);
  signal.emit(asio::cancellation_type::partial);
  p.context.poll();
  BOOST_TEST(calls == 0);
  signal.emit(asio::cancellation_type::terminal);
  p.context.restart();
  p.context.run();
  BOOST_TEST(calls == 1);
  BOOST_TEST((result == asio::error::operation_aborted), result.message());
  BOOST_TEST(completion.status == IBV_WC_WR_FLUSH_ERR);  // the card has given it back
}

BOOST_AUTO_TEST_CASE(a_receive_that_is_posted_after_the_end_is_given_back) {
  connected_pair p;
  p.server.close();
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!p.client.ended() && std::chrono::steady_clock::now() < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  BOOST_REQUIRE(p.client.ended());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // nothing of the end is under way any more
  error_code result;
  p.client.async_receive(p.client_memory.slice(0, 8),
                         [&](const error_code& ec, const work_completion&) { result = ec; });
  p.context.restart();
  p.context.run_for(std::chrono::seconds(10));
  BOOST_TEST((result == asio::error::connection_reset), result.message());
  // Who calls synchronously sleeps elsewhere.
  const local_buffer in = p.client_memory.slice(0, 8);
  p.client.post_receive(receive_request(in));
  work_completion flushed[1];
  BOOST_TEST(p.client.wait(flushed) == 1u);
  BOOST_TEST(flushed[0].status == IBV_WC_WR_FLUSH_ERR);
}

BOOST_AUTO_TEST_CASE(a_server_that_goes_while_the_connection_comes_about_resets_it) {
  for (int i = 0; i < 20; ++i) {
    asio::io_context context;
    raw_acceptor acceptor(context, any_port());
    raw_connection client(context), server(context);
    error_code result = asio::error::would_block;
    registered_memory memory;
    acceptor.async_accept_request(server, [&](const error_code& ec) {
      BOOST_TEST(!ec, ec.message());
      server.async_establish([](const error_code&) {});
      asio::post(context, [&] { server.close(); });
    });
    client.async_connect(acceptor.local_endpoint(), raw_options(), [&](const error_code& ec) {
      result = ec;
      if (ec) return;
      memory = client.register_memory(64);
      result = asio::error::would_block;
      client.async_receive(memory.slice(0, 8),
                           [&](const error_code& failed, const work_completion&) { result = failed; });
    });
    context.run_for(std::chrono::seconds(20));
    BOOST_TEST((result == asio::error::connection_reset || result == asio::error::connection_refused),
               result.message());
  }
}

BOOST_AUTO_TEST_CASE(what_is_flushed_after_a_failed_request_tells_why) {
  connected_pair p;
  error_code result;
  p.client.async_receive(p.client_memory.slice(0, 8),
                         [&](const error_code& ec, const work_completion&) { result = ec; });
  const local_buffer from = p.client_memory.slice(0, 8);
  asio_rdma::remote_memory elsewhere = p.client.peer_memory();
  elsewhere.key ^= 0xff;
  p.client.post_send(work_request::write(from, elsewhere).with_id(1));  // its completion is the program's own
  p.context.run_for(std::chrono::seconds(10));
  BOOST_TEST((result == asio::error::access_denied), result.message());
}

BOOST_AUTO_TEST_CASE(closing_aborts_what_waits) {
  connected_pair p;
  std::vector<error_code> results;
  p.client.async_receive(p.client_memory.slice(0, 8),
                         [&](const error_code& ec, const work_completion&) { results.push_back(ec); });
  work_completion found[1];
  p.client.async_poll(found, [&](const error_code& ec, std::size_t) { results.push_back(ec); });
  raw_acceptor acceptor(p.context, any_port());
  raw_connection other(p.context);
  acceptor.async_accept(other, [&](const error_code& ec) { results.push_back(ec); });
  p.context.poll();
  BOOST_TEST(results.empty());
  p.client.close();
  acceptor.close();
  BOOST_TEST(results.empty());  // never from within
  p.context.restart();
  p.context.run();
  BOOST_TEST_REQUIRE(results.size() == 3u);
  for (const error_code& ec : results) BOOST_TEST((ec == asio::error::operation_aborted), ec.message());
}

BOOST_AUTO_TEST_CASE(a_context_that_ends_destroys_what_waits) {
  auto token = std::make_shared<int>(0);
  {
    asio::io_context context;
    auto acceptor = std::make_shared<raw_acceptor>(context, any_port());
    auto c = std::make_shared<raw_connection>(context);
    acceptor->async_accept(*c, [acceptor, c, token](const error_code&) { BOOST_ERROR("called"); });
    context.poll();
  }
  BOOST_TEST(token.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(a_set_up_can_be_given_up) {
  asio::io_context context;
  raw_acceptor acceptor(context, any_port());  // never accepts
  raw_connection c(context);
  asio::cancellation_signal signal;
  error_code result;
  const raw_options options;
  c.open(acceptor.local_endpoint(), options);
  c.post_receive(receive_request());
  c.async_establish(asio::bind_cancellation_slot(signal.slot(), [&](const error_code& ec) { result = ec; }));
  context.poll();
  BOOST_TEST(!result);
  signal.emit(asio::cancellation_type::terminal);
  context.restart();
  context.run();
  BOOST_TEST((result == asio::error::operation_aborted), result.message());
  BOOST_TEST(!c.is_open());
  BOOST_TEST(next(c).status == IBV_WC_WR_FLUSH_ERR);
}

BOOST_AUTO_TEST_CASE(sleeping_and_operations_go_together) {
  connected_pair p;
  p.server.post_receive(receive_request().with_id(5));
  bool done = false;
  p.server.async_receive(p.server_memory.slice(0, 8),
                         [&](const error_code& ec, const work_completion&) { done = !ec; });
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    p.client.post_send(work_request::send());
    p.client.post_send(work_request::send());
  });
  work_completion found[1];
  BOOST_TEST(p.server.wait(found) == 1u);
  BOOST_TEST(found[0].id() == 5u);
  later.join();
  p.context.run();
  BOOST_TEST(done);
}

BOOST_AUTO_TEST_CASE(a_queue_that_is_full_says_so) {
  connected_pair p;
  const asio_rdma::raw_limits limits = p.client.limits();
  std::size_t failed = 0, done = 0;
  // Some devices have more room than they say.
  for (unsigned i = 0; i < 4 * limits.receive_depth; ++i) {
    p.client.async_receive(p.client_memory.slice(0, 8), [&](const error_code& ec, const work_completion&) {
      ec == boost::system::errc::not_enough_memory ? ++failed : ++done;
    });
  }
  p.context.poll();
  BOOST_TEST(failed >= 1u);
  BOOST_TEST(failed <= 3 * limits.receive_depth);
  BOOST_TEST(done == 0u);
}

BOOST_AUTO_TEST_CASE(a_closed_connection_says_so) {
  asio::io_context context;
  raw_connection c(context);
  error_code result;
  c.async_send(local_buffer(), [&](const error_code& ec, const work_completion&) { result = ec; });
  context.run();
  BOOST_TEST((result == asio::error::not_connected), result.message());
  c.async_connect(endpoint(asio::ip::make_address("127.0.0.1"), 0), {}, [&](const error_code& ec) { result = ec; });
  context.restart();
  context.run();
  BOOST_TEST((result == asio::error::connection_refused), result.message());
  BOOST_TEST(!c.is_open());
}

BOOST_AUTO_TEST_SUITE_END()
