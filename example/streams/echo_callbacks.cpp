// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Echo with callbacks: a server that sends back what any number of clients send, and a client that sends one line.
//
//   echo_callbacks server ADDRESS PORT           until SIGINT or SIGTERM
//   echo_callbacks client ADDRESS PORT TEXT

#include <asio_rdma/device.hpp>
#include <asio_rdma/rc.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace asio = boost::asio;
using asio_rdma::rc;
using boost::system::error_code;

namespace {

// One client of the server. It lives as long as an operation has a shared_ptr to it.
class session : public std::enable_shared_from_this<session> {
public:
  explicit session(rc::socket socket) : socket_(std::move(socket)) {}

  void read() {
    socket_.async_read_some(asio::buffer(data_), [self = shared_from_this()](error_code ec, std::size_t size) {
      if (ec && ec != asio::error::eof) std::cerr << "a client: " << ec.message() << '\n';
      if (!ec) self->write(size);
    });
  }

private:
  void write(std::size_t size) {
    asio::async_write(socket_, asio::buffer(data_, size), [self = shared_from_this()](error_code ec, std::size_t) {
      if (ec) {
        std::cerr << "a client: " << ec.message() << '\n';
      } else {
        self->read();
      }
    });
  }

  rc::socket socket_;
  std::array<char, 16384> data_;
};

void accept(rc::acceptor& acceptor) {
  acceptor.async_accept([&acceptor](error_code ec, rc::socket socket) {
    if (!acceptor.is_open()) return;
    if (ec) {
      std::cerr << "accept: " << ec.message() << '\n';
    } else {
      std::cout << "a client, on device " << asio_rdma::device_name(socket) << std::endl;
      std::make_shared<session>(std::move(socket))->read();
    }
    accept(acceptor);
  });
}

void serve(asio::io_context& context, const rc::endpoint& endpoint) {
  rc::acceptor acceptor(context, endpoint);
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  accept(acceptor);
  asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&context](error_code, int) { context.stop(); });
  context.run();
}

void ask(asio::io_context& context, const rc::endpoint& server, const std::string& text) {
  rc::socket socket(context);
  std::string answer(text.size(), '\0');
  const auto check = [](error_code ec) {
    if (ec) throw boost::system::system_error(ec);
  };
  socket.async_connect(server, [&](error_code connected) {
    check(connected);
    asio::async_write(socket, asio::buffer(text), [&](error_code written, std::size_t) {
      check(written);
      asio::async_read(socket, asio::buffer(answer), [&](error_code read, std::size_t) {
        check(read);
        std::cout << answer << '\n';
      });
    });
  });
  context.run();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 3 ? argv[1] : "";
  if (!(role == "server" && argc == 4) && !(role == "client" && argc == 5)) {
    std::cerr << "usage: echo_callbacks server ADDRESS PORT\n       echo_callbacks client ADDRESS PORT TEXT\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const rc::endpoint endpoint = *rc::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "server") {
      serve(context, endpoint);
    } else {
      ask(context, endpoint, argv[4]);
    }
  } catch (const std::exception& e) {
    std::cerr << "echo_callbacks: " << e.what() << '\n';
    return 1;
  }
}
