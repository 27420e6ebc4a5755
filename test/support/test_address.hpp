// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SUPPORT_TEST_ADDRESS_HPP
#define ASIO_RDMA_TEST_SUPPORT_TEST_ADDRESS_HPP

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>

#include <cstdlib>

/// The address that tests listen on or bind to: of this host, and loopback unless ASIO_RDMA_TEST_ADDRESS says
/// otherwise.
inline boost::asio::ip::address test_address() {
  const char* text = std::getenv("ASIO_RDMA_TEST_ADDRESS");
  return boost::asio::ip::make_address(text ? text : "127.0.0.1");
}

/// An endpoint that no socket of that kind is bound to.
template <class Socket>
typename Socket::endpoint_type deserted_endpoint_of() {
  boost::asio::io_context context;
  return Socket(context, typename Socket::endpoint_type(test_address(), 0)).local_endpoint();
}

#endif
