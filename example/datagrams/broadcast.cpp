// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A message to all who want it: subscribers enter their endpoints into the name service (name_server), under one name;
// a publisher looks the name up and sends to each of them. No multicast is needed, and the subscribers may be behind
// routers.
//
//   broadcast subscribe NAMES_ADDRESS NAMES_PORT NAME ADDRESS COUNT     ends after COUNT messages
//   broadcast publish NAMES_ADDRESS NAMES_PORT NAME TEXT

#include <asio_rdma/name_registry.hpp>
#include <asio_rdma/ud.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <string>

namespace asio = boost::asio;
using asio_rdma::ud;

namespace {

void subscribe(asio::io_context& context, asio_rdma::name_client& names, const std::string& name,
               const std::string& address, unsigned long count) {
  ud::socket socket(context, ud::endpoint(asio::ip::make_address(address), 0));
  // A program that runs longer than the lease renews it by entering itself again.
  names.enter(name, socket.local_endpoint(), std::chrono::minutes(5));
  std::cout << "listening on " << socket.local_endpoint() << std::endl;
  std::string text(asio_rdma::maximum_payload(socket), '\0');
  for (; count > 0; --count) {
    ud::endpoint sender;
    const std::size_t size = socket.receive_from(asio::buffer(text), sender);
    std::cout << name << ": " << text.substr(0, size) << std::endl;
  }
  names.remove(name, socket.local_endpoint());
}

void publish(asio::io_context& context, asio_rdma::name_client& names, const std::string& name,
             const std::string& text) {
  const auto subscribers = names.look_up(name);
  ud::socket socket(context);
  for (const auto& s : subscribers) {
    if (!socket.is_open()) socket.open(s.endpoint.protocol());
    socket.send_to(asio::buffer(text), s.endpoint);
  }
  std::cout << "sent to " << subscribers.size() << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  if (!(role == "subscribe" && argc == 7) && !(role == "publish" && argc == 6)) {
    std::cerr << "usage: broadcast subscribe NAMES_ADDRESS NAMES_PORT NAME ADDRESS COUNT\n"
                 "       broadcast publish NAMES_ADDRESS NAMES_PORT NAME TEXT\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const auto server = asio::ip::tcp::resolver(context).resolve(argv[2], argv[3]).begin()->endpoint();
    asio_rdma::name_client names(context.get_executor(), server);
    if (role == "subscribe") {
      subscribe(context, names, argv[4], argv[5], std::stoul(argv[6]));
    } else {
      publish(context, names, argv[4], argv[5]);
    }
  } catch (const std::exception& e) {
    std::cerr << "broadcast: " << e.what() << '\n';
    return 1;
  }
}
