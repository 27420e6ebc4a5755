// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Pairs of one async_write_some and one async_read_some of 64 bytes, between two sockets of one context, over TCP or
// over RDMA, for counting their instructions.
//   stream_cost tcp|rdma COUNT

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <thread>

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

template <class Protocol>
class pairs {
public:
  explicit pairs(std::uint64_t count) : left_(count) {
    typename Protocol::acceptor acceptor(context_, {asio::ip::address_v4::loopback(), 0});
    std::thread connecting([&] { client_.connect(acceptor.local_endpoint()); });
    acceptor.accept(server_);
    connecting.join();
  }

  void run() {
    next();
    context_.run();
  }

private:
  void next() {
    if (left_-- == 0) return;
    server_.async_read_some(asio::buffer(to_), [this](error_code ec, std::size_t n) { done(ec, n); });
    client_.async_write_some(asio::buffer(from_), [this](error_code ec, std::size_t n) { done(ec, n); });
  }
  void done(const error_code& ec, std::size_t n) {
    if (ec) throw boost::system::system_error(ec);
    if (n != from_.size()) throw std::runtime_error("a part of it");
    if (++handlers_ % 2 == 0) next();
  }

  asio::io_context context_{1};
  typename Protocol::socket client_{context_};
  typename Protocol::socket server_{context_};
  std::array<char, 64> from_{}, to_{};
  std::uint64_t left_;
  std::uint64_t handlers_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string what = argc == 3 ? argv[1] : "";
    if (what == "tcp") {
      pairs<asio::ip::tcp>(std::stoull(argv[2])).run();
    } else if (what == "rdma") {
      pairs<asio_rdma::rc>(std::stoull(argv[2])).run();
    } else {
      std::fputs("usage: stream_cost tcp|rdma COUNT\n", stderr);
      return 2;
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
