// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// RDMA where it is to be had, TCP otherwise: a server that listens on both, on the same port number, and a client that
// tries RDMA first and falls back to TCP, saying why. What is done with a socket is written once, for both.
//
//   connect_or_tcp server ADDRESS PORT [tcp]     ends after one client; with "tcp", as a machine without RDMA
//   connect_or_tcp client ADDRESS PORT TEXT
//
// Not everything is a reason to fall back: see worth_trying_tcp().

#include <asio_rdma/error.hpp>
#include <asio_rdma/rc.hpp>
#include <asio_rdma/socket_options.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace asio = boost::asio;
using asio::ip::tcp;
using asio_rdma::errc;
using asio_rdma::rc;
using boost::system::error_code;

namespace {

bool worth_trying_tcp(const error_code& ec) {
  return ec == errc::no_device ||         // this machine has no RDMA
         ec == errc::foreign_address ||   // the peer is not reached over the RDMA network
         ec == errc::other_host ||        // soft0 is used, and reaches this host only
         ec == boost::system::errc::connection_refused ||  // nobody listens for RDMA there
         ec == boost::system::errc::timed_out ||           // or nobody answers
         ec == boost::system::errc::host_unreachable || ec == boost::system::errc::network_unreachable;
}

template <class Socket>
class session : public std::enable_shared_from_this<session<Socket>> {
public:
  explicit session(Socket socket) : socket_(std::move(socket)) {}
  void read() {
    socket_.async_read_some(asio::buffer(data_), [self = this->shared_from_this()](error_code ec, std::size_t size) {
      if (!ec) self->write(size);
    });
  }

private:
  void write(std::size_t size) {
    asio::async_write(socket_, asio::buffer(data_, size),
                      [self = this->shared_from_this()](error_code ec, std::size_t) {
                        if (!ec) self->read();
                      });
  }

  Socket socket_;
  char data_[4096];
};

// One client, by whichever way it comes: whoever has it closes the other listener.
class server {
public:
  server(asio::io_context& context, const tcp::endpoint& endpoint, bool with_rdma)
      : tcp_(context, endpoint), rdma_(context) {
    if (with_rdma) {
      const rc::endpoint same(tcp_.local_endpoint());
      rdma_.open(same.protocol());
      rdma_.bind(same);
      rdma_.listen();
      accept(rdma_, "RDMA");
    }
    std::cout << "listening on " << tcp_.local_endpoint() << std::endl;
    accept(tcp_, "TCP");
  }

private:
  template <class Acceptor>
  void accept(Acceptor& acceptor, const char* way) {
    using socket = typename Acceptor::protocol_type::socket;
    acceptor.async_accept([this, way](error_code ec, socket s) {
      if (ec) return;  // closed
      std::cout << "a client over " << way << std::endl;
      std::make_shared<session<socket>>(std::move(s))->read();
      tcp_.close();
      rdma_.close();
    });
  }

  tcp::acceptor tcp_;
  rc::acceptor rdma_;
};

template <class Socket>
void talk(Socket& socket, const std::string& text) {
  asio::write(socket, asio::buffer(text));
  std::string answer(text.size(), '\0');
  asio::read(socket, asio::buffer(answer));
  std::cout << answer << '\n';
}

void ask(asio::io_context& context, const tcp::endpoint& server, const std::string& text) {
  rc::socket over_rdma(context, rc::endpoint(server).protocol());
  over_rdma.set_option(asio_rdma::connect_timeout(2000));  // a second way is waiting
  error_code ec;
  over_rdma.connect(server, ec);
  if (!ec) {
    std::cout << "over RDMA\n";
    return talk(over_rdma, text);
  }
  if (!worth_trying_tcp(ec)) throw boost::system::system_error(ec, "RDMA");
  std::cout << "over TCP\n";
  std::cerr << "no RDMA: " << ec.message() << '\n';
  tcp::socket over_tcp(context);
  over_tcp.connect(server);
  talk(over_tcp, text);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 3 ? argv[1] : "";
  const bool is_server = role == "server" && (argc == 4 || (argc == 5 && argv[4] == std::string("tcp")));
  if (!is_server && !(role == "client" && argc == 5)) {
    std::cerr << "usage: connect_or_tcp server ADDRESS PORT [tcp]\n       connect_or_tcp client ADDRESS PORT TEXT\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const tcp::endpoint endpoint = *tcp::resolver(context).resolve(argv[2], argv[3]).begin();
    if (is_server) {
      const server s(context, endpoint, argc == 4);
      context.run();
    } else {
      ask(context, endpoint, argv[4]);
    }
  } catch (const std::exception& e) {
    std::cerr << "connect_or_tcp: " << e.what() << '\n';
    return 1;
  }
}
