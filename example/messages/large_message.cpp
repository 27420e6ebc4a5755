// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// One message that is larger than any buffer of the connection: it is sent in one call and received in parts, of which
// the last one says so. Both ends compute its checksum (CRC-32); the receiver sends its own back.
//
//   large_message receive ADDRESS PORT
//   large_message send ADDRESS PORT MIB

#include <asio_rdma/rc_seq_packet.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/crc.hpp>

#include <cstdint>
#include <exception>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace asio = boost::asio;
using asio_rdma::rc_seq_packet;

namespace {

struct summary {
  std::uint64_t bytes;
  std::uint32_t checksum;
  std::uint32_t parts;  // that it came in
};

void receive(asio::io_context& context, const rc_seq_packet::endpoint& endpoint) {
  rc_seq_packet::acceptor acceptor(context, endpoint);
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  rc_seq_packet::socket socket = acceptor.accept();

  std::vector<char> part(65536);
  boost::crc_32_type checksum;
  summary s{};
  for (asio::socket_base::message_flags flags = 0; !(flags & asio::socket_base::message_end_of_record); ++s.parts) {
    const std::size_t size = socket.receive(asio::buffer(part), 0, flags);
    checksum.process_bytes(part.data(), size);
    s.bytes += size;
  }
  s.checksum = checksum.checksum();
  socket.send(asio::buffer(&s, sizeof s), 0);
  std::cout << "received a message of " << s.bytes << " bytes in " << s.parts << " parts" << std::endl;
}

bool send(asio::io_context& context, const rc_seq_packet::endpoint& server, std::size_t bytes) {
  std::vector<std::uint32_t> message(bytes / sizeof(std::uint32_t));
  std::mt19937 random(1);
  for (std::uint32_t& word : message) word = static_cast<std::uint32_t>(random());
  boost::crc_32_type checksum;
  checksum.process_bytes(message.data(), bytes);

  rc_seq_packet::socket socket(context);
  socket.connect(server);
  socket.send(asio::buffer(message), 0);  // returns when all of it was taken over
  summary s{};
  asio::socket_base::message_flags flags = 0;
  socket.receive(asio::buffer(&s, sizeof s), flags);
  const bool is_same = s.bytes == bytes && s.checksum == checksum.checksum();
  std::cout << bytes << " bytes sent, " << s.bytes << " received, checksum " << (is_same ? "equal" : "DIFFERENT")
            << '\n';
  return is_same;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 3 ? argv[1] : "";
  if (!(role == "receive" && argc == 4) && !(role == "send" && argc == 5)) {
    std::cerr << "usage: large_message receive ADDRESS PORT\n       large_message send ADDRESS PORT MIB\n";
    return 2;
  }
  try {
    asio::io_context context;
    const rc_seq_packet::endpoint endpoint = *rc_seq_packet::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "receive") {
      receive(context, endpoint);
    } else if (!send(context, endpoint, std::stoul(argv[4]) * 1024 * 1024)) {
      return 1;
    }
  } catch (const std::exception& e) {
    std::cerr << "large_message: " << e.what() << '\n';
    return 1;
  }
}
