// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_RAW_FIXTURE_HPP
#define ASIO_RDMA_TEST_RAW_FIXTURE_HPP

#include <asio_rdma/raw_acceptor.hpp>
#include <asio_rdma/raw_connection.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <thread>

namespace asio = boost::asio;
using asio_rdma::errc;
using asio_rdma::local_buffer;
using asio_rdma::raw_acceptor;
using asio_rdma::raw_connection;
using asio_rdma::raw_options;
using asio_rdma::receive_request;
using asio_rdma::registered_memory;
using asio_rdma::remote_memory;
using asio_rdma::work_completion;
using asio_rdma::work_request;
using boost::system::error_code;
using endpoint = asio::ip::tcp::endpoint;

inline endpoint any_port() {
  return endpoint(asio::ip::make_address("127.0.0.1"), 0);
}

/// Both ends of a connection that is not established yet, each with memory that it offers to the other.
struct prepared_pair {
  explicit prepared_pair(const raw_options& options = {}, std::size_t memory = 65536) {
    raw_acceptor acceptor(context, any_port(), options);
    client.open(acceptor.local_endpoint(), options);
    client_memory = client.register_memory(memory);
    client.offer(client_memory.offer());
    // The request travels while the client establishes.
    std::thread asking([this] { client.establish(client_result); });
    error_code server_result;
    try {
      acceptor.accept_request(server);
      server_memory = server.register_memory(memory);
      server.offer(server_memory.offer());
      server.establish();
    } catch (const boost::system::system_error& e) {
      server_result = e.code();
    }
    asking.join();
    // A failure at one end looks at the other as if the peer had gone.
    BOOST_TEST(!server_result, server_result.message());
    BOOST_TEST_REQUIRE(!client_result, client_result.message());
    BOOST_REQUIRE(!server_result);
  }

  asio::io_context context;
  raw_connection client{context};
  raw_connection server{context};
  registered_memory client_memory;
  registered_memory server_memory;
  error_code client_result;
};
using connected_pair = prepared_pair;

/// Waits for the next completion, which must be there within a few seconds.
inline work_completion next(raw_connection& c) {
  work_completion result[1];
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (c.poll(result) == 0) {
    if (std::chrono::steady_clock::now() > end) BOOST_FAIL("no completion came");
    std::this_thread::yield();
  }
  return result[0];
}

/// The same, and it must be a success.
inline work_completion next_good(raw_connection& c) {
  const work_completion result = next(c);
  BOOST_TEST_REQUIRE(result.ok(), result.error().message());
  return result;
}

#endif
