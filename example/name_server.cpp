// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The name service as a program: receivers of datagrams enter their endpoints under names, senders look them up.

#include <asio_rdma/name_registry.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <cstdint>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;

int main(int argc, char* argv[]) {
  if (argc != 3) {
    std::cerr << "usage: name_server ADDRESS PORT\n";
    return 2;
  }
  try {
    const unsigned long port = std::stoul(argv[2]);
    if (port > 65535) throw std::out_of_range("a port is 0 to 65535");
    asio::io_context context;
    const asio::ip::tcp::endpoint where(asio::ip::make_address(argv[1]), static_cast<std::uint16_t>(port));
    asio_rdma::name_server server(context.get_executor(), where);
    std::cout << "names are served on " << server.local_endpoint() << std::endl;
    asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&](boost::system::error_code, int) { server.stop(); });
    context.run();
  } catch (const std::exception& e) {
    std::cerr << "name_server: " << e.what() << '\n';
    return 1;
  }
}
