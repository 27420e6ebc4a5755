// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio/io_context.hpp>
#include <iostream>

int main() {
  boost::asio::io_context context;
  asio_rdma::rc::socket socket(context, asio_rdma::rc::v4());
  std::cout << "a socket of asio_rdma is " << (socket.is_open() ? "open" : "closed") << '\n';
  return socket.is_open() ? 0 : 1;
}
