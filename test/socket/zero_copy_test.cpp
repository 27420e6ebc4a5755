// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"
#include "zero_copy.hpp"

#include <asio_rdma/registered_buffer.hpp>
#include <asio_rdma/registered_resource.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <optional>

using asio_rdma::rc_seq_packet;
using asio_rdma::registered;
using asio_rdma::registered_buffer;
using asio_rdma::statistics;

namespace {

template <class Socket>
std::uint64_t direct(Socket& s) {
  return statistics(s).counters.write_bytes_direct;
}
template <class Socket>
std::uint64_t copied(Socket& s) {
  return statistics(s).counters.write_bytes_copied;
}

/// Rings that hold, from the beginning, what is written before anybody reads.
constexpr int roomy = 128 << 10;

/// Writes until the peer's ring takes no more, and our own memory neither; gives the number of bytes.
std::size_t fill(rc::socket& s, const std::vector<unsigned char>& from) {
  s.non_blocking(true);
  std::size_t count = 0;
  for (int vain = 0; vain < 20; ++vain) {
    error_code ec;
    for (std::size_t n = 0; !ec; count += n) {
      n = s.write_some(asio::buffer(from) + count, ec);
      if (n > 0) vain = 0;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  s.non_blocking(false);
  return count;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(zero_copy)

BOOST_AUTO_TEST_CASE(a_write_copies_nothing_from_the_threshold_on) {
  pair_of<rc> p(roomy);
  const auto sent = pattern(64 << 10);
  const registered_buffer memory = filled(sent);
  std::vector<unsigned char> received(sent.size());

  BOOST_TEST(p.client.write_some(memory.buffer()) == sent.size());
  BOOST_TEST(direct(p.client) == sent.size());
  BOOST_TEST(copied(p.client) == 0u);
  asio::read(p.server, asio::buffer(received));
  BOOST_TEST((received == sent));
  const auto counters = statistics(p.client).counters;
  BOOST_TEST(counters.bytes_written == sent.size());
  BOOST_TEST(counters.bytes_sent == sent.size());
  BOOST_TEST(counters.bytes_acknowledged == sent.size());

  asio_rdma::zero_copy_threshold threshold;
  p.client.get_option(threshold);
  BOOST_TEST(threshold.value() == 32768);
  BOOST_TEST(p.client.write_some(memory.buffer(100, 32767)) == 32767u);
  BOOST_TEST(direct(p.client) == sent.size());
  BOOST_TEST(copied(p.client) == 32767u);
  BOOST_TEST(p.client.write_some(memory.buffer(200, 32768)) == 32768u);
  BOOST_TEST(direct(p.client) == sent.size() + 32768);
  asio::read(p.server, asio::buffer(received.data(), 65535));
  BOOST_TEST(std::equal(sent.begin() + 100, sent.begin() + 100 + 32767, received.begin()));
  BOOST_TEST(std::equal(sent.begin() + 200, sent.begin() + 200 + 32768, received.begin() + 32767));

  p.client.set_option(asio_rdma::zero_copy_threshold(10));
  BOOST_TEST(p.client.write_some(memory.buffer(0, 10)) == 10u);
  BOOST_TEST(direct(p.client) == sent.size() + 32768 + 10);
  BOOST_TEST(read_string(p.server, 10) == std::string(sent.begin(), sent.begin() + 10));
}

BOOST_AUTO_TEST_CASE(what_a_mark_says_in_vain_is_copied) {
  pair_of<rc> p(roomy);
  const auto sent = pattern(64 << 10);
  const registered_buffer memory = filled(sent);
  std::vector<unsigned char> received(sent.size());
  const auto arrives = [&](std::size_t size) {
    asio::read(p.server, asio::buffer(received.data(), size));
    return std::equal(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(size), received.begin());
  };

  // Not registered.
  std::size_t n = p.client.write_some(registered(asio::const_buffer(sent.data(), sent.size())));
  BOOST_TEST(arrives(n));
  // Beyond the end of what is registered.
  const registered_buffer part(memory.data(), 40000);
  registered_buffer gone(memory.data() + 50000, 1000);
  gone = registered_buffer();
  {
    std::vector<unsigned char> longer(sent);
    const registered_buffer begin(longer.data(), 40000);
    n = p.client.write_some(registered(asio::buffer(longer)));
    BOOST_TEST(arrives(n));
    BOOST_TEST(direct(p.client) == 0u);
    n = p.client.write_some(registered(asio::buffer(longer.data(), 40000)));
    BOOST_TEST(arrives(n));
    BOOST_TEST(direct(p.client) == 40000u);
  }
  // A plain buffer, although the memory is registered.
  n = p.client.write_some(asio::buffer(memory.data(), memory.size()));
  BOOST_TEST(arrives(n));
  BOOST_TEST(direct(p.client) == 40000u);
  // A call that must not block.
  p.client.non_blocking(true);
  n = p.client.write_some(memory.buffer());
  BOOST_TEST(arrives(n));
  BOOST_TEST(direct(p.client) == 40000u);
}

BOOST_AUTO_TEST_CASE(asynchronous_and_composed_writes_of_any_size) {
  pair_of<rc> p(roomy);
  const auto sent = pattern(3 << 20);
  const registered_buffer memory = filled(sent);
  std::vector<unsigned char> received(2 * sent.size());
  std::size_t written = 0;
  asio::async_read(p.server, asio::buffer(received), [](error_code ec, std::size_t) { BOOST_TEST(!ec); });
  // One operation takes all of it, though the peer's ring is smaller.
  p.client.async_write_some(memory.buffer(), [&](error_code ec, std::size_t n) {
    BOOST_TEST(!ec);
    BOOST_TEST(n == sent.size());
    asio::async_write(p.client, memory.buffer(), [&, n](error_code ec2, std::size_t m) {
      BOOST_TEST(!ec2);
      written = n + m;
    });
  });
  run(p.context);
  BOOST_TEST(written == received.size());
  BOOST_TEST(std::equal(sent.begin(), sent.end(), received.begin()));
  BOOST_TEST(std::equal(sent.begin(), sent.end(), received.begin() + static_cast<std::ptrdiff_t>(sent.size())));
  BOOST_TEST(direct(p.client) == received.size());
  BOOST_TEST(copied(p.client) == 0u);
}

BOOST_AUTO_TEST_CASE(copied_and_direct_bytes_keep_their_order) {
  pair_of<rc> p(roomy);
  p.client.set_option(asio_rdma::zero_copy_threshold(1));
  const auto sent = pattern(2 << 20);
  const registered_buffer memory = filled(sent);
  std::vector<unsigned char> received(sent.size());
  std::size_t at = 0;
  std::vector<int> order;
  bool is_done = false;
  asio::async_read(p.server, asio::buffer(received), [&](error_code ec, std::size_t) {
    BOOST_TEST(!ec);
    is_done = true;
  });
  int number = 0;
  // Plain writes are small enough to be taken whole, once there is room; so none of them is cut.
  for (std::size_t size = 1; at < sent.size(); size = size * 7 % 60013) {
    const std::size_t n = std::min(size, sent.size() - at);
    const int mine = number++;
    const auto handler = [&order, mine](error_code ec, std::size_t) {
      BOOST_TEST(!ec);
      order.push_back(mine);
    };
    if (mine % 3 == 0 && n <= 100) {
      p.client.async_write_some(asio::buffer(memory.data() + at, n), handler);
    } else {
      p.client.async_write_some(memory.buffer(at, n), handler);
    }
    at += n;
  }
  run(p.context);
  BOOST_TEST(is_done);
  BOOST_TEST((received == sent));
  BOOST_TEST(order.size() == static_cast<std::size_t>(number));
  BOOST_TEST(std::is_sorted(order.begin(), order.end()));
  BOOST_TEST(copied(p.client) + direct(p.client) == sent.size());
}

BOOST_AUTO_TEST_CASE(the_handler_runs_when_the_peer_has_acknowledged) {
  pair_of<rc> p(roomy);
  const auto filler = pattern(2 << 20, 7);
  const auto sent = pattern(100000);
  const registered_buffer memory = filled(sent);
  const std::size_t before = fill(p.client, filler);
  std::optional<std::size_t> written;
  p.client.async_write_some(memory.buffer(), [&](error_code ec, std::size_t n) {
    BOOST_TEST(!ec);
    written = n;
  });
  p.context.restart();
  p.context.run_for(std::chrono::milliseconds(20));
  BOOST_TEST(!written.has_value());  // behind bytes that were copied and wait for room
  std::vector<unsigned char> received(before + sent.size());
  asio::async_read(p.server, asio::buffer(received), [](error_code ec, std::size_t) { BOOST_TEST(!ec); });
  run(p.context);
  BOOST_TEST(written.value() == sent.size());
  BOOST_TEST(std::equal(sent.begin(), sent.end(), received.begin() + static_cast<std::ptrdiff_t>(before)));
  BOOST_TEST(direct(p.client) == sent.size());
}

BOOST_AUTO_TEST_CASE(cancelled_writes_say_what_will_arrive) {
  for (const bool by_slot : {true, false}) {
    pair_of<rc> p(roomy);
    const auto sent = pattern(4 << 20);
    const registered_buffer memory = filled(sent);
    asio::cancellation_signal signal;
    error_code result = asio::error::in_progress;
    std::size_t count = 0;
    p.client.async_write_some(memory.buffer(),
                              asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, std::size_t n) {
                                result = ec;
                                count = n;
                              }));
    run_until(p.context, [&] { return direct(p.client) >= 64u << 10; });
    // It waits for room at the peer, and that counts.
    const auto stalled = [&] { return statistics(p.client).counters.credit_stall_time; };
    const auto earlier = stalled();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    BOOST_TEST((stalled() > earlier));
    if (by_slot) {
      signal.emit(asio::cancellation_type::total);  // part of it is on its way
      p.context.restart();
      p.context.poll();
      BOOST_TEST(result == asio::error::in_progress);
      signal.emit(asio::cancellation_type::partial);
    } else {
      p.client.cancel();
    }
    BOOST_TEST(result == asio::error::in_progress);
    run(p.context);
    BOOST_TEST(result == asio::error::operation_aborted);
    BOOST_TEST(count == direct(p.client));
    BOOST_TEST(count >= 64u << 10);
    BOOST_TEST(count < sent.size());
    const auto in_all = stalled();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    BOOST_TEST((stalled() == in_all));
    // The socket goes on behind them.
    std::string received(count + 4, '\0');
    asio::async_write(p.client, asio::buffer("next", 4), asio::detached);
    asio::async_read(p.server, asio::buffer(received), [](error_code ec, std::size_t) { BOOST_TEST(!ec); });
    run(p.context);
    BOOST_TEST(std::equal(received.begin(), received.end() - 4, sent.begin(),
                          [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; }));
    BOOST_TEST(received.substr(count) == "next");
  }
}

BOOST_AUTO_TEST_CASE(close_gives_memory_back_and_loses_nothing_that_was_posted) {
  asio::io_context context;
  rc::socket server(context);
  const auto sent = pattern(4 << 20);
  auto memory = std::make_unique<registered_buffer>(filled(sent));
  error_code result = asio::error::in_progress;
  std::size_t count = 0;
  {
    rc::socket client(context);
    connect_pair(client, server);
    client.async_write_some(memory->buffer(), [&](error_code ec, std::size_t n) {
      result = ec;
      count = n;
      memory.reset();
    });
    run_until(context, [&] { return direct(client) > 0; });
  }
  BOOST_TEST(result == asio::error::in_progress);  // never from within the destructor
  run(context);
  BOOST_TEST(result == asio::error::operation_aborted);
  std::vector<unsigned char> received(count);
  asio::read(server, asio::buffer(received));
  BOOST_TEST(std::equal(received.begin(), received.end(), sent.begin()));
  char c;
  error_code ec;
  BOOST_TEST(server.read_some(asio::buffer(&c, 1), ec) == 0u);
  BOOST_TEST(ec == asio::error::eof);
}

BOOST_AUTO_TEST_CASE(an_execution_context_that_ends_frees_memory_that_no_device_touches) {
  for (const bool is_closed : {false, true}) {
    auto context = std::make_unique<asio::io_context>();
    asio::io_context other;
    rc::socket server(other);
    auto client = std::make_shared<rc::socket>(*context);
    connect_pair(*client, server);
    const auto sent = pattern(1 << 20);
    auto memory = std::make_shared<registered_buffer>(filled(sent));
    const std::weak_ptr<registered_buffer> watched = memory;
    const auto buffer = memory->buffer();
    // A socket that is not closed is the handler's, and goes with it.
    client->async_write_some(buffer, [kept = std::move(memory), own = is_closed ? nullptr : client](
                                         error_code, std::size_t) { BOOST_TEST(false); });
    const std::uint64_t posted = direct(*client);
    client.reset();
    context.reset();
    BOOST_TEST(watched.expired());
    // What was posted was right when it was sent.
    std::vector<unsigned char> received(posted);
    asio::read(server, asio::buffer(received));
    BOOST_TEST(std::equal(received.begin(), received.end(), sent.begin()));
  }
}

BOOST_AUTO_TEST_CASE(a_peer_that_goes_gives_memory_back) {
  pair_of<rc> p(roomy);
  const auto sent = pattern(4 << 20);
  const registered_buffer memory = filled(sent);
  error_code result = asio::error::in_progress;
  p.client.async_write_some(memory.buffer(), [&](error_code ec, std::size_t) { result = ec; });
  run_until(p.context, [&] { return direct(p.client) >= 64u << 10; });
  p.server.set_option(rc::socket::linger(true, 0));
  p.server.close();
  run(p.context);
  BOOST_TEST((result == asio::error::connection_reset || result == asio::error::broken_pipe), result.message());
}

BOOST_AUTO_TEST_CASE(a_released_socket_takes_no_memory_along) {
  pair_of<rc> p(roomy);
  const auto sent = pattern(1 << 20);
  const registered_buffer memory = filled(sent);
  error_code result = asio::error::in_progress;
  std::size_t count = 0;
  p.client.async_write_some(memory.buffer(), [&](error_code ec, std::size_t n) {
    result = ec;
    count = n;
  });
  asio::io_context other;
  rc::socket moved(other);
  moved.assign(rc::v4(), p.client.release());
  run(p.context);
  BOOST_TEST(result == asio::error::operation_aborted);
  write_string(moved, "next");
  std::vector<unsigned char> received(count);
  asio::read(p.server, asio::buffer(received));
  BOOST_TEST(std::equal(received.begin(), received.end(), sent.begin()));
  BOOST_TEST(read_string(p.server, 4) == "next");
}

BOOST_AUTO_TEST_CASE(messages_are_sent_from_registered_memory) {
  pair_of<rc_seq_packet> p;
  const auto sent = pattern(3 << 20);
  const registered_buffer memory = filled(sent);
  std::vector<std::size_t> lengths;
  const std::vector<std::size_t> sizes{64 << 10, 40000, 100, sent.size(), 0, 32768, 70001};
  for (const std::size_t size : sizes) {
    p.client.async_send(memory.buffer(0, size), 0, [&, size](error_code ec, std::size_t n) {
      LOCKED_TEST(!ec);
      LOCKED_TEST(n == size);
      lengths.push_back(n);
    });
  }
  const scoped_thread thread([&] { p.context.run(); });
  std::uint64_t large = 0;
  for (const std::size_t size : sizes) {
    const auto received = receive_message(p.server, sent.size());
    LOCKED_TEST(received.size() == size);
    LOCKED_TEST(std::equal(received.begin(), received.end(), sent.begin()));
    if (size >= 32768) large += size;
  }
  LOCKED_TEST(direct(p.client) == large);
  LOCKED_TEST(copied(p.client) == 100u);
}

BOOST_AUTO_TEST_CASE(synchronous_sends_return_when_the_memory_is_free) {
  pair_of<rc_seq_packet> p;
  const auto sent = pattern(1 << 20);
  const registered_buffer memory = filled(sent);
  scoped_thread reader([&] {
    for (int i = 0; i < 3; ++i) {
      const auto received = receive_message(p.server, sent.size());
      LOCKED_TEST((received == sent));
    }
  });
  for (int i = 0; i < 3; ++i) {
    const std::size_t n = p.client.send(memory.buffer(), 0);  // not in the check, which locks
    LOCKED_TEST(n == sent.size());
  }
  reader.join();
  BOOST_TEST(direct(p.client) == 3 * sent.size());
}

BOOST_AUTO_TEST_CASE(a_message_that_is_cancelled_on_its_way_ends_the_connection) {
  pair_of<rc_seq_packet> p;
  const auto sent = pattern(4 << 20);
  const registered_buffer memory = filled(sent);
  error_code result = asio::error::in_progress;
  p.client.async_send(memory.buffer(), 0, [&](error_code ec, std::size_t) { result = ec; });
  run_until(p.context, [&] { return direct(p.client) >= 64u << 10; });
  p.client.cancel();
  run(p.context);
  BOOST_TEST(result == asio::error::operation_aborted);
  // Half of it is no message for the peer.
  std::vector<unsigned char> received(sent.size());
  asio::socket_base::message_flags flags = 0;
  error_code ec;
  std::size_t size = 0;
  while (!ec) size += p.server.receive(asio::buffer(received) + size, 0, flags, ec);
  BOOST_TEST(ec == asio::error::connection_reset);
  BOOST_TEST((flags & asio::socket_base::message_end_of_record) == 0);
}

BOOST_AUTO_TEST_CASE(containers_of_registered_memory_are_not_copied) {
  pair_of<rc> p(roomy);
  asio_rdma::registered_resource resource;
  std::vector<unsigned char> received;
  std::uint64_t total = 0;
  const void* first = nullptr;
  for (const std::size_t size : {100u, 40000u, 100000u, 6u << 20, 100000u}) {
    const auto sent = pattern(size);
    const std::pmr::vector<unsigned char> data(sent.begin(), sent.end(), &resource);
    received.assign(size, 0);
    asio::async_read(p.server, asio::buffer(received), [](error_code ec, std::size_t) { BOOST_TEST(!ec); });
    p.client.async_write_some(registered(asio::buffer(data)), [&](error_code ec, std::size_t n) {
      BOOST_TEST(!ec);
      BOOST_TEST(n == size);
    });
    run(p.context);
    BOOST_TEST((received == sent));
    if (size >= 32768) total += size;
    BOOST_TEST(direct(p.client) == total);
    if (size == 100000 && !first) {
      first = data.data();
    } else if (size == 100000) {
      BOOST_TEST(first == data.data());  // used again, and known to the device
    }
  }
}

BOOST_AUTO_TEST_CASE(memory_on_huge_pages_or_the_remedy) {
  error_code ec;
  const registered_buffer huge = registered_buffer::create(100000, asio_rdma::memory_pages::huge, ec);
  if (ec) {
    BOOST_TEST((ec == asio_rdma::errc::option_refused), ec.message());
    BOOST_TEST(ec.message().find("vm.nr_hugepages") != std::string::npos, ec.message());
  } else {
    BOOST_TEST(huge.size() >= 2u << 20);
  }
  (void)registered_buffer::create(0, asio_rdma::memory_pages::normal, ec);
  BOOST_TEST((ec == boost::system::errc::invalid_argument), ec.message());
}

BOOST_AUTO_TEST_SUITE_END()
