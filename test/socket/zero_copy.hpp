// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SOCKET_ZERO_COPY_HPP
#define ASIO_RDMA_TEST_SOCKET_ZERO_COPY_HPP

#include "fixture.hpp"

#include <asio_rdma/registered_buffer.hpp>

#include <chrono>
#include <cstring>
#include <vector>

/// Two connected sockets on one context.
template <class Protocol>
struct pair_of {
  /// initial_size: bytes that buffers begin with.
  explicit pair_of(int initial_size = 8 << 10) {
    typename Protocol::acceptor acceptor(context, Protocol::v4());
    acceptor.set_option(asio_rdma::initial_buffer_size(initial_size));
    acceptor.bind(typename Protocol::endpoint(test_address(), 0));
    acceptor.listen();
    client.connect(acceptor.local_endpoint());
    acceptor.accept(server);
  }
  asio::io_context context;
  typename Protocol::socket client{context};
  typename Protocol::socket server{context};
};

inline asio_rdma::registered_buffer filled(const std::vector<unsigned char>& bytes) {
  asio_rdma::registered_buffer result(bytes.size());
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

inline std::vector<unsigned char> receive_message(asio_rdma::rc_seq_packet::socket& s, std::size_t most) {
  std::vector<unsigned char> result(most);
  std::size_t size = 0;
  asio::socket_base::message_flags flags = 0;
  while ((flags & asio::socket_base::message_end_of_record) == 0) {
    size += s.receive(asio::buffer(result) + size, flags);
  }
  result.resize(size);
  return result;
}

/// Runs the context until a condition holds.
template <class Condition>
void run_until(asio::io_context& context, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    BOOST_TEST_REQUIRE((std::chrono::steady_clock::now() < deadline));
    context.restart();
    context.run_for(std::chrono::milliseconds(1));
  }
}

#endif
