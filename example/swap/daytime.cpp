// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A program that knows nothing of RDMA: a server that tells the time, and a client, as in Asio's tutorial.
//
//   daytime_tcp server ADDRESS PORT CLIENTS      ends after that many
//   daytime_tcp client ADDRESS PORT
//
// It is built twice: as it stands, and with the change in rdma.diff.

#include <boost/asio.hpp>

#include <ctime>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

using boost::asio::ip::tcp;

namespace {

class server {
public:
  server(boost::asio::io_context& context, const tcp::endpoint& endpoint, unsigned long clients)
      : acceptor_(context, endpoint), left_(clients) {
    std::cout << "listening on " << acceptor_.local_endpoint() << std::endl;
    accept();
  }

private:
  void accept() {
    if (left_-- == 0) return;
    acceptor_.async_accept([this](boost::system::error_code ec, tcp::socket socket) {
      if (!ec) tell(std::move(socket));
      accept();
    });
  }

  static void tell(tcp::socket socket) {
    const std::time_t now = std::time(nullptr);
    const auto text = std::make_shared<std::string>(std::ctime(&now));
    const auto s = std::make_shared<tcp::socket>(std::move(socket));
    s->set_option(tcp::no_delay(true));
    boost::asio::async_write(*s, boost::asio::buffer(*text), [s, text](boost::system::error_code, std::size_t) {});
  }

  tcp::acceptor acceptor_;
  unsigned long left_;
};

void ask(boost::asio::io_context& context, const char* address, const char* port) {
  tcp::resolver resolver(context);
  tcp::socket socket(context);
  boost::asio::connect(socket, resolver.resolve(address, port));
  std::string text;
  boost::system::error_code ec;
  boost::asio::read(socket, boost::asio::dynamic_buffer(text), ec);
  if (ec != boost::asio::error::eof) throw boost::system::system_error(ec);
  std::cout << text;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 3 ? argv[1] : "";
  if (!(role == "server" && argc == 5) && !(role == "client" && argc == 4)) {
    std::cerr << "usage: daytime server ADDRESS PORT CLIENTS\n       daytime client ADDRESS PORT\n";
    return 2;
  }
  try {
    boost::asio::io_context context(1);
    if (role == "server") {
      const server s(context, *tcp::resolver(context).resolve(argv[2], argv[3]).begin(), std::stoul(argv[4]));
      context.run();
    } else {
      ask(context, argv[2], argv[3]);
    }
  } catch (const std::exception& e) {
    std::cerr << "daytime: " << e.what() << '\n';
    return 1;
  }
}
