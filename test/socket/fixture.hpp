// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SOCKET_FIXTURE_HPP
#define ASIO_RDMA_TEST_SOCKET_FIXTURE_HPP

#include "support/test_address.hpp"

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using asio_rdma::rc;
using boost::system::error_code;

inline rc::endpoint any_port() {
  return rc::endpoint(test_address(), 0);
}

/// An endpoint that nobody listens on.
inline rc::endpoint deserted_endpoint() {
  return deserted_endpoint_of<rc::acceptor>();
}

/// Connects two sockets of whatever contexts.
inline void connect_pair(rc::socket& client, rc::socket& server) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  client.connect(acceptor.local_endpoint());
  acceptor.accept(server);
}

/// Two sockets on one context, connected with each other.
struct connected_pair {
  connected_pair() { connect_pair(client, server); }

  asio::io_context context;
  rc::socket client{context};
  rc::socket server{context};
};

inline std::mutex& check_mutex() {
  static std::mutex instance;
  return instance;
}

/// BOOST_TEST for use while other threads check things too: Boost.Test is not thread-safe.
#define LOCKED_TEST(condition)                                   \
  do {                                                           \
    const std::lock_guard<std::mutex> check_lock(check_mutex()); \
    BOOST_TEST(condition);                                       \
  } while (false)

/// A thread that ends before its creator goes on.
class scoped_thread {
public:
  explicit scoped_thread(std::function<void()> f) : thread_(std::move(f)) {}
  scoped_thread(const scoped_thread&) = delete;
  scoped_thread& operator=(const scoped_thread&) = delete;
  ~scoped_thread() { join(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

private:
  std::thread thread_;
};

/// Bytes in which a loss or a change of order shows.
inline std::vector<unsigned char> pattern(std::size_t size, unsigned seed = 1) {
  std::vector<unsigned char> result(size);
  unsigned state = seed;
  for (unsigned char& c : result) {
    state = state * 1664525u + 1013904223u;
    c = static_cast<unsigned char>(state >> 24);
  }
  return result;
}

inline std::string read_string(rc::socket& s, std::size_t size) {
  std::string result(size, '\0');
  asio::read(s, asio::buffer(result));
  return result;
}

inline void write_string(rc::socket& s, const std::string& text) {
  asio::write(s, asio::buffer(text));
}

/// Runs what is ready and what becomes so, from a context that may have run before.
inline std::size_t run(asio::io_context& context) {
  context.restart();
  return context.run();
}

#endif
