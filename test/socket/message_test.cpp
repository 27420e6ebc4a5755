// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>

// GCC 12 takes the allocation functions of Asio's coroutines for a mismatched pair.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

using asio_rdma::rc_seq_packet;
using message = std::vector<unsigned char>;
using message_flags = asio::socket_base::message_flags;

namespace {

constexpr message_flags end_of_record = asio::socket_base::message_end_of_record;  // Asio's is a declaration only

struct message_pair {
  explicit message_pair(std::optional<int> buffer_size = {}) {
    asio::io_context other;
    rc_seq_packet::acceptor acceptor(other, rc_seq_packet::v4());
    client.open(rc_seq_packet::v4());
    if (buffer_size) {
      acceptor.set_option(asio_rdma::receive_buffer_size(*buffer_size));
      client.set_option(asio_rdma::send_buffer_size(*buffer_size));
    }
    acceptor.bind({test_address(), 0});
    acceptor.listen();
    client.connect(acceptor.local_endpoint());
    acceptor.accept(server);
  }

  asio::io_context context;
  rc_seq_packet::socket client{context};
  rc_seq_packet::socket server{context};
};

/// Reads one message through buffers of the given size.
message receive_message(rc_seq_packet::socket& s, std::size_t buffer_size = 1 << 16) {
  message result, part(buffer_size);
  for (;;) {
    message_flags flags = 0;
    const std::size_t n = s.receive(asio::buffer(part), flags);
    result.insert(result.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(n));
    if ((flags & end_of_record) != 0) return result;
  }
}

/// On any thread.
void send_message(rc_seq_packet::socket& s, const message& m) {
  if (s.send(asio::buffer(m), 0) != m.size()) throw std::logic_error("a part of a message was sent");
}

error_code receive_error(rc_seq_packet::socket& s) {
  error_code ec;
  char c = 0;
  message_flags flags = 0;
  s.receive(asio::buffer(&c, 1), 0, flags, ec);
  return ec;
}

constexpr unsigned many = 100;
constexpr std::size_t largest_of_many = 50000;

asio::awaitable<void> send_many(rc_seq_packet::socket& s, unsigned seed) {
  std::mt19937 random(seed);
  for (unsigned i = 0; i < many; ++i) {
    const message m = pattern(random() % largest_of_many, seed + i);
    BOOST_TEST(co_await s.async_send(asio::buffer(m), 0, asio::use_awaitable) == m.size());
  }
}

asio::awaitable<void> receive_many(rc_seq_packet::socket& s, unsigned seed) {
  std::mt19937 random(seed);
  for (unsigned i = 0; i < many; ++i) {
    message m(largest_of_many);
    std::size_t got = 0;
    message_flags flags = 0;
    while ((flags & end_of_record) == 0) {
      got += co_await s.async_receive(asio::buffer(m) + got, flags, asio::use_awaitable);
    }
    m.resize(got);
    BOOST_TEST((m == pattern(random() % largest_of_many, seed + i)));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(messages)

BOOST_AUTO_TEST_CASE(boundaries_are_kept_whatever_the_size) {
  message_pair p;
  const std::size_t fragment = 32 << 10, ring = 128 << 10;  // of the default buffers
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, fragment - 1, fragment, fragment + 1, ring - 1, ring,
                                 ring + 1, std::size_t{3} << 20}) {
    const message first = pattern(size, 1), second = pattern(size, 2);
    scoped_thread sender([&] {
      send_message(p.client, first);
      send_message(p.client, second);
    });
    BOOST_TEST((receive_message(p.server) == first));
    BOOST_TEST((receive_message(p.server, 1000) == second));
  }
}

BOOST_AUTO_TEST_CASE(a_large_message_through_a_small_ring) {
  message_pair p(4096);
  const message sent = pattern(64 << 10);
  scoped_thread sender([&] { send_message(p.client, sent); });
  BOOST_TEST((receive_message(p.server) == sent));
}

BOOST_AUTO_TEST_CASE(a_receive_gives_what_there_is_of_one_message) {
  message_pair p;
  send_message(p.client, pattern(10, 1));
  send_message(p.client, pattern(4, 2));
  p.server.wait(rc_seq_packet::socket::wait_read);
  message part(6);
  message_flags flags = 0;

  const auto receive = [&](message_flags in) {
    return p.server.receive(asio::buffer(part), in, flags);
  };
  BOOST_TEST(receive(asio::socket_base::message_peek) == 6u);
  BOOST_TEST(flags == 0);
  BOOST_TEST(receive(0) == 6u);
  BOOST_TEST(flags == 0);
  BOOST_TEST(receive(asio::socket_base::message_peek) == 4u);
  BOOST_TEST(flags == end_of_record);
  BOOST_TEST(receive(0) == 4u);
  BOOST_TEST(flags == end_of_record);
  p.server.wait(rc_seq_packet::socket::wait_read);
  BOOST_TEST(p.server.available() == 4u);
  BOOST_TEST(receive(0) == 4u);
  BOOST_TEST(flags == end_of_record);
  BOOST_TEST((message(part.begin(), part.begin() + 4) == pattern(4, 2)));
}

BOOST_AUTO_TEST_CASE(messages_without_bytes_are_counted) {
  message_pair p;
  constexpr int count = 3000;  // more than receives are posted, and more than may wait to be sent
  scoped_thread sender([&] {
    for (int i = 0; i < count; ++i) send_message(p.client, {});
    send_message(p.client, pattern(3));
  });
  int empty = 0;
  message m;
  while ((m = receive_message(p.server)).empty()) ++empty;
  BOOST_TEST(empty == count);
  BOOST_TEST((m == pattern(3)));
}

BOOST_AUTO_TEST_CASE(buffers_without_bytes_take_a_message_without_bytes) {
  message_pair p;
  send_message(p.client, {});
  send_message(p.client, pattern(1));
  message_flags flags = 0;
  BOOST_TEST(p.server.receive(asio::mutable_buffer(), flags) == 0u);
  BOOST_TEST(flags == end_of_record);
  BOOST_TEST(p.server.receive(asio::mutable_buffer(), flags) == 0u);
  BOOST_TEST(flags == 0);
  BOOST_TEST((receive_message(p.server) == pattern(1)));
}

BOOST_AUTO_TEST_CASE(more_buffers_than_one_step_takes) {
  message_pair p;
  const message sent = pattern(1000);
  std::vector<asio::const_buffer> pieces;
  for (std::size_t at = 0; at < sent.size(); at += 5) pieces.push_back(asio::buffer(sent.data() + at, 5));
  BOOST_TEST(p.client.send(pieces, 0) == sent.size());
  BOOST_TEST((receive_message(p.server) == sent));
}

BOOST_AUTO_TEST_CASE(sends_at_a_time_keep_their_order_and_do_not_mix) {
  message_pair p;
  const message first = pattern(1 << 20, 1), second = pattern(3, 2), third = pattern(1 << 20, 3);
  std::vector<int> order;
  const auto done = [&](int number, std::size_t size) {
    return [&order, number, size](error_code ec, std::size_t n) {
      order.push_back(!ec && n == size ? number : -number);
    };
  };
  p.client.async_send(asio::buffer(first), 0, done(1, first.size()));
  p.client.async_send(asio::buffer(second), 0, done(2, second.size()));
  p.client.async_send(asio::buffer(third), 0, done(3, third.size()));
  scoped_thread runner([&] { p.context.run(); });
  BOOST_TEST((receive_message(p.server) == first));
  BOOST_TEST((receive_message(p.server) == second));
  BOOST_TEST((receive_message(p.server) == third));
  runner.join();
  BOOST_TEST((order == std::vector<int>{1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(both_directions_at_once) {
  message_pair p;
  const auto rethrow = [](std::exception_ptr e) {
    if (e) std::rethrow_exception(e);
  };
  for (const unsigned seed : {1u, 1000u}) {
    asio::co_spawn(p.context, send_many(seed == 1 ? p.client : p.server, seed), rethrow);
    asio::co_spawn(p.context, receive_many(seed == 1 ? p.server : p.client, seed), rethrow);
  }
  p.context.run();
}

BOOST_AUTO_TEST_CASE(eof_comes_behind_the_last_message) {
  message_pair p;
  send_message(p.client, pattern(5));
  send_message(p.client, {});
  p.client.shutdown(rc_seq_packet::socket::shutdown_send);
  BOOST_TEST((receive_message(p.server) == pattern(5)));
  BOOST_TEST(receive_message(p.server).empty());
  BOOST_TEST(receive_error(p.server) == asio::error::eof);
  BOOST_TEST(receive_error(p.server) == asio::error::eof);
  error_code ec;
  p.client.send(asio::buffer("x", 1), 0, ec);
  BOOST_TEST(ec == asio::error::broken_pipe);
}

BOOST_AUTO_TEST_CASE(closing_loses_no_message) {
  message_pair p;
  scoped_thread sender([&] {
    for (unsigned i = 0; i < 10; ++i) send_message(p.client, pattern(10000, i));
    p.client.close();
  });
  for (unsigned i = 0; i < 10; ++i) BOOST_TEST((receive_message(p.server) == pattern(10000, i)));
  BOOST_TEST(receive_error(p.server) == asio::error::eof);
}

struct half_sent : message_pair {
  half_sent() {
    client.async_send(asio::buffer(large), 0,
                      asio::bind_cancellation_slot(signal.slot(), [this](error_code ec, std::size_t n) {
                        result = ec;
                        sent = n;
                      }));
    context.poll();
    BOOST_TEST_REQUIRE(!result);
  }
  /// All of the message that arrives, and then why no more does.
  error_code drain() {
    message part(1 << 16);
    message_flags flags = 0;
    for (;;) {
      error_code ec;
      server.receive(asio::buffer(part), 0, flags, ec);
      BOOST_TEST(flags == 0);
      if (ec) return ec;
    }
  }

  message large = pattern(8 << 20);
  asio::cancellation_signal signal;
  std::optional<error_code> result;
  std::size_t sent = 0;
};

BOOST_FIXTURE_TEST_CASE(half_a_message_is_never_one_after_a_cancel, half_sent) {
  signal.emit(asio::cancellation_type::terminal);
  context.run();
  BOOST_TEST_REQUIRE(result.has_value());
  BOOST_TEST(*result == asio::error::operation_aborted);
  BOOST_TEST(sent > 0u);
  BOOST_TEST(sent < large.size());
  error_code ec;
  client.send(asio::buffer("x", 1), 0, ec);
  BOOST_TEST(ec == asio::error::connection_aborted);
  BOOST_TEST(drain() == asio::error::connection_reset);
}

BOOST_FIXTURE_TEST_CASE(half_a_message_is_never_one_after_a_close, half_sent) {
  client.close();
  context.run();
  BOOST_TEST_REQUIRE(result.has_value());
  BOOST_TEST(*result == asio::error::operation_aborted);
  BOOST_TEST(drain() == asio::error::connection_reset);
}

BOOST_FIXTURE_TEST_CASE(a_total_cancellation_comes_too_late_for_half_a_message, half_sent) {
  signal.emit(asio::cancellation_type::total);
  error_code ec;
  client.shutdown(rc_seq_packet::socket::shutdown_send, ec);
  BOOST_TEST(ec == asio::error::in_progress);
  scoped_thread runner([&] { context.run(); });
  BOOST_TEST((receive_message(server) == large));
  runner.join();
  BOOST_TEST_REQUIRE(result.has_value());
  BOOST_TEST(!*result);
  BOOST_TEST(sent == large.size());
}

BOOST_AUTO_TEST_CASE(a_send_that_has_not_begun_is_taken_back) {
  message_pair p;
  const message large = pattern(2 << 20), small = pattern(3);
  bool large_sent = false;
  asio::cancellation_signal signal;
  std::optional<error_code> aborted;
  std::size_t taken = 1;
  p.client.async_send(asio::buffer(large), 0, [&](error_code ec, std::size_t) { large_sent = !ec; });
  p.client.async_send(asio::buffer(small), 0,
                      asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, std::size_t n) {
                        aborted = ec;
                        taken = n;
                      }));
  p.context.poll();
  signal.emit(asio::cancellation_type::total);
  p.client.async_send(asio::buffer("end", 3), 0, asio::detached);
  scoped_thread runner([&] { p.context.run(); });
  BOOST_TEST((receive_message(p.server) == large));
  BOOST_TEST((receive_message(p.server) == message{'e', 'n', 'd'}));
  runner.join();
  BOOST_TEST(large_sent);
  BOOST_TEST_REQUIRE(aborted.has_value());
  BOOST_TEST(*aborted == asio::error::operation_aborted);
  BOOST_TEST(taken == 0u);
}

BOOST_AUTO_TEST_CASE(without_blocking_all_of_a_message_is_taken_or_none) {
  message_pair p;
  p.client.non_blocking(true);
  p.server.non_blocking(true);
  BOOST_TEST(receive_error(p.server) == asio::error::would_block);
  error_code ec;
  const message too_large = pattern((128 << 10) + 1), half = pattern(100 << 10);
  BOOST_TEST(p.client.send(asio::buffer(too_large), 0, ec) == 0u);
  BOOST_TEST(ec == asio::error::message_size);
  unsigned sent = 0;
  while (p.client.send(asio::buffer(half), 0, ec) == half.size() && !ec) ++sent;
  BOOST_TEST(ec == asio::error::would_block);
  BOOST_TEST(sent >= 1u);
  p.server.non_blocking(false);
  for (unsigned i = 0; i < sent; ++i) BOOST_TEST((receive_message(p.server) == half));
  p.server.non_blocking(true);
  BOOST_TEST(receive_error(p.server) == asio::error::would_block);
}

BOOST_AUTO_TEST_CASE(who_waits_to_write_is_told_when_the_message_fits) {
  message_pair p;
  p.client.non_blocking(true);
  const message large = pattern(100 << 10);
  error_code ec;
  unsigned sent = 0;
  while (p.client.send(asio::buffer(large), 0, ec) == large.size() && !ec) ++sent;
  BOOST_TEST_REQUIRE(ec == asio::error::would_block);
  bool writable = false;
  p.client.async_wait(rc_seq_packet::socket::wait_write, [&](error_code e) { writable = !e; });
  p.context.poll();
  BOOST_TEST(!writable);
  scoped_thread reader([&] {
    for (unsigned i = 0; i < sent; ++i) receive_message(p.server);
  });
  p.context.run();
  reader.join();
  BOOST_TEST(writable);
  BOOST_TEST(p.client.send(asio::buffer(large), 0) == large.size());
}

BOOST_FIXTURE_TEST_CASE(no_call_gets_into_half_a_message, half_sent) {
  error_code ec;
  const std::vector<asio::const_buffer> batch(3, asio::buffer("b", 1));
  BOOST_TEST(client.send(asio::buffer("x", 1), 0, ec) == 0u);
  BOOST_TEST(ec == asio::error::in_progress);
  BOOST_TEST(asio_rdma::send_batch(client, batch, ec) == 0u);
  BOOST_TEST(ec == asio::error::in_progress);
  scoped_thread runner([&] { context.run(); });
  BOOST_TEST((receive_message(server) == large));
  runner.join();
  BOOST_TEST(asio_rdma::send_batch(client, batch) == 3u);
  BOOST_TEST((receive_message(server) == message{'b'}));
}

BOOST_AUTO_TEST_CASE(batches_arrive_in_order) {
  message_pair p;
  std::vector<message> sent;
  for (unsigned i = 0; i < 100; ++i) sent.push_back(pattern(i * 37 % 5000, i));
  std::vector<asio::const_buffer> batch;
  for (const message& m : sent) batch.push_back(asio::buffer(m));
  scoped_thread sender([&] { asio_rdma::send_batch(p.client, batch); });
  std::vector<message> memory(7, message(3000));
  message got;
  for (std::size_t i = 0; i < sent.size();) {
    std::vector<asio_rdma::incoming_message<asio::mutable_buffer>> room;
    for (message& m : memory) room.push_back({asio::buffer(m)});
    const std::size_t n = asio_rdma::receive_batch(p.server, room);
    BOOST_TEST_REQUIRE(n > 0u);
    for (std::size_t k = 0; k < n; ++k) {
      got.insert(got.end(), memory[k].begin(), memory[k].begin() + static_cast<std::ptrdiff_t>(room[k].bytes));
      if (!room[k].at_end) continue;
      BOOST_TEST((got == sent.at(i++)));
      got.clear();
    }
  }
}

BOOST_AUTO_TEST_CASE(a_batch_costs_few_completions) {
  message_pair p;
  const std::vector<asio::const_buffer> batch(32, asio::buffer("12345678", 8));
  std::optional<std::size_t> sent;
  asio_rdma::async_send_batch(p.client, batch, [&](error_code ec, std::size_t n) { sent = ec ? 0 : n; });
  p.context.run();
  BOOST_TEST_REQUIRE(sent.has_value());
  BOOST_TEST(*sent == 32u);
  std::vector<message> memory(32, message(8));
  std::vector<asio_rdma::incoming_message<asio::mutable_buffer>> room;
  for (message& m : memory) room.push_back({asio::buffer(m)});
  std::size_t received = 0;
  while (received < 32) {
    std::size_t n = 0;
    asio_rdma::async_receive_batch(p.server, room, [&](error_code ec, std::size_t k) { n = ec ? 0 : k; });
    p.context.restart();
    p.context.run();
    BOOST_TEST_REQUIRE(n > 0u);
    for (std::size_t i = 0; i < n; ++i) BOOST_TEST((room[i].at_end && room[i].bytes == 8));
    received += n;
  }
  // The last request of each call to post has one.
  while (asio_rdma::statistics(p.client).counters.bytes_acknowledged < 32 * 8) BOOST_TEST(p.client.available() == 0u);
  BOOST_TEST(asio_rdma::statistics(p.client).counters.completions <= 4u);
}

BOOST_AUTO_TEST_CASE(a_batch_has_no_message_that_never_fits) {
  message_pair p;
  const message small = pattern(10), large = pattern((128 << 10) + 1);
  const std::vector<asio::const_buffer> batch{asio::buffer(small), asio::buffer(large), asio::buffer(small)};
  error_code ec;
  BOOST_TEST(asio_rdma::send_batch(p.client, batch, ec) == 1u);
  BOOST_TEST(ec == asio::error::message_size);
  BOOST_TEST((receive_message(p.server) == small));
}

BOOST_AUTO_TEST_CASE(a_cancelled_receive_takes_nothing) {
  message_pair p;
  message part(10);
  message_flags flags = 0;
  error_code result;
  p.server.async_receive(asio::buffer(part), flags, [&](error_code ec, std::size_t) { result = ec; });
  p.context.poll();
  p.server.cancel();
  p.context.run();
  BOOST_TEST(result == asio::error::operation_aborted);
  send_message(p.client, pattern(7));
  BOOST_TEST((receive_message(p.server) == pattern(7)));
}

BOOST_AUTO_TEST_CASE(streams_and_messages_refuse_each_other) {
  asio::io_context context;
  error_code ec;
  {
    rc::acceptor acceptor(context, any_port());
    rc_seq_packet::socket s(context);
    s.connect({test_address(), acceptor.local_endpoint().port()}, ec);
    BOOST_TEST((ec == asio_rdma::errc::mode_mismatch));
  }
  rc_seq_packet::acceptor acceptor(context, {test_address(), 0});
  rc::socket s(context);
  s.connect({test_address(), acceptor.local_endpoint().port()}, ec);
  BOOST_TEST((ec == asio_rdma::errc::mode_mismatch));
}

BOOST_AUTO_TEST_CASE(names_accepts_and_ranges) {
  asio::io_context context;
  rc_seq_packet::acceptor acceptor(context, {test_address(), 0});
  const auto name = test_address().to_string(), port = std::to_string(acceptor.local_endpoint().port());
  rc_seq_packet::resolver resolver(context);
  rc_seq_packet::socket client(context);
  bool accepted = false;
  acceptor.async_accept([&](error_code ec, rc_seq_packet::socket s) {
    accepted = !ec;
    send_message(s, pattern(9));
  });
  asio::async_connect(client, resolver.resolve(name, port), [&](error_code ec, const rc_seq_packet::endpoint& e) {
    BOOST_TEST(!ec);
    BOOST_TEST(e == acceptor.local_endpoint());
  });
  context.run();
  BOOST_TEST(accepted);
  BOOST_TEST((receive_message(client) == pattern(9)));
}

BOOST_AUTO_TEST_CASE(more_than_4_gib_in_one_message) {
  // Takes a minute where a processor is emulated: ASIO_RDMA_TEST_LARGE_MESSAGE=BYTES asks for it.
  const char* const text = std::getenv("ASIO_RDMA_TEST_LARGE_MESSAGE");
  const std::uint64_t size = text ? std::strtoull(text, nullptr, 10) : 64 << 20;
  message_pair p;
  const message block = pattern(1 << 20);
  std::vector<asio::const_buffer> pieces;
  for (std::uint64_t left = size; left > 0; left -= pieces.back().size()) {
    pieces.push_back(asio::buffer(block, static_cast<std::size_t>(std::min<std::uint64_t>(left, block.size()))));
  }
  std::uint64_t sent = 0;
  scoped_thread sender([&] {
    sent = p.client.send(pieces, 0);
    send_message(p.client, {});
  });
  message part(1 << 20);
  std::uint64_t at = 0;
  bool as_sent = true;
  message_flags flags = 0;
  while ((flags & end_of_record) == 0) {
    const std::size_t n = p.server.receive(asio::buffer(part), flags);
    for (std::size_t i = 0; i < n;) {
      const std::size_t from = (at + i) % block.size(), length = std::min(n - i, block.size() - from);
      as_sent &= std::equal(part.begin() + static_cast<std::ptrdiff_t>(i),
                            part.begin() + static_cast<std::ptrdiff_t>(i + length),
                            block.begin() + static_cast<std::ptrdiff_t>(from));
      i += length;
    }
    at += n;
  }
  BOOST_TEST(at == size);
  BOOST_TEST(as_sent);
  BOOST_TEST(receive_message(p.server).empty());
  sender.join();
  BOOST_TEST(sent == size);
}

BOOST_AUTO_TEST_SUITE_END()
