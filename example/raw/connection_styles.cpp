// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The ways to a raw connection: by the connection manager or by an exchange over TCP, and reliable or of datagrams.
// Each of them sends one message.
//
//   connection_styles server STYLE ADDRESS PORT      ends after one message
//   connection_styles client STYLE ADDRESS PORT TEXT
//
// STYLE is rdma_cm, exchange, rdma_cm_ud or exchange_ud. It has to be the same at both ends.

#include <asio_rdma/raw_acceptor.hpp>
#include <asio_rdma/raw_connection.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
using asio_rdma::raw_connection;
using asio_rdma::work_completion;

namespace {

asio_rdma::raw_options style(const std::string& name) {
  asio_rdma::raw_options options;
  if (name == "exchange" || name == "exchange_ud") {
    options.setup = asio_rdma::raw_setup::exchange;
  } else if (name != "rdma_cm" && name != "rdma_cm_ud") {
    throw std::invalid_argument("the styles are rdma_cm, exchange, rdma_cm_ud and exchange_ud");
  }
  if (name == "rdma_cm_ud" || name == "exchange_ud") options.transport = asio_rdma::raw_transport::datagram;
  return options;
}

bool is_datagram(const asio_rdma::raw_options& options) {
  return options.transport == asio_rdma::raw_transport::datagram;
}

work_completion next(raw_connection& c) {
  work_completion done[1];
  c.wait(done);
  if (!done[0].ok()) throw boost::system::system_error(done[0].error());
  return done[0];
}

// Whoever is done last goes first: the end of the TCP connection that an exchange keeps is heard at once, before what
// is still on its way. What waits is flushed then.
void wait_for_the_end(raw_connection& c, const asio_rdma::raw_options& options, asio_rdma::registered_memory& memory) {
  if (options.setup != asio_rdma::raw_setup::exchange) return;
  const auto in = memory.slice(0, memory.size());
  c.post_receive(asio_rdma::receive_request(in));
  work_completion flushed[1];
  c.wait(flushed);
}

void serve(asio::io_context& context, const asio_rdma::raw_options& options, const asio::ip::tcp::endpoint& endpoint) {
  asio_rdma::raw_acceptor acceptor(context, endpoint, options);
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  raw_connection c(context);
  acceptor.accept_request(c);
  auto memory = c.register_memory(1024);
  const auto in = memory.slice(0, memory.size());
  c.post_receive(asio_rdma::receive_request(in));
  c.establish();
  const std::size_t header = is_datagram(options) ? work_completion::datagram_header : 0;
  const std::size_t size = next(c).bytes() - header;
  std::cout << "got '" << std::string(memory.as<char>(header), size) << "', packets of " << c.limits().mtu << " bytes"
            << std::endl;
  if (!is_datagram(options)) wait_for_the_end(c, options, memory);  // the client waits for an acknowledgement
}

void ask(asio::io_context& context, const asio_rdma::raw_options& options, const asio::ip::tcp::endpoint& server,
         const std::string& text) {
  raw_connection c(context);
  c.open(server, options);
  auto memory = c.register_memory(1024);
  c.establish();
  const auto out = memory.slice(0, text.copy(memory.as<char>(), 900));
  auto request = asio_rdma::work_request::send(out);
  if (is_datagram(options)) request.to(c.peer());
  c.post_send(request);
  next(c);  // of a datagram it says that it was sent; otherwise, that the peer's device has it
  std::cout << "sent\n";
  if (is_datagram(options)) wait_for_the_end(c, options, memory);  // nothing says that the server has it
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 4 ? argv[1] : "";
  if (!(role == "server" && argc == 5) && !(role == "client" && argc == 6)) {
    std::cerr << "usage: connection_styles server STYLE ADDRESS PORT\n"
                 "       connection_styles client STYLE ADDRESS PORT TEXT\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const asio_rdma::raw_options options = style(argv[2]);
    const asio::ip::tcp::endpoint endpoint = *asio::ip::tcp::resolver(context).resolve(argv[3], argv[4]).begin();
    if (role == "server") {
      serve(context, options, endpoint);
    } else {
      ask(context, options, endpoint, argv[5]);
    }
  } catch (const std::exception& e) {
    std::cerr << "connection_styles: " << e.what() << '\n';
    return 1;
  }
}
