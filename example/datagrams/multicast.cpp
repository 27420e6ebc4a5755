// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Multicast: what is sent once to a group's address, all who have joined the group get.
//
//   multicast receive GROUP ADDRESS PORT COUNT       ADDRESS: of the interface to join on; ends after COUNT datagrams
//   multicast send GROUP ADDRESS PORT TEXT           ADDRESS: of the interface to send from

#include <asio_rdma/ud.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/multicast.hpp>

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

namespace asio = boost::asio;
namespace multicast = asio::ip::multicast;
using asio_rdma::ud;

namespace {

void receive(asio::io_context& context, const asio::ip::address& group, const ud::endpoint& local,
             unsigned long count) {
  ud::socket socket(context, local);
  socket.set_option(multicast::join_group(group));  // returns when the device has joined
  std::cout << "listening on " << socket.local_endpoint() << std::endl;
  std::string text(asio_rdma::maximum_payload(socket), '\0');
  for (; count > 0; --count) {
    const std::size_t size = socket.receive(asio::buffer(text));
    std::cout << text.substr(0, size) << std::endl;
  }
}

void send(asio::io_context& context, const ud::endpoint& group, const asio::ip::address& from,
          const std::string& text) {
  ud::socket socket(context, ud::endpoint(from, 0));
  socket.set_option(multicast::enable_loopback(true));  // for receivers on this host, as by default
  socket.send_to(asio::buffer(text), group);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc == 6 ? argv[1] : "";
  if (role != "receive" && role != "send") {
    std::cerr << "usage: multicast receive GROUP ADDRESS PORT COUNT\n       multicast send GROUP ADDRESS PORT TEXT\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const auto group = asio::ip::make_address(argv[2]);
    const auto address = asio::ip::make_address(argv[3]);
    const auto port = static_cast<std::uint16_t>(std::stoul(argv[4]));
    if (role == "receive") {
      receive(context, group, ud::endpoint(address, port), std::stoul(argv[5]));
    } else {
      send(context, ud::endpoint(group, port), address, argv[5]);
    }
  } catch (const std::exception& e) {
    std::cerr << "multicast: " << e.what() << '\n';
    return 1;
  }
}
