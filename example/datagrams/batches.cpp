// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Batches: many datagrams are handed over, or taken, by one call, and by one doorbell of the device. The sender sends
// numbers, and waits for a word after each batch, so that none is lost for want of room; the receiver says how many it
// has and how many calls that took.
//
//   batches receive ADDRESS PORT BATCHES
//   batches send ADDRESS PORT BATCHES

#include <asio_rdma/batch.hpp>
#include <asio_rdma/ud.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>

#include <array>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace asio = boost::asio;
using asio_rdma::ud;

namespace {

constexpr std::size_t batch_size = 32;  // no more than queue_depth

void receive(asio::io_context& context, const ud::endpoint& local, unsigned long batches) {
  ud::socket socket(context, local);
  std::cout << "listening on " << socket.local_endpoint() << std::endl;
  std::array<std::uint64_t, batch_size> numbers{};
  std::vector<asio_rdma::incoming_datagram<asio::mutable_buffer>> batch;
  for (auto& n : numbers) batch.push_back({asio::buffer(&n, sizeof n), {}, 0});

  std::uint64_t sum = 0;
  std::size_t count = 0, calls = 0;
  while (count < batches * batch_size) {
    const std::size_t got = asio_rdma::receive_batch(socket, batch);
    ++calls;
    for (std::size_t i = 0; i < got; ++i) {
      sum += numbers[i];
      if (++count % batch_size == 0) socket.send_to(asio::buffer("go on", 5), batch[i].from);
    }
  }
  std::cout << count << " datagrams, sum " << sum << (calls < count ? ", in fewer calls" : "") << std::endl;
}

void send(asio::io_context& context, const ud::endpoint& receiver, unsigned long batches) {
  ud::socket socket(context, receiver.protocol());
  socket.connect(receiver);
  std::array<std::uint64_t, batch_size> numbers{};
  std::vector<asio_rdma::outgoing_datagram<asio::const_buffer>> batch;
  for (const auto& n : numbers) batch.push_back({asio::buffer(&n, sizeof n), {}});

  std::uint64_t next = 1;
  for (unsigned long b = 0; b < batches; ++b) {
    for (auto& n : numbers) n = next++;
    asio_rdma::send_batch(socket, batch);
    char word[8];
    socket.receive(asio::buffer(word));
  }
  std::cout << batches << " batches sent\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc == 5 ? argv[1] : "";
  if (role != "receive" && role != "send") {
    std::cerr << "usage: batches receive|send ADDRESS PORT BATCHES\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const ud::endpoint endpoint = *ud::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "receive") {
      receive(context, endpoint, std::stoul(argv[4]));
    } else {
      send(context, endpoint, std::stoul(argv[4]));
    }
  } catch (const std::exception& e) {
    std::cerr << "batches: " << e.what() << '\n';
    return 1;
  }
}
