// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// WebSocket by Boost.Beast over RDMA: a server that echoes messages, and a client. With blocking calls, a thread for
// each client of the server.
//
//   websocket server ADDRESS PORT CLIENTS        ends after that many
//   websocket client ADDRESS PORT TEXT...

#include <asio_rdma/rc.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using asio_rdma::rc;
using boost::system::error_code;

namespace {

void echo(rc::socket socket) {
  websocket::stream<rc::socket> stream(std::move(socket));
  error_code ec;
  stream.accept(ec);
  while (!ec) {
    beast::flat_buffer message;
    stream.read(message, ec);
    if (ec) break;
    stream.text(stream.got_text());
    stream.write(message.data(), ec);
  }
  if (ec != websocket::error::closed) std::cerr << "a client: " << ec.message() << '\n';
}

void serve(asio::io_context& context, const rc::endpoint& endpoint, unsigned long clients) {
  rc::acceptor acceptor(context, endpoint);
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  std::vector<std::thread> threads;
  for (; clients > 0; --clients) threads.emplace_back(echo, acceptor.accept());
  for (std::thread& t : threads) t.join();
}

void ask(asio::io_context& context, const rc::endpoint& server, int count, char** texts) {
  websocket::stream<rc::socket> stream(context);
  stream.next_layer().connect(server);
  stream.handshake("here", "/");
  for (int i = 0; i < count; ++i) {
    stream.write(asio::buffer(std::string(texts[i])));
    beast::flat_buffer answer;
    stream.read(answer);
    std::cout << beast::buffers_to_string(answer.data()) << '\n';
  }
  stream.close(websocket::close_code::normal);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 4 ? argv[1] : "";
  if (!(role == "server" && argc == 5) && role != "client") {
    std::cerr << "usage: websocket server ADDRESS PORT CLIENTS\n       websocket client ADDRESS PORT TEXT...\n";
    return 2;
  }
  try {
    asio::io_context context;
    const rc::endpoint endpoint = *rc::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "server") {
      serve(context, endpoint, std::stoul(argv[4]));
    } else {
      ask(context, endpoint, argc - 4, argv + 4);
    }
  } catch (const std::exception& e) {
    std::cerr << "websocket: " << e.what() << '\n';
    return 1;
  }
}
