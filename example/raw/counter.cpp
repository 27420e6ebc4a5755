// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A counter that lies in the server's memory and that many clients count up at the same time, each by atomic additions
// of its own device's: no number is given out twice, although the server does nothing.
//
//   counter server ADDRESS PORT CLIENTS      ends when that many have come and gone
//   counter client ADDRESS PORT TIMES

#include <asio_rdma/raw_acceptor.hpp>
#include <asio_rdma/raw_connection.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using asio_rdma::raw_connection;

namespace {

void serve(asio::io_context& context, const asio::ip::tcp::endpoint& endpoint, unsigned long clients) {
  asio_rdma::raw_acceptor acceptor(context, endpoint);
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  asio_rdma::registered_memory counter;
  std::vector<raw_connection> connections;
  connections.reserve(clients);
  for (unsigned long i = 0; i < clients; ++i) {
    raw_connection& c = connections.emplace_back(context);
    acceptor.accept_request(c);
    // Memory belongs to the device, not to a connection: all clients are offered the same.
    if (!counter) {
      counter = c.register_memory(sizeof(std::uint64_t), asio_rdma::memory_access::local |
                                                             asio_rdma::memory_access::remote_read |
                                                             asio_rdma::memory_access::remote_atomic);
    }
    c.offer(counter.offer());
    c.post_receive(asio_rdma::receive_request());
    c.establish();
  }
  for (raw_connection& c : connections) {
    asio_rdma::work_completion end[1];
    c.wait(end);  // the receive comes back, with an error, when the client has left
  }
  std::cout << clients << " clients counted to " << *counter.as<std::uint64_t>() << std::endl;
}

void count(asio::io_context& context, const asio::ip::tcp::endpoint& server, unsigned long times) {
  raw_connection c(context);
  c.open(server);
  auto memory = c.register_memory(sizeof(std::uint64_t));
  c.establish();
  const asio_rdma::remote_memory counter = c.peer_memory();
  const asio_rdma::local_buffer result = memory.slice(0, sizeof(std::uint64_t));

  std::uint64_t last = 0;
  bool is_rising = true;
  for (unsigned long i = 0; i < times; ++i) {
    c.post_send(asio_rdma::work_request::fetch_and_add(result, counter, 1));
    asio_rdma::work_completion done[1];
    while (c.poll(done) == 0) std::this_thread::yield();
    if (!done[0].ok()) throw boost::system::system_error(done[0].error());
    const std::uint64_t before = *memory.as<std::uint64_t>();  // what the counter was
    is_rising = is_rising && (i == 0 || before > last);
    last = before;
  }
  if (!is_rising) throw std::runtime_error("a number came twice");
  std::cout << "counted " << times << " times\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc == 5 ? argv[1] : "";
  if (role != "server" && role != "client") {
    std::cerr << "usage: counter server ADDRESS PORT CLIENTS\n       counter client ADDRESS PORT TIMES\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const asio::ip::tcp::endpoint endpoint = *asio::ip::tcp::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "server") {
      serve(context, endpoint, std::stoul(argv[4]));
    } else {
      count(context, endpoint, std::stoul(argv[4]));
    }
  } catch (const std::exception& e) {
    std::cerr << "counter: " << e.what() << '\n';
    return 1;
  }
}
