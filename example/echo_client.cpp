// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Sends lines to an echo_server, checks that they come back, and prints them. One source, built twice: echo_client_tcp
// over TCP and echo_client_rdma over RDMA.
//
//   echo_client_rdma ADDRESS PORT TEXT...        sends the words of TEXT as one line
//   echo_client_rdma ADDRESS PORT                sends the lines of the standard input

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
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
using asio::use_awaitable;

namespace {

// The longest piece that is sent before its answer is read. Any two sockets hold as much while nobody reads; two
// programs that both only write, because the other one does not read, would wait for ever.
constexpr std::size_t longest_piece = 4096;

#ifdef USE_RDMA
std::string carrier_of(transport::socket& socket) {
  return "RDMA device " + asio_rdma::device_name(socket);
}
#else
std::string carrier_of(transport::socket&) {
  return "TCP";
}
#endif

asio::awaitable<void> send_and_check(transport::socket& socket, const std::string& text) {
  std::string answer(text.size(), '\0');
  for (std::size_t done = 0; done < text.size();) {
    const std::size_t size = std::min(longest_piece, text.size() - done);
    co_await asio::async_write(socket, asio::buffer(&text[done], size), use_awaitable);
    co_await asio::async_read(socket, asio::buffer(&answer[done], size), use_awaitable);
    done += size;
  }
  if (answer != text) throw std::runtime_error("the answer differs from what was sent");
  std::cout << answer << std::flush;
}

asio::awaitable<void> run(std::string host, std::string port, std::string text) {
  const auto executor = co_await asio::this_coro::executor;
  transport::resolver resolver(executor);
  const auto endpoints = co_await resolver.async_resolve(host, port, use_awaitable);
  transport::socket socket(executor);
  const transport::endpoint server = co_await asio::async_connect(socket, endpoints, use_awaitable);
  std::cerr << "connected to " << server << ", " << carrier_of(socket) << '\n';

  if (!text.empty()) {
    co_await send_and_check(socket, text + '\n');
  } else {
    // Reading the standard input blocks the thread, which has nothing else to do.
    for (std::string line; std::getline(std::cin, line);) co_await send_and_check(socket, line + '\n');
  }
  socket.shutdown(transport::socket::shutdown_both);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: " << argv[0] << " ADDRESS PORT [TEXT...]\n";
    return 2;
  }
  std::string text;
  for (int i = 3; i < argc; ++i) text += (i > 3 ? " " : "") + std::string(argv[i]);
  try {
    asio::io_context io(1);
    asio::co_spawn(io, run(argv[1], argv[2], text), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
    io.run();
    return EXIT_SUCCESS;
  } catch (const boost::system::system_error& e) {
    std::cerr << "echo_client: " << argv[1] << " port " << argv[2] << ": " << e.code().message() << '\n';
  } catch (const std::exception& e) {
    std::cerr << "echo_client: " << e.what() << '\n';
  }
  return EXIT_FAILURE;
}
