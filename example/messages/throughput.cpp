// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// How much a connection carries: the client sends messages of SIZE bytes for SECONDS, with DEPTH of them under way at a
// time, and counts what the server says that it has received. Compare depths, and sizes: small messages cost by their
// number, large ones by their bytes.
//
//   throughput server ADDRESS PORT                            ends after one client
//   throughput client ADDRESS PORT SIZE DEPTH SECONDS

#include <asio_rdma/device.hpp>
#include <asio_rdma/rc_seq_packet.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using asio_rdma::rc_seq_packet;
using boost::system::error_code;
using seconds = std::chrono::duration<double>;

namespace {

struct received {
  std::uint64_t messages;
  std::uint64_t bytes;
};

class server {
public:
  explicit server(rc_seq_packet::socket socket) : socket_(std::move(socket)) { receive(); }
  const received& sum() const { return sum_; }

private:
  void receive() {
    socket_.async_receive(asio::buffer(part_), flags_, [this](error_code ec, std::size_t size) {
      if (ec == asio::error::eof) return answer();
      if (ec) throw boost::system::system_error(ec, "receive");
      sum_.bytes += size;
      if (flags_ & asio::socket_base::message_end_of_record) ++sum_.messages;
      receive();
    });
  }
  void answer() { socket_.send(asio::buffer(&sum_, sizeof sum_), 0); }

  rc_seq_packet::socket socket_;
  std::vector<char> part_ = std::vector<char>(1 << 20);  // longer messages come in parts
  asio::socket_base::message_flags flags_ = 0;
  received sum_{};
};

class client {
public:
  client(asio::io_context& context, const rc_seq_packet::endpoint& server, std::size_t size, unsigned depth,
         seconds time)
      : socket_(context), timer_(context), message_(size, 'x') {
    socket_.connect(server);
    begin_ = std::chrono::steady_clock::now();
    timer_.expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(time));
    timer_.async_wait([this](error_code) { is_over_ = true; });
    for (under_way_ = 0; under_way_ < depth; ++under_way_) send();
  }
  void report() {
    const double time = seconds(std::chrono::steady_clock::now() - begin_).count();
    std::cout << static_cast<double>(sum_.bytes) * 8e-9 / time << " Gb/s, "
              << static_cast<double>(sum_.messages) / time << " messages/s, on device "
              << asio_rdma::device_name(socket_) << std::endl;
  }

private:
  void send() {
    socket_.async_send(asio::buffer(message_), 0, [this](error_code ec, std::size_t) {
      if (ec) throw boost::system::system_error(ec, "send");
      if (!is_over_) return send();
      if (--under_way_ == 0) finish();
    });
  }
  // The last messages are still on their way: time is up when the server has them.
  void finish() {
    socket_.shutdown(rc_seq_packet::socket::shutdown_send);
    asio::socket_base::message_flags flags = 0;
    socket_.receive(asio::buffer(&sum_, sizeof sum_), flags);
  }

  rc_seq_packet::socket socket_;
  asio::steady_timer timer_;
  std::vector<char> message_;
  std::chrono::steady_clock::time_point begin_;
  unsigned under_way_ = 0;
  bool is_over_ = false;
  received sum_{};
};

void serve(asio::io_context& context, const rc_seq_packet::endpoint& endpoint) {
  rc_seq_packet::acceptor acceptor(context, endpoint);
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  server s(acceptor.accept());
  context.run();
  std::cout << s.sum().messages << " messages, " << s.sum().bytes << " bytes" << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 3 ? argv[1] : "";
  if (!(role == "server" && argc == 4) && !(role == "client" && argc == 7)) {
    std::cerr << "usage: throughput server ADDRESS PORT\n       throughput client ADDRESS PORT SIZE DEPTH SECONDS\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const rc_seq_packet::endpoint endpoint = *rc_seq_packet::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "server") {
      serve(context, endpoint);
    } else {
      client c(context, endpoint, std::stoul(argv[4]), static_cast<unsigned>(std::stoul(argv[5])),
               seconds(std::stod(argv[6])));
      context.run();
      c.report();
    }
  } catch (const std::exception& e) {
    std::cerr << "throughput: " << e.what() << '\n';
    return 1;
  }
}
