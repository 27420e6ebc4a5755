// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "echo.hpp"

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <string>

namespace asio = boost::asio;
using asio_rdma::rc;
using boost::system::error_code;

bool echo_elsewhere(asio::io_context& context) {
  using executor_type = asio::io_context::executor_type;
  rc::acceptor acceptor(context, any_port());
  rc::socket::rebind_executor<executor_type>::other client(context), server(context);
  client.connect(acceptor.local_endpoint());
  acceptor.accept(server);
  std::string sent = "elsewhere", there(sent.size(), '\0'), back(sent.size(), '\0');
  bool done = false;
  asio::async_read(server, asio::buffer(there), [&](error_code ec, std::size_t) {
    if (!ec) asio::async_write(server, asio::buffer(there), [](error_code, std::size_t) {});
  });
  asio::async_write(client, asio::buffer(sent), [&](error_code, std::size_t) {
    asio::async_read(client, asio::buffer(back), [&](error_code ec, std::size_t) { done = !ec && back == sent; });
  });
  context.restart();
  context.run();
  return done;
}
