// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Messages of any size, each of which arrives as one: a server that sends each back reversed, and a client that sends
// its words, each as a message of its own, and an empty one at the end.
//
//   message_echo server ADDRESS PORT             ends after one client
//   message_echo client ADDRESS PORT WORD...

#include <asio_rdma/rc_seq_packet.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

namespace asio = boost::asio;
using asio_rdma::rc_seq_packet;
using boost::system::error_code;

namespace {

// The next message, whatever its size; false when the peer has ended.
bool receive(rc_seq_packet::socket& socket, std::string& message) {
  message.clear();
  for (;;) {
    char part[4096];
    asio::socket_base::message_flags flags = 0;
    error_code ec;
    const std::size_t size = socket.receive(asio::buffer(part), 0, flags, ec);
    if (ec == asio::error::eof) return false;
    if (ec) throw boost::system::system_error(ec, "receive");
    message.append(part, size);
    if (flags & asio::socket_base::message_end_of_record) return true;
  }
}

void serve(asio::io_context& context, const rc_seq_packet::endpoint& endpoint) {
  rc_seq_packet::acceptor acceptor(context, endpoint);
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  rc_seq_packet::socket socket = acceptor.accept();
  std::string message;
  unsigned count = 0;
  while (receive(socket, message)) {
    ++count;
    std::reverse(message.begin(), message.end());
    socket.send(asio::buffer(message), 0);
  }
  std::cout << count << " messages" << std::endl;
}

void ask(asio::io_context& context, const rc_seq_packet::endpoint& server, int count, char** words) {
  rc_seq_packet::socket socket(context);
  socket.connect(server);
  // All are sent before the first answer is read: they stay apart by themselves.
  for (int i = 0; i < count; ++i) socket.send(asio::buffer(std::string(words[i])), 0);
  socket.send(asio::const_buffer(), 0);
  socket.shutdown(rc_seq_packet::socket::shutdown_send);
  for (std::string answer; receive(socket, answer);) std::cout << '[' << answer << "]\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 3 ? argv[1] : "";
  if (!(role == "server" && argc == 4) && role != "client") {
    std::cerr << "usage: message_echo server ADDRESS PORT\n       message_echo client ADDRESS PORT WORD...\n";
    return 2;
  }
  try {
    asio::io_context context;
    const rc_seq_packet::endpoint endpoint = *rc_seq_packet::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "server") {
      serve(context, endpoint);
    } else {
      ask(context, endpoint, argc - 4, argv + 4);
    }
  } catch (const std::exception& e) {
    std::cerr << "message_echo: " << e.what() << '\n';
    return 1;
  }
}
