// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Echo with blocking calls: a server with a thread for each client, and a client that sends one line. Nobody runs the
// io_context: blocking calls need none that runs.
//
//   echo_sync server ADDRESS PORT [CLIENTS]      ends after that many clients; without, never
//   echo_sync client ADDRESS PORT TEXT

#include <asio_rdma/device.hpp>
#include <asio_rdma/rc.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using asio_rdma::rc;
using boost::system::error_code;

namespace {

void echo(rc::socket socket) {
  char data[16384];
  error_code ec;
  for (;;) {
    const std::size_t size = socket.read_some(asio::buffer(data), ec);
    if (!ec) asio::write(socket, asio::buffer(data, size), ec);
    if (ec) break;
  }
  if (ec != asio::error::eof) std::cerr << "a client: " << ec.message() << '\n';
}

void serve(asio::io_context& context, const rc::endpoint& endpoint, unsigned long clients) {
  rc::acceptor acceptor(context, endpoint);
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  std::vector<std::thread> threads;
  for (unsigned long i = 0; i < clients; ++i) {
    rc::socket socket = acceptor.accept();
    std::cout << "a client, on device " << asio_rdma::device_name(socket) << std::endl;
    threads.emplace_back(echo, std::move(socket));
  }
  for (std::thread& t : threads) t.join();
}

void ask(asio::io_context& context, const rc::endpoint& server, const std::string& text) {
  rc::socket socket(context);
  socket.connect(server);
  asio::write(socket, asio::buffer(text));
  std::string answer(text.size(), '\0');
  asio::read(socket, asio::buffer(answer));
  std::cout << answer << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 3 ? argv[1] : "";
  if (!(role == "server" && argc <= 5) && !(role == "client" && argc == 5)) {
    std::cerr << "usage: echo_sync server ADDRESS PORT [CLIENTS]\n       echo_sync client ADDRESS PORT TEXT\n";
    return 2;
  }
  try {
    asio::io_context context;
    const rc::endpoint endpoint = *rc::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "server") {
      serve(context, endpoint, argc == 5 ? std::stoul(argv[4]) : static_cast<unsigned long>(-1));
    } else {
      ask(context, endpoint, argv[4]);
    }
  } catch (const std::exception& e) {
    std::cerr << "echo_sync: " << e.what() << '\n';
    return 1;
  }
}
