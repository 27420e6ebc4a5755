// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Two people talk: what one types, the other reads, both at the same time. Reading the socket, reading the keyboard and
// writing go on independently of each other (full duplex). The end of the input ends one's own direction only.
//
//   chat listen ADDRESS PORT         waits for the other one
//   chat call ADDRESS PORT
//
// The standard input is a terminal or a pipe; a file cannot be waited for.

#include <asio_rdma/rc.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <unistd.h>

#include <exception>
#include <iostream>
#include <string>

namespace asio = boost::asio;
using asio_rdma::rc;
using boost::system::error_code;

namespace {

constexpr std::size_t longest_line = 65536;

class conversation {
public:
  // The descriptor is a copy: closing it leaves the standard input open.
  explicit conversation(rc::socket& socket)
      : socket_(socket), keyboard_(socket.get_executor(), ::dup(STDIN_FILENO)) {}

  void begin() {
    read_keyboard();
    read_socket();
  }

private:
  void read_keyboard() {
    asio::async_read_until(keyboard_, asio::dynamic_buffer(typed_, longest_line), '\n',
                           [this](error_code ec, std::size_t size) {
                             if (!ec) return write(size);
                             error_code ignored;
                             socket_.shutdown(rc::socket::shutdown_send, ignored);
                           });
  }
  void write(std::size_t size) {
    asio::async_write(socket_, asio::buffer(typed_, size), [this, size](error_code ec, std::size_t) {
      if (ec) return;  // whoever reads says why
      typed_.erase(0, size);
      read_keyboard();
    });
  }
  void read_socket() {
    asio::async_read_until(socket_, asio::dynamic_buffer(heard_, longest_line), '\n',
                           [this](error_code ec, std::size_t size) {
                             if (ec) return end(ec);
                             std::cout << "> " << heard_.substr(0, size) << std::flush;
                             heard_.erase(0, size);
                             read_socket();
                           });
  }
  void end(error_code ec) {
    std::cout << (ec == asio::error::eof ? "the other one has left" : ec.message()) << std::endl;
    keyboard_.close(ec);
  }

  rc::socket& socket_;
  asio::posix::stream_descriptor keyboard_;
  std::string typed_, heard_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc == 4 ? argv[1] : "";
  if (role != "listen" && role != "call") {
    std::cerr << "usage: chat listen|call ADDRESS PORT\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const rc::endpoint endpoint = *rc::resolver(context).resolve(argv[2], argv[3]).begin();
    rc::socket socket(context);
    if (role == "listen") {
      rc::acceptor acceptor(context, endpoint);
      std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
      acceptor.accept(socket);
    } else {
      socket.connect(endpoint);
    }
    conversation talk(socket);
    talk.begin();
    context.run();
  } catch (const std::exception& e) {
    std::cerr << "chat: " << e.what() << '\n';
    return 1;
  }
}
