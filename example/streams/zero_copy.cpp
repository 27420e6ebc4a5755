// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A stream without a copy: the sender's device reads from a registered buffer, and writes into one of the receiver's.
// Both have several operations under way at a time, each with a piece of the buffer of its own. At the end both say,
// from their statistics, how many bytes were copied after all. doc/zero_copy.md says when that happens.
//
//   zero_copy receive ADDRESS PORT
//   zero_copy send ADDRESS PORT MIB

#include <asio_rdma/rc.hpp>
#include <asio_rdma/registered_buffer.hpp>
#include <asio_rdma/statistics.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

namespace asio = boost::asio;
using asio_rdma::rc;
using boost::system::error_code;

namespace {

constexpr std::size_t piece_size = 1 << 20;
constexpr std::size_t pieces = 4;

// What is sent: the receiver can tell from its place whether a byte is right.
std::byte byte_at(std::uint64_t position) {
  return static_cast<std::byte>(position % 251);
}

class receiver {
public:
  explicit receiver(rc::socket socket) : socket_(std::move(socket)) {
    for (std::size_t i = 0; i < pieces; ++i) read(i);
    // The reads wait: the peer can write into the buffer from the first byte on.
    asio::write(socket_, asio::buffer("r", 1));
  }
  bool report() {
    const auto counters = asio_rdma::statistics(socket_).counters;
    std::cout << received_ << " bytes received" << (is_right_ ? "" : ", NOT AS SENT") << ", "
              << counters.read_bytes_direct << " written into the registered buffer, " << counters.read_bytes_copied
              << " copied\n";
    return is_right_;
  }

private:
  void read(std::size_t piece) {
    const auto handler = [this, piece](error_code ec, std::size_t size) {
      take(memory_.data() + piece * piece_size, size);
      if (ec == asio::error::eof) return;  // the other reads that wait end so, too
      if (ec) throw boost::system::system_error(ec, "read");
      read(piece);
    };
    socket_.async_read_some(memory_.buffer(piece * piece_size, piece_size), handler);
  }
  // Handlers run in the order of the reads, and so of the stream.
  void take(const std::byte* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) is_right_ = is_right_ && data[i] == byte_at(received_ + i);
    received_ += size;
  }

  asio_rdma::registered_buffer memory_{pieces * piece_size};
  rc::socket socket_;
  std::uint64_t received_ = 0;
  bool is_right_ = true;
};

class sender {
public:
  sender(rc::socket socket, std::uint64_t bytes) : socket_(std::move(socket)), bytes_(bytes) {
    char ready;
    asio::read(socket_, asio::buffer(&ready, 1));
    for (std::size_t i = 0; i < pieces; ++i) write(i);
  }
  void report() {
    const auto counters = asio_rdma::statistics(socket_).counters;
    std::cout << counters.bytes_acknowledged << " bytes sent, " << counters.write_bytes_direct
              << " from the registered buffer, " << counters.write_bytes_copied << " copied\n";
  }

private:
  void write(std::size_t piece) {
    if (begun_ == bytes_) return;
    for (std::size_t i = 0; i < piece_size; ++i) memory_.data()[piece * piece_size + i] = byte_at(begun_ + i);
    begun_ += piece_size;
    // From registered memory, write_some writes everything, and several may be under way. Its handler runs when the
    // device has done with the piece.
    const auto handler = [this, piece](error_code ec, std::size_t) {
      if (ec) throw boost::system::system_error(ec, "write");
      write(piece);
    };
    socket_.async_write_some(memory_.buffer(piece * piece_size, piece_size), handler);
  }

  asio_rdma::registered_buffer memory_{pieces * piece_size};
  rc::socket socket_;
  std::uint64_t bytes_;
  std::uint64_t begun_ = 0;  // bytes that writes were begun for
};

bool receive(asio::io_context& context, const rc::endpoint& endpoint) {
  rc::acceptor acceptor(context, endpoint);
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  receiver r(acceptor.accept());
  context.run();
  return r.report();
}

void send(asio::io_context& context, const rc::endpoint& server, std::uint64_t bytes) {
  rc::socket socket(context);
  socket.connect(server);
  sender s(std::move(socket), bytes);
  context.run();
  s.report();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 3 ? argv[1] : "";
  if (!(role == "receive" && argc == 4) && !(role == "send" && argc == 5)) {
    std::cerr << "usage: zero_copy receive ADDRESS PORT\n       zero_copy send ADDRESS PORT MIB\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const rc::endpoint endpoint = *rc::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "send") {
      send(context, endpoint, std::stoull(argv[4]) * piece_size);
    } else if (!receive(context, endpoint)) {
      return 1;
    }
  } catch (const std::exception& e) {
    std::cerr << "zero_copy: " << e.what() << '\n';
    return 1;
  }
}
