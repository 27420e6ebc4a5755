// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_DATAGRAM_FIXTURE_HPP
#define ASIO_RDMA_TEST_DATAGRAM_FIXTURE_HPP

#include "support/test_address.hpp"

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace asio = boost::asio;
using asio_rdma::ud;
using boost::system::error_code;

inline ud::endpoint any_port() {
  return ud::endpoint(test_address(), 0);
}

/// Where a socket on the unspecified address is reached.
inline ud::endpoint reach(const ud::socket& s) {
  return ud::endpoint(test_address(), s.local_endpoint().port());
}

/// An endpoint that no socket is bound to.
inline ud::endpoint deserted_endpoint() {
  return deserted_endpoint_of<ud::socket>();
}

/// Runs the context until the condition holds; throws if it does not within that time.
template <class Condition>
void run_until(asio::io_context& context, Condition condition,
               std::chrono::milliseconds patience = std::chrono::seconds(30)) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    context.restart();
    context.run_for(std::chrono::milliseconds(5));
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("it did not happen in time");
  }
}

/// Receives, but not for ever.
inline std::string receive_string(ud::socket& s, ud::endpoint* from = nullptr) {
  s.non_blocking(true);
  std::string result(5000, '\0');
  ud::endpoint sender;
  error_code ec;
  std::size_t n = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (;;) {
    n = s.receive_from(asio::buffer(result), sender, 0, ec);
    if (ec != asio::error::would_block) break;
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("no datagram came");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  s.non_blocking(false);
  if (ec) throw boost::system::system_error(ec, "receive_from");
  if (from) *from = sender;
  result.resize(n);
  return result;
}

/// Whether nothing comes for a while.
inline bool is_silent(ud::socket& s, std::chrono::milliseconds time = std::chrono::milliseconds(100)) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    if (s.available() != 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return asio_rdma::statistics(s).datagrams.unread == 0;
}

/// Two sockets that know each other's address.
struct two_sockets {
  asio::io_context context;
  ud::socket a{context, any_port()};
  ud::socket b{context, any_port()};
  ud::endpoint to_a = a.local_endpoint();
  ud::endpoint to_b = b.local_endpoint();
};

#endif
