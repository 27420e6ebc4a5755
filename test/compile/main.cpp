// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A program that uses the whole surface a little: to be compiled by several compilers and with several of Asio's
// macros, and linked with one and the same library.

#include "echo.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>

#if defined(BOOST_ASIO_HAS_CO_AWAIT)
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#endif

#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using asio_rdma::rc;
using boost::system::error_code;

namespace {

int failures = 0;

void check(bool condition, const char* what) {
  if (condition) return;
  std::cerr << "failed: " << what << '\n';
  ++failures;
}

struct pair {
  explicit pair(asio::io_context& c) : client(c), server(c) {
    rc::acceptor acceptor(c, any_port());
    client.connect(acceptor.local_endpoint());
    rc::endpoint from;
    acceptor.accept(server, from);
    check(from == client.local_endpoint(), "accept tells who it was");
  }
  rc::socket client, server;
};

void synchronous(asio::io_context& context) {
  pair p(context);
  asio::write(p.client, asio::buffer("line\n", 5));
  std::string text;
  check(asio::read_until(p.server, asio::dynamic_buffer(text), '\n') == 5, "read_until");
  p.client.set_option(rc::no_delay(true));
  rc::socket::receive_buffer_size size;
  p.client.get_option(size);
  p.server.non_blocking(true);
  error_code ec;
  char c = 0;
  p.server.read_some(asio::buffer(&c, 1), ec);
  check(ec == asio::error::would_block, "would_block");
  rc::socket::bytes_readable readable;
  p.server.io_control(readable);
  p.client.shutdown(rc::socket::shutdown_send);
  p.server.wait(rc::socket::wait_read);
  p.server.receive(asio::buffer(&c, 1), rc::socket::message_peek, ec);
  check(ec == asio::error::eof, "eof");
  check(asio_rdma::last_failure(p.client).step == asio_rdma::failure_step::none, "nothing failed");
  check(!asio_rdma::device_name(p.client).empty(), "device_name");
  rc::socket moved(context, rc::v4(), p.server.release());
  check(moved.is_open(), "release and assign");
}

void callbacks(asio::io_context& context) {
  rc::acceptor acceptor(context, any_port());
  rc::socket client(context), server(context);
  rc::endpoint from;
  const std::vector<rc::endpoint> candidates{acceptor.local_endpoint()};
  std::string sent = "callbacks", received(sent.size(), '\0');
  auto strand = asio::make_strand(context);
  int done = 0;
  acceptor.async_accept(server, from, [&](error_code ec) {
    check(!ec, "async_accept");
    asio::async_read(server, asio::buffer(received), asio::bind_executor(strand, [&](error_code e, std::size_t n) {
                       check(!e && n == sent.size(), "async_read");
                       ++done;
                     }));
  });
  asio::async_connect(client, candidates, [&](error_code ec, const rc::endpoint&) {
    check(!ec, "async_connect");
    asio::async_write(client, asio::buffer(sent), [&](error_code e, std::size_t) {
      check(!e, "async_write");
      ++done;
    });
    client.async_wait(rc::socket::wait_write, asio::detached);
  });
  context.restart();
  context.run();
  check(done == 2 && received == sent, "callbacks");

  asio::cancellation_signal signal;
  error_code result;
  acceptor.async_accept([](error_code, rc::socket) {});
  server.async_receive(asio::buffer(received),
                       asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, std::size_t) { result = ec; }));
  signal.emit(asio::cancellation_type::total);
  acceptor.cancel();
  context.restart();
  context.run();
  check(result == asio::error::operation_aborted, "cancellation");
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)
void coroutines(asio::io_context& context) {
  rc::acceptor acceptor(context, any_port());
  bool done = false;
  const auto server = [&]() -> asio::awaitable<void> {
    rc::socket s = co_await acceptor.async_accept(asio::use_awaitable);
    char data[100];
    for (;;) {
      const auto [ec, n] = co_await s.async_read_some(asio::buffer(data), asio::as_tuple(asio::use_awaitable));
      if (ec) break;
      co_await asio::async_write(s, asio::buffer(data, n), asio::use_awaitable);
    }
  };
  const auto client = [&]() -> asio::awaitable<void> {
    rc::socket s(context);
    co_await s.async_connect(acceptor.local_endpoint(), asio::use_awaitable);
    std::string sent = "coroutines", received(sent.size(), '\0');
    co_await asio::async_write(s, asio::buffer(sent), asio::use_awaitable);
    co_await asio::async_read(s, asio::buffer(received), asio::use_awaitable);
    done = sent == received;
  };
  asio::co_spawn(context, server(), asio::detached);
  asio::co_spawn(context, client(), asio::detached);
  context.restart();
  context.run();
  check(done, "coroutines");
}
#endif

}  // namespace

void messages(asio::io_context& context) {
  using asio_rdma::rc_seq_packet;
  rc_seq_packet::acceptor acceptor(context, {any_port().address(), 0});
  rc_seq_packet::socket client(context), server(context);
  client.connect(acceptor.local_endpoint());
  acceptor.accept(server);
  std::size_t received = 0;
  char data[8];
  asio::socket_base::message_flags flags = 0;
  client.async_send(asio::buffer("message", 7), 0, [](error_code, std::size_t) {});
  server.async_receive(asio::buffer(data), flags, [&](error_code ec, std::size_t n) { received = ec ? 0 : n; });
  context.restart();
  context.run();
  check(received == 7 && (flags & asio::socket_base::message_end_of_record) != 0, "message");
  server.send(asio::buffer(data, 1), 0);
  check(client.receive(asio::buffer(data), flags) == 1, "message back");
}

void datagrams(asio::io_context& context) {
  using asio_rdma::ud;
  const ud::endpoint any(any_port().address(), 0);
  ud::socket client(context, any), server(context, any);
  std::size_t received = 0;
  char data[16];
  ud::endpoint from;
  client.async_send_to(asio::buffer("datagram", 8), server.local_endpoint(), [](error_code, std::size_t) {});
  server.async_receive_from(asio::buffer(data), from, [&](error_code ec, std::size_t n) { received = ec ? 0 : n; });
  context.restart();
  context.run();
  check(received == 8 && from == client.local_endpoint(), "datagram");
  server.send_to(asio::buffer(data, 3), from);
  check(client.receive(asio::buffer(data)) == 3, "datagram back");
}

int main() {
  try {
    asio::io_context context;
    synchronous(context);
    messages(context);
    datagrams(context);
    callbacks(context);
#if defined(BOOST_ASIO_HAS_CO_AWAIT)
    coroutines(context);
    std::cout << "with coroutines, ";
#endif
    check(echo_elsewhere(context), "the other translation unit");
  } catch (const std::exception& e) {
    check(false, e.what());
  }
  if (failures == 0) std::cout << "all came back\n";
  return failures == 0 ? 0 : 1;
}
