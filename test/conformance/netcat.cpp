// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// netcat HOST PORT: sends standard input to a server, half-closes, and prints everything that the server sends. For
// servers that no client among the examples speaks to.

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>

#include <exception>
#include <iostream>
#include <iterator>
#include <string>

int main(int argc, char** argv) try {
  using tcp = asio_rdma::rc;
  if (argc != 3) throw std::invalid_argument("usage: netcat HOST PORT");
  boost::asio::io_context context;
  tcp::socket socket(context);
  boost::asio::connect(socket, tcp::resolver(context).resolve(argv[1], argv[2]));
  const std::string request(std::istreambuf_iterator<char>(std::cin), {});
  boost::asio::write(socket, boost::asio::buffer(request));
  socket.shutdown(tcp::socket::shutdown_send);
  for (char data[65536];;) {
    boost::system::error_code e;
    const std::size_t size = socket.read_some(boost::asio::buffer(data), e);
    if (e == boost::asio::error::eof) return 0;
    if (e) throw boost::system::system_error(e);
    std::cout.write(data, static_cast<std::streamsize>(size));
  }
} catch (const std::exception& e) {
  std::cerr << e.what() << "\n";
  return 1;
}
