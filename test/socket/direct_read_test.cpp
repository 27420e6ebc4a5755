// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Reads into registered memory, which the peer writes directly.

#include "fixture.hpp"
#include "zero_copy.hpp"

#include <asio_rdma/registered_buffer.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <thread>

using asio_rdma::rc_seq_packet;
using asio_rdma::registered_buffer;
using asio_rdma::statistics;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t large = 256 << 10;

template <class Socket>
std::uint64_t direct(Socket& s) {
  return statistics(s).counters.read_bytes_direct;
}

/// What one handler was told.
struct outcome {
  std::optional<error_code> ec;
  std::size_t bytes = 0;
  auto handler() {
    return [this](error_code e, std::size_t n) {
      ec = e;
      bytes = n;
    };
  }
};

bool same(const registered_buffer& memory, std::size_t count, const std::vector<unsigned char>& sent,
          std::size_t from = 0) {
  return std::memcmp(memory.data(), sent.data() + from, count) == 0;
}

/// A read that waits, whose memory the peer knows of.
void offer(pair_of<rc>& p, registered_buffer& memory, outcome& result) {
  const auto offered = [&] { return statistics(p.client).counters.control_messages_received; };
  const auto before = offered();
  p.server.async_read_some(memory.buffer(), result.handler());
  run_until(p.context, [&] {
    (void)p.client.available();  // looks what has come
    return offered() > before;
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(direct_reads)

BOOST_AUTO_TEST_CASE(what_is_written_while_a_read_waits_is_not_copied) {
  for (const bool is_registered : {true, false}) {
    pair_of<rc> p;
    const auto sent = pattern(large);
    const registered_buffer from = filled(sent);
    registered_buffer to(large);
    outcome read, written;
    offer(p, to, read);
    if (is_registered) {
      p.client.async_write_some(from.buffer(), written.handler());
    } else {
      asio::async_write(p.client, asio::buffer(sent), written.handler());
    }
    run_until(p.context, [&] { return read.ec.has_value(); });
    BOOST_TEST(!*read.ec);
    BOOST_TEST(direct(p.server) == read.bytes);
    BOOST_TEST(read.bytes >= 8u << 10);  // of what is copied first, a part may come alone
    if (is_registered) BOOST_TEST(read.bytes == large);
    BOOST_TEST(same(to, read.bytes, sent));
    std::vector<unsigned char> rest(large - read.bytes);
    asio::async_read(p.server, asio::buffer(rest), [](error_code ec, std::size_t) { BOOST_TEST(!ec); });
    run(p.context);
    BOOST_TEST(!*written.ec);
    BOOST_TEST(std::equal(rest.begin(), rest.end(), sent.begin() + static_cast<std::ptrdiff_t>(read.bytes)));
    const auto counters = statistics(p.server).counters;
    BOOST_TEST(counters.bytes_received == large);
    BOOST_TEST(counters.bytes_read == large);
    BOOST_TEST(counters.read_bytes_copied + counters.read_bytes_direct == large);
  }
}

BOOST_AUTO_TEST_CASE(a_stream_stays_direct_while_reads_are_ahead) {
  pair_of<rc> p;
  constexpr std::size_t total = 16 << 20, piece = 64 << 10;
  const auto sent = pattern(total);
  const registered_buffer from = filled(sent);
  std::deque<registered_buffer> to;
  for (int i = 0; i < 4; ++i) to.emplace_back(1 << 20);
  std::size_t received = 0, written = 0;
  bool is_same = true;
  const std::function<void(std::size_t)> read_next = [&](std::size_t i) {
    p.server.async_read_some(to[i].buffer(), [&, i](error_code ec, std::size_t n) {
      if (ec == asio::error::operation_aborted && received == total) return;
      BOOST_TEST_REQUIRE(!ec);
      is_same = is_same && same(to[i], n, sent, received);
      received += n;
      received < total ? read_next(i) : p.server.cancel();
    });
  };
  const std::function<void()> write_next = [&] {
    if (written == total) return;
    written += piece;
    p.client.async_write_some(from.buffer(written - piece, piece), [&](error_code ec, std::size_t n) {
      BOOST_TEST_REQUIRE(!ec);
      BOOST_TEST_REQUIRE(n == piece);
      write_next();
    });
  };
  for (std::size_t i = 0; i < to.size(); ++i) read_next(i);
  for (int i = 0; i < 4; ++i) write_next();
  run(p.context);
  BOOST_TEST(received == total);
  BOOST_TEST(is_same);
  BOOST_TEST(direct(p.server) >= total / 2);
  // Few control messages, of both ends together.
  const auto s = statistics(p.server).counters;
  BOOST_TEST(s.control_messages_sent + s.control_messages_received < total / piece,
             s.control_messages_sent << " and " << s.control_messages_received << ", " << direct(p.server) << " in "
                                     << s.messages_received);
}

BOOST_AUTO_TEST_CASE(small_writes_pass_by_in_the_ring) {
  pair_of<rc> p;
  registered_buffer to(large);
  for (int i = 0; i < 50; ++i) {
    outcome read;
    p.server.async_read_some(to.buffer(), read.handler());
    p.context.restart();
    p.context.poll();
    write_string(p.client, "a small one");
    run_until(p.context, [&] { return read.ec.has_value(); });
    BOOST_TEST(!*read.ec);
    BOOST_TEST(read.bytes == 11u);
    BOOST_TEST(std::memcmp(to.data(), "a small one", 11) == 0);
  }
  BOOST_TEST(direct(p.server) == 0u);
  // Memory that is of no use is offered less and less often.
  BOOST_TEST(statistics(p.server).counters.control_messages_sent < 25u);
}

BOOST_AUTO_TEST_CASE(a_cancelled_read_loses_nothing) {
  for (const bool by_slot : {true, false}) {
    pair_of<rc> p;
    const auto sent = pattern(large);
    const registered_buffer from = filled(sent);
    registered_buffer to(large);
    asio::cancellation_signal signal;
    outcome read;
    p.server.async_read_some(to.buffer(), asio::bind_cancellation_slot(signal.slot(), read.handler()));
    p.context.poll();
    if (by_slot) {
      signal.emit(asio::cancellation_type::total);
    } else {
      p.server.cancel();
    }
    // The peer has to answer, so it has to run.
    run(p.context);
    BOOST_TEST((read.ec == asio::error::operation_aborted));
    std::memset(to.data(), 0, to.size());
    outcome again;
    p.client.async_write_some(from.buffer(), [](error_code ec, std::size_t) { BOOST_TEST(!ec); });
    std::vector<unsigned char> received(large);
    asio::async_read(p.server, asio::buffer(received), again.handler());
    run(p.context);
    BOOST_TEST(!*again.ec);
    BOOST_TEST((received == sent));
    BOOST_TEST(std::all_of(to.data(), to.data() + to.size(), [](std::byte b) { return b == std::byte{}; }));
  }
}

BOOST_AUTO_TEST_CASE(memory_that_is_offered_again_is_not_taken_back_for_an_earlier_cancel) {
  pair_of<rc> p;
  const auto sent = pattern(large);
  const registered_buffer from = filled(sent);
  registered_buffer to(large);
  outcome cancelled, again;
  offer(p, to, cancelled);
  p.server.cancel();
  run_until(p.context, [&] {
    (void)p.client.available();  // answers
    return cancelled.ec.has_value();
  });
  BOOST_TEST((*cancelled.ec == asio::error::operation_aborted));
  offer(p, to, again);
  std::this_thread::sleep_for(milliseconds(1200));  // longer than the answer would have been waited for
  p.client.async_write_some(from.buffer(), [](error_code ec, std::size_t n) {
    BOOST_TEST(!ec);
    BOOST_TEST(n == large);
  });
  run_until(p.context, [&] { return again.ec.has_value(); });
  BOOST_TEST(!*again.ec);
  BOOST_TEST(again.bytes == large);
  BOOST_TEST(direct(p.server) == large);
  BOOST_TEST(same(to, large, sent));
}

BOOST_AUTO_TEST_CASE(cancelling_amid_traffic_leaves_an_exact_stream) {
  constexpr std::size_t total = 8 << 20;
  const auto sent = pattern(total);
  const registered_buffer from = filled(sent);
  std::mt19937 random(5);
  for (int round = 0; round < 4; ++round) {
    pair_of<rc> p;
    registered_buffer to(large);
    std::vector<unsigned char> received;
    std::size_t written = 0, aborted = 0;
    asio::cancellation_signal signal;
    asio::steady_timer timer(p.context);
    const std::function<void()> write_next = [&] {
      if (written == total) return p.client.shutdown(rc::socket::shutdown_send);
      const std::size_t n = std::min<std::size_t>(1 + random() % (200 << 10), total - written);
      written += n;
      const auto done = [&, n](error_code ec, std::size_t m) {
        BOOST_TEST_REQUIRE(!ec);
        BOOST_TEST_REQUIRE(m == n);
        write_next();
      };
      if (random() % 3 == 0) {
        asio::async_write(p.client, asio::buffer(from.data() + written - n, n), done);
      } else {
        p.client.async_write_some(from.buffer(written - n, n), done);
      }
    };
    bool is_over = false;
    const std::function<void()> read_next = [&] {
      p.server.async_read_some(to.buffer(0, 1 + random() % large),
                               asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, std::size_t n) {
                                 const auto* const bytes = reinterpret_cast<const unsigned char*>(to.data());
                                 if (!ec) received.insert(received.end(), bytes, bytes + n);
                                 if (ec == asio::error::operation_aborted) ++aborted;
                                 if (ec == asio::error::eof) {
                                   is_over = true;
                                   timer.cancel();
                                   return;
                                 }
                                 BOOST_TEST_REQUIRE((!ec || ec == asio::error::operation_aborted));
                                 read_next();
                               }));
    };
    const std::function<void()> cancel_next = [&] {
      timer.expires_after(std::chrono::microseconds(random() % 500));
      timer.async_wait([&](error_code) {
        if (is_over) return;
        signal.emit(asio::cancellation_type::total);
        cancel_next();
      });
    };
    write_next();
    read_next();
    cancel_next();
    run(p.context);
    BOOST_TEST((received == sent));
  }
}

BOOST_AUTO_TEST_CASE(both_directions_with_any_sizes_and_kinds_of_memory) {
  pair_of<rc> p;
  constexpr std::size_t total = 6 << 20;
  const auto sent = pattern(total);
  const registered_buffer from = filled(sent);
  struct end {
    rc::socket& socket;
    std::mt19937 random;
    std::size_t written = 0, received = 0;
    bool is_same = true;
    std::array<registered_buffer, 3> to{registered_buffer(large), registered_buffer(large), registered_buffer(large)};
  };
  std::array<end, 2> ends{end{p.client, std::mt19937(1)}, end{p.server, std::mt19937(2)}};
  const std::function<void(end&)> write_next = [&](end& e) {
    if (e.written == total) return e.socket.shutdown(rc::socket::shutdown_send);
    const std::size_t n = std::min<std::size_t>(1 + e.random() % (1u << (e.random() % 19)), total - e.written);
    e.written += n;
    const auto done = [&](error_code ec, std::size_t) {
      BOOST_TEST_REQUIRE(!ec);
      write_next(e);
    };
    if (e.random() % 2 == 0) {
      e.socket.async_write_some(from.buffer(e.written - n, n), done);
    } else {
      asio::async_write(e.socket, asio::buffer(from.data() + e.written - n, n), done);
    }
  };
  const std::function<void(end&, std::size_t)> read_next = [&](end& e, std::size_t i) {
    const std::size_t n = 1 + e.random() % large;
    const auto done = [&, i](error_code ec, std::size_t m) {
      if (ec == asio::error::eof) return;
      BOOST_TEST_REQUIRE(!ec);
      e.is_same = e.is_same && same(e.to[i], m, sent, e.received);
      e.received += m;
      read_next(e, i);
    };
    if (e.random() % 3 == 0) {
      e.socket.async_read_some(asio::buffer(e.to[i].data(), n), done);
    } else {
      e.socket.async_read_some(e.to[i].buffer(0, n), done);
    }
  };
  for (end& e : ends) {
    for (std::size_t i = 0; i < e.to.size(); ++i) read_next(e, i);
    write_next(e);
  }
  run(p.context);
  for (const end& e : ends) {
    BOOST_TEST(e.received == total);
    BOOST_TEST(e.is_same);
  }
}

BOOST_AUTO_TEST_CASE(closing_gives_the_memory_back) {
  pair_of<rc> p;
  registered_buffer to(large);
  outcome read;
  offer(p, to, read);
  p.server.close();
  run_until(p.context, [&] { return read.ec.has_value(); });
  BOOST_TEST((*read.ec == asio::error::operation_aborted));
  // The peer learns that it is over, as ever.
  error_code ec;
  std::array<char, 1> byte{};
  BOOST_TEST(p.client.read_some(asio::buffer(byte), ec) == 0u);
  BOOST_TEST(ec == asio::error::eof);
}

BOOST_AUTO_TEST_CASE(a_peer_that_ends_or_goes_ends_the_read) {
  {
    pair_of<rc> p;
    registered_buffer to(large);
    outcome read;
    offer(p, to, read);
    p.client.shutdown(rc::socket::shutdown_send);
    run_until(p.context, [&] { return read.ec.has_value(); });
    BOOST_TEST((*read.ec == asio::error::eof));
  }
  {
    pair_of<rc> p;
    registered_buffer to(large);
    outcome read;
    offer(p, to, read);
    p.client.set_option(asio::socket_base::linger(true, 0));
    p.client.close();
    run_until(p.context, [&] { return read.ec.has_value(); });
    BOOST_TEST((*read.ec == asio::error::connection_reset));
  }
}

BOOST_AUTO_TEST_CASE(an_execution_context_that_ends_takes_the_memory_back_first) {
  rc::socket* client = nullptr;
  asio::io_context other;
  rc::socket peer(other);
  auto to = std::make_shared<registered_buffer>(large);
  {
    asio::io_context context;
    rc::socket server(context);
    connect_pair(peer, server);
    client = &peer;
    server.async_read_some(to->buffer(), [to](error_code, std::size_t) { BOOST_ERROR("called"); });
    context.poll();
  }
  BOOST_TEST(to.use_count() == 1);
  to.reset();
  // Whatever it wrote would go nowhere.
  error_code ec;
  const auto sent = pattern(large);
  for (int i = 0; i < 1000 && !ec; ++i) asio::write(*client, asio::buffer(sent), ec);
  BOOST_TEST(ec);
}

BOOST_AUTO_TEST_CASE(a_released_socket_keeps_what_came) {
  pair_of<rc> p;
  registered_buffer to(large);
  outcome read;
  offer(p, to, read);
  auto handle = p.server.release();
  run_until(p.context, [&] { return read.ec.has_value(); });
  BOOST_TEST((*read.ec == asio::error::operation_aborted));
  rc::socket again(p.context, rc::v4(), handle);
  write_string(p.client, "and on");
  BOOST_TEST(read_string(again, 6) == "and on");
}

BOOST_AUTO_TEST_CASE(synchronous_reads_are_direct) {
  pair_of<rc> p;
  const auto sent = pattern(8 << 20);
  const registered_buffer from = filled(sent);
  registered_buffer to(large);
  std::size_t written = 0;
  scoped_thread writer([&] {
    for (std::size_t at = 0; at < sent.size(); at += large) written += p.client.write_some(from.buffer(at, large));
  });
  bool is_same = true;
  for (std::size_t at = 0; at < sent.size();) {
    const std::size_t n = p.server.read_some(to.buffer());
    is_same = is_same && same(to, n, sent, at);
    at += n;
  }
  writer.join();
  BOOST_TEST(written == sent.size());
  BOOST_TEST(is_same);
  BOOST_TEST(direct(p.server) > 0u);
  p.server.non_blocking(true);
  error_code ec;
  p.server.read_some(to.buffer(), ec);  // which cannot wait for the peer
  BOOST_TEST(ec == asio::error::would_block);
}

BOOST_AUTO_TEST_CASE(messages_keep_their_boundaries) {
  pair_of<rc_seq_packet> p;
  const auto sent = pattern(large);
  const registered_buffer from = filled(sent);
  registered_buffer to(100'000);
  std::mt19937 random(3);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 100; ++i) sizes.push_back(random() % (i % 4 == 0 ? large : 50'000));
  std::size_t next = 0;
  const std::function<void()> send_next = [&] {
    if (next == sizes.size()) return;
    const std::size_t n = sizes[next++];
    p.client.async_send(from.buffer(0, n), 0, [&, n](error_code ec, std::size_t m) {
      BOOST_TEST_REQUIRE(!ec);
      BOOST_TEST_REQUIRE(m == n);
      send_next();
    });
  };
  std::size_t index = 0, had = 0;
  bool is_same = true;
  asio::socket_base::message_flags flags = 0;
  const std::function<void()> receive_next = [&] {
    p.server.async_receive(to.buffer(), flags, [&](error_code ec, std::size_t n) {
      BOOST_TEST_REQUIRE(!ec);
      is_same = is_same && same(to, n, sent, had);
      had += n;
      if ((flags & asio::socket_base::message_end_of_record) != 0) {
        BOOST_TEST_REQUIRE(had == sizes[index]);
        had = 0;
        if (++index == sizes.size()) return;
      }
      receive_next();
    });
  };
  receive_next();
  send_next();
  run(p.context);
  BOOST_TEST(index == sizes.size());
  BOOST_TEST(is_same);
  BOOST_TEST(direct(p.server) > 0u);
}

BOOST_AUTO_TEST_SUITE_END()
