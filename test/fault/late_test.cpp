// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Nothing fails, but completions come when they like.

#include "fixture.hpp"

#include "socket/parameter.hpp"
#include "support/late_posts.hpp"

#include <array>
#include <memory>
#include <vector>

using namespace fault_test;
using asio::awaitable;
using asio::use_awaitable;
using asio_rdma::rc;
using test_support::late_posts;

namespace {

const std::string text = pattern(200'000, 9);

/// Writes and reads at the same time, and then reads to the end.
awaitable<void> write_all(rc::socket& s) {
  co_await asio::async_write(s, asio::buffer(text), use_awaitable);
  s.shutdown(rc::socket::shutdown_send);
}

awaitable<void> read_all(rc::socket& s, std::string& got) {
  std::array<char, 5000> part;
  error_code ec;
  while (!ec) {
    const std::size_t n = co_await s.async_read_some(asio::buffer(part), asio::redirect_error(use_awaitable, ec));
    got.append(part.data(), n);
  }
  if (ec != asio::error::eof) throw boost::system::system_error(ec);
}

void connections_with_late_posts(unsigned seed, std::size_t count) {
  asio::io_context context;
  rc::acceptor acceptor(context, {test_address(), 0});
  std::vector<std::unique_ptr<rc::socket>> sockets;
  std::vector<std::string> got(2 * count);
  late_posts late(seed, 2000);
  for (std::size_t i = 0; i < count; ++i) {
    sockets.push_back(std::make_unique<rc::socket>(context));
    sockets.back()->connect(acceptor.local_endpoint());
    sockets.push_back(std::make_unique<rc::socket>(acceptor.accept()));
  }
  std::size_t good = 0;
  const auto count_good = [&](std::exception_ptr failure) {
    try {
      if (failure) std::rethrow_exception(failure);
      ++good;
    } catch (const boost::system::system_error& e) {
      BOOST_TEST(false, e.what());
    }
  };
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    asio::co_spawn(context, write_all(*sockets[i]), count_good);
    asio::co_spawn(context, read_all(*sockets[i], got[i]), count_good);
  }
  run(context);
  BOOST_TEST(good == 2 * sockets.size());
  for (const std::string& g : got) BOOST_TEST((g == text));
  sockets.clear();
  BOOST_TEST(late.count() > 0u);
  BOOST_TEST_MESSAGE(late.count() << " late so far, " << late.count_before_arming() << " at an arming");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(late_completions)

BOOST_AUTO_TEST_CASE(everything_arrives_whenever_completions_come) {
  const int rounds = parameter("ASIO_RDMA_TEST_FAULTS", 20, 2);
  connections_with_late_posts(0, 1);  // what is made once and kept
  for (int i = 1; i <= rounds; ++i) connections_with_late_posts(static_cast<unsigned>(i), 5);
}

BOOST_AUTO_TEST_SUITE_END()
