// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Datagrams, as with UDP: a server that answers each with its length, whoever sent it, and a client that asks again
// when no answer comes in time, since datagrams may be lost.
//
//   packets server ADDRESS PORT              until SIGINT or SIGTERM
//   packets client ADDRESS PORT TEXT...

#include <asio_rdma/ud.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;
using asio_rdma::ud;
using boost::system::error_code;

namespace {

class server {
public:
  server(asio::io_context& context, const ud::endpoint& endpoint) : socket_(context, endpoint) {
    data_.resize(asio_rdma::maximum_payload(socket_));  // none is larger
    std::cout << "listening on " << socket_.local_endpoint() << std::endl;
    receive();
  }

private:
  void receive() {
    socket_.async_receive_from(asio::buffer(data_), sender_, [this](error_code ec, std::size_t size) {
      if (ec) throw boost::system::system_error(ec, "receive");
      answer_ = std::to_string(size) + " bytes";
      socket_.async_send_to(asio::buffer(answer_), sender_, [this](error_code failed, std::size_t) {
        if (failed) std::cerr << "send: " << failed.message() << '\n';
        receive();
      });
    });
  }

  ud::socket socket_;
  ud::endpoint sender_;
  std::vector<char> data_;
  std::string answer_;
};

// The answer to a datagram that is sent up to ten times.
std::string ask(asio::io_context& context, ud::socket& socket, const std::string& text) {
  char answer[64];
  for (int attempt = 0; attempt < 10; ++attempt) {
    std::size_t size = 0;
    socket.send(asio::buffer(text));
    socket.async_receive(asio::buffer(answer), [&](error_code ec, std::size_t n) {
      if (!ec) size = n;
    });
    context.restart();
    context.run_for(std::chrono::milliseconds(500));
    if (size != 0) return std::string(answer, size);
    socket.cancel();
    context.run();  // the handler of the receive
  }
  throw std::runtime_error("no answer");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 3 ? argv[1] : "";
  if (!(role == "server" && argc == 4) && !(role == "client" && argc > 4)) {
    std::cerr << "usage: packets server ADDRESS PORT\n       packets client ADDRESS PORT TEXT...\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const ud::endpoint endpoint = *ud::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "server") {
      server s(context, endpoint);
      asio::signal_set signals(context, SIGINT, SIGTERM);
      signals.async_wait([&context](error_code, int) { context.stop(); });
      context.run();
      return 0;
    }
    ud::socket socket(context, endpoint.protocol());
    socket.connect(endpoint);
    for (int i = 4; i < argc; ++i) std::cout << argv[i] << ": " << ask(context, socket, argv[i]) << '\n';
  } catch (const std::exception& e) {
    std::cerr << "packets: " << e.what() << '\n';
    return 1;
  }
}
