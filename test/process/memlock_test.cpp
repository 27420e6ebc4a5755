// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A process whose limit of locked memory lies anywhere: registration is refused at one place or another, and a
// connection does not come about, or does with the buffers that it has. Others know nothing of it.

#include "child.hpp"

#include "socket/parameter.hpp"
#include "support/environment.hpp"

#include <asio_rdma/registered_buffer.hpp>

#include <boost/test/unit_test.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>

using namespace process_test;
using asio_rdma::errc;

namespace {

/// The limit of this process, which the software device keeps to as well then.
class memlock_limit {
public:
  memlock_limit() { ::getrlimit(RLIMIT_MEMLOCK, &before_); }
  memlock_limit(const memlock_limit&) = delete;
  memlock_limit& operator=(const memlock_limit&) = delete;
  ~memlock_limit() { ::setrlimit(RLIMIT_MEMLOCK, &before_); }

  void set(std::size_t bytes) {
    const rlimit limit{bytes, before_.rlim_max};
    BOOST_REQUIRE_EQUAL(::setrlimit(RLIMIT_MEMLOCK, &limit), 0);
  }

private:
  test_support::environment counting_{"ASIO_RDMA_SOFT_MEMLOCK", "1"};
  rlimit before_{};
};

std::uint64_t registered_now() {
  return asio_rdma::snapshot().totals.registered_memory;
}

/// Two ends that write so many bytes to each other at once, and compare what they get.
void exchange(asio::io_context& context, rc::socket& a, rc::socket& b, std::size_t size) {
  const auto sent = bytes(size);
  int left = 4;
  const auto done = [&](error_code ec, std::size_t) {
    BOOST_TEST(!ec, ec.message());
    --left;
  };
  std::vector<unsigned char> at_a(size), at_b(size);
  asio::async_write(a, asio::buffer(sent), done);
  asio::async_write(b, asio::buffer(sent), done);
  asio::async_read(a, asio::buffer(at_a), done);
  asio::async_read(b, asio::buffer(at_b), done);
  context.restart();
  context.run_for(std::chrono::seconds(30));
  BOOST_TEST_REQUIRE(left == 0);
  BOOST_TEST((at_a == sent));
  BOOST_TEST((at_b == sent));
}

struct pair {
  explicit pair(asio::io_context& context) : client(context), server(context) {}
  void connect(rc::acceptor& acceptor, error_code& ec) {
    client.connect(acceptor.local_endpoint(), ec);
    if (!ec) acceptor.accept(server);
  }
  rc::socket client, server;
};

/// What came of a connection under a limit.
struct outcome {
  bool is_refused = false;
  std::set<std::uint64_t> rings;  ///< sizes that the rings have grown to
  bool is_direct = false;         ///< registered memory was sent from where it lies
};

outcome try_one(rc::acceptor& acceptor, asio::io_context& context) {
  outcome result;
  pair p(context);
  error_code ec;
  p.connect(acceptor, ec);
  if (ec) {
    // Whichever end met the limit: ours says so, the listener refuses.
    BOOST_TEST((ec == errc::memlock_limit || ec == asio::error::connection_refused), ec.message());
    result.is_refused = true;
    return result;
  }
  exchange(context, p.client, p.server, 600'000);
  for (rc::socket* const s : {&p.client, &p.server}) {
    result.rings.insert(asio_rdma::statistics(*s).levels.receive_buffer_size);
  }

  const auto sent = bytes(64 << 10);
  const asio_rdma::registered_buffer memory(sent.size());
  std::memcpy(memory.data(), sent.data(), sent.size());
  std::vector<unsigned char> got(sent.size());
  // In non-blocking mode it would be copied. The ring may hold less.
  std::thread reader([&] { asio::read(p.server, asio::buffer(got), ec); });
  const auto all = [](const error_code& e, std::size_t) { return e ? 0 : std::size_t{1} << 20; };
  error_code ec2;
  asio::write(p.client, memory.buffer(), all, ec2);
  reader.join();
  BOOST_TEST(!ec, ec.message());
  BOOST_TEST(!ec2, ec2.message());
  BOOST_TEST((got == sent));
  result.is_direct = asio_rdma::statistics(p.client).counters.write_bytes_direct > 0;
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_memlock, *boost::unit_test::label("native") * boost::unit_test::label("memlock"))

BOOST_AUTO_TEST_CASE(registration_is_refused_wherever_the_limit_lies) {
  const auto step = static_cast<std::size_t>(parameter("ASIO_RDMA_TEST_MEMLOCK_STEP", 8192, 32768));
  memlock_limit limit;
  asio::io_context context;
  rc::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  pair other(context);
  error_code ec;
  other.connect(acceptor, ec);
  BOOST_TEST_REQUIRE(!ec, ec.message());
  exchange(context, other.client, other.server, 600'000);
  const std::uint64_t before = registered_now();

  int refused = 0, kept_small = 0, copied = 0, unharmed = 0;
  for (std::size_t extra = 0; unharmed < 3; extra += step) {
    BOOST_TEST_CONTEXT("limit of " << before << " and " << extra << " bytes") {
      BOOST_TEST_REQUIRE(extra < (4u << 20));
      limit.set(before + extra);
      const outcome o = try_one(acceptor, context);
      const bool is_small = !o.is_refused && *o.rings.begin() < (128u << 10);
      refused += o.is_refused;
      kept_small += is_small;
      copied += !o.is_refused && !o.is_direct;
      unharmed += !o.is_refused && !is_small && o.is_direct;
      exchange(context, other.client, other.server, 1000);
      // All of it is given back, whichever registration was refused.
      for (int i = 0; i < 1000 && registered_now() != before; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      BOOST_TEST_REQUIRE(registered_now() == before);
    }
  }
  BOOST_TEST_MESSAGE(refused << " connections refused, " << kept_small << " with smaller rings, " << copied
                             << " copied");
  BOOST_TEST(refused > 0);
  BOOST_TEST(kept_small > 0);
  BOOST_TEST(copied > 0);
}

BOOST_AUTO_TEST_SUITE_END()
