// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_COMPILE_ECHO_HPP
#define ASIO_RDMA_TEST_COMPILE_ECHO_HPP

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>

/// Sends bytes to and fro between sockets that know the type of their executor: in the second translation unit. Throws
/// what goes wrong; true if they came back.
bool echo_elsewhere(boost::asio::io_context& context);

inline asio_rdma::rc::endpoint any_port() {
  return {boost::asio::ip::make_address("127.0.0.1"), 0};
}

#endif
