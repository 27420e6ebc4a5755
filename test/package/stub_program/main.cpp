// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A program for sockets, on a system that cannot have them.

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <iostream>
#include <string>

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

bool failed = false;

void expect(const char* what, const error_code& ec, const error_code& expected) {
  const bool is_so = ec == expected;
  std::cout << (is_so ? "" : "WRONG: ") << what << ": " << ec << ", " << ec.message() << '\n';
  failed = failed || !is_so;
}

const error_code not_supported = asio::error::operation_not_supported;
const error_code closed = asio::error::bad_descriptor;

template <class Protocol>
void try_connected(asio::io_context& context) {
  const typename Protocol::endpoint peer(asio::ip::address_v4::loopback(), 7);
  typename Protocol::socket socket(context);
  error_code ec;
  socket.open(Protocol::v4(), ec);
  expect("open", ec, not_supported);
  socket.connect(peer, ec);
  expect("connect", ec, not_supported);
  socket.async_connect(peer, [](error_code e) { expect("async_connect", e, not_supported); });
  socket.set_option(asio::socket_base::keep_alive(true), ec);
  expect("set_option", ec, closed);
  socket.async_wait(asio::socket_base::wait_read, [](error_code e) { expect("async_wait", e, closed); });
  typename Protocol::acceptor acceptor(context);
  acceptor.open(Protocol::v6(), ec);
  expect("acceptor.open", ec, not_supported);
  acceptor.async_accept([](error_code e, typename Protocol::socket) { expect("async_accept", e, closed); });
  context.run();
  context.restart();
}

void try_stream(asio::io_context& context) {
  asio_rdma::rc::socket socket(context);
  std::array<char, 4> data{};
  error_code ec;
  socket.read_some(asio::buffer(data), ec);
  expect("read_some", ec, closed);
  socket.async_read_some(asio::buffer(data), [](error_code e, std::size_t) { expect("async_read_some", e, closed); });
  asio::async_write(socket, asio::buffer(data), [](error_code e, std::size_t) { expect("async_write", e, closed); });
  context.run();
  context.restart();
  try {
    asio_rdma::rc::acceptor acceptor(context, asio_rdma::rc::endpoint(asio_rdma::rc::v4(), 0));
    expect("acceptor", {}, not_supported);
  } catch (const boost::system::system_error& e) {
    expect("acceptor", e.code(), not_supported);
  }
}

void try_datagrams(asio::io_context& context) {
  asio_rdma::ud::socket socket(context);
  error_code ec;
  socket.open(asio_rdma::ud::v4(), ec);
  expect("ud: open", ec, not_supported);
  std::array<char, 4> data{};
  asio_rdma::ud::endpoint sender;
  socket.async_receive_from(asio::buffer(data), sender,
                            [](error_code e, std::size_t) { expect("async_receive_from", e, closed); });
  context.run();
  context.restart();
}

}  // namespace

int main() {
  asio::io_context context;
  try_connected<asio_rdma::rc>(context);
  try_connected<asio_rdma::rc_seq_packet>(context);
  try_stream(context);
  try_datagrams(context);
  error_code ec;
  asio_rdma::devices(ec);
  expect("devices", ec, not_supported);
  asio_rdma::set_device_policy("soft0", ec);
  expect("set_device_policy", ec, not_supported);
  std::cout << asio_rdma::snapshot();
  return failed ? 1 : 0;
}
