// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A server for many clients on several threads: each connection has a strand, so that its handlers never run at the
// same time, while different connections use all threads. The client makes many connections at once; each adds up
// numbers on the server.
//
//   many_clients server ADDRESS PORT CLIENTS     ends after that many
//   many_clients client ADDRESS PORT CLIENTS

#include <asio_rdma/rc.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using asio_rdma::rc;
using boost::system::error_code;

namespace {

constexpr std::uint64_t rounds = 20;

// Sums that all sessions together have answered.
std::atomic<std::uint64_t> answered{0};

// A client of the server: answers each number with the sum of all so far.
class session : public std::enable_shared_from_this<session> {
public:
  explicit session(rc::socket socket) : socket_(std::move(socket)) {}
  void read() {
    asio::async_read(socket_, asio::buffer(&number_, sizeof number_),
                     [self = shared_from_this()](error_code ec, std::size_t) {
                       if (!ec) self->answer();
                     });
  }

private:
  void answer() {
    sum_ += number_;
    ++answered;
    asio::async_write(socket_, asio::buffer(&sum_, sizeof sum_),
                      [self = shared_from_this()](error_code ec, std::size_t) {
                        if (!ec) self->read();
                      });
  }

  rc::socket socket_;
  std::uint64_t number_ = 0;
  std::uint64_t sum_ = 0;
};

void accept(rc::acceptor& acceptor, asio::io_context& context, unsigned long left) {
  if (left == 0) return;
  // The socket's executor is the strand: handlers of its operations run on it by themselves.
  acceptor.async_accept(asio::make_strand(context),
                        [&acceptor, &context, left](error_code ec, rc::socket socket) {
                          if (ec) throw boost::system::system_error(ec, "accept");
                          std::make_shared<session>(std::move(socket))->read();
                          accept(acceptor, context, left - 1);
                        });
}

void serve(const rc::endpoint& endpoint, unsigned long clients) {
  asio::io_context context;
  rc::acceptor acceptor(context, endpoint);
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  accept(acceptor, context, clients);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([&context] { context.run(); });
  context.run();
  for (std::thread& t : threads) t.join();
  std::cout << clients << " clients, " << answered << " answers" << std::endl;
}

class client {
public:
  client(asio::io_context& context, const rc::endpoint& server, unsigned long& good) : socket_(context), good_(good) {
    socket_.async_connect(server, [this](error_code ec) { next(ec); });
  }

private:
  void next(error_code ec) {
    if (ec) throw boost::system::system_error(ec, "client");
    if (++number_ > rounds) {
      if (sum_ == rounds * (rounds + 1) / 2) ++good_;
      return socket_.close();
    }
    asio::async_write(socket_, asio::buffer(&number_, sizeof number_), [this](error_code e, std::size_t) {
      if (e) throw boost::system::system_error(e, "client");
      asio::async_read(socket_, asio::buffer(&sum_, sizeof sum_), [this](error_code r, std::size_t) { next(r); });
    });
  }

  rc::socket socket_;
  unsigned long& good_;
  std::uint64_t number_ = 0;
  std::uint64_t sum_ = 0;
};

bool ask(const rc::endpoint& server, unsigned long count) {
  asio::io_context context(1);
  unsigned long good = 0;
  std::vector<std::unique_ptr<client>> clients;
  for (unsigned long i = 0; i < count; ++i) clients.push_back(std::make_unique<client>(context, server, good));
  context.run();
  std::cout << good << " of " << count << " clients got the right sum\n";
  return good == count;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc == 5 ? argv[1] : "";
  if (role != "server" && role != "client") {
    std::cerr << "usage: many_clients server|client ADDRESS PORT CLIENTS\n";
    return 2;
  }
  try {
    asio::io_context context;
    const rc::endpoint endpoint = *rc::resolver(context).resolve(argv[2], argv[3]).begin();
    const unsigned long clients = std::stoul(argv[4]);
    if (role == "server") {
      serve(endpoint, clients);
    } else if (!ask(endpoint, clients)) {
      return 1;
    }
  } catch (const std::exception& e) {
    std::cerr << "many_clients: " << e.what() << '\n';
    return 1;
  }
}
