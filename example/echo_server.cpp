// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Sends back what it receives, to any number of clients at once. One source, built twice: echo_server_tcp over TCP and
// echo_server_rdma over RDMA.
//
//   echo_server_rdma ADDRESS PORT        ADDRESS is an RDMA device's, any of this host's on soft0, or 0.0.0.0 for all
//
// It prints where it listens and what carries its connections, and runs until it gets SIGINT or SIGTERM.

#ifdef USE_RDMA
#include <asio_rdma/asio_rdma.hpp>
using transport = asio_rdma::rc;
#else
#include <boost/asio/ip/tcp.hpp>
using transport = boost::asio::ip::tcp;
#endif

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

namespace asio = boost::asio;
using asio::use_awaitable;

namespace {

#ifdef USE_RDMA
std::string carrier_of(transport::socket& socket) {
  return "RDMA device " + asio_rdma::device_name(socket);
}
#else
std::string carrier_of(transport::socket&) {
  return "TCP";
}
#endif

asio::awaitable<void> echo(transport::socket socket, transport::endpoint client) {
  try {
    char data[16 * 1024];
    for (;;) {
      const std::size_t size = co_await socket.async_read_some(asio::buffer(data), use_awaitable);
      co_await asio::async_write(socket, asio::buffer(data, size), use_awaitable);
    }
  } catch (const boost::system::system_error& e) {
    // The end of one connection is no reason to stop.
    if (e.code() != asio::error::eof)
      std::cerr << "echo_server: client " << client << ": " << e.code().message() << '\n';
  }
}

asio::awaitable<void> serve(transport::acceptor& acceptor) {
  for (;;) {
    transport::endpoint client;
    transport::socket socket = co_await acceptor.async_accept(client, use_awaitable);
    std::cout << "client " << client << ", " << carrier_of(socket) << std::endl;
    asio::co_spawn(acceptor.get_executor(), echo(std::move(socket), client), asio::detached);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " ADDRESS PORT\n";
    return 2;
  }
  try {
    asio::io_context io(1);
    transport::resolver resolver(io);
    const auto endpoints = resolver.resolve(argv[1], argv[2], transport::resolver::passive);
    transport::acceptor acceptor(io, endpoints.begin()->endpoint());
    std::cout << "listening on " << acceptor.local_endpoint() << std::endl;

    asio::signal_set signals(io, SIGINT, SIGTERM);
    signals.async_wait([&io](const boost::system::error_code&, int) { io.stop(); });

    asio::co_spawn(io, serve(acceptor), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
    io.run();
    return EXIT_SUCCESS;
  } catch (const boost::system::system_error& e) {
    std::cerr << "echo_server: " << argv[1] << " port " << argv[2] << ": " << e.code().message() << '\n';
  } catch (const std::exception& e) {
    std::cerr << "echo_server: " << e.what() << '\n';
  }
  return EXIT_FAILURE;
}
