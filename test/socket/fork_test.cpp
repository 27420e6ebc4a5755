// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <asio_rdma/registered_buffer.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <memory>

BOOST_AUTO_TEST_SUITE(forking)

/// Forks; the child ends with what the function returns, or by itself. The child's exit status; 255 for a signal.
int status_of_child(const std::function<int()>& in_child) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // rather than hang
    ::_exit(in_child());
  }
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/// Both directions still work, and what waited before is done.
void check_parent(connected_pair& p, bool& read, char& c) {
  write_string(p.client, "x");
  run(p.context);
  BOOST_TEST(read);
  BOOST_TEST(c == 'x');
  const auto sent = pattern(300000);
  std::vector<unsigned char> received(sent.size());
  int done = 0;
  const auto handler = [&](error_code ec, std::size_t n) { done += !ec && n == sent.size(); };
  asio::async_write(p.server, asio::buffer(sent), handler);
  asio::async_read(p.client, asio::buffer(received), handler);
  run(p.context);
  BOOST_TEST(done == 2);
  BOOST_TEST((received == sent));
}

BOOST_AUTO_TEST_CASE(in_a_child_that_was_told_sockets_are_closed_and_the_parents_go_on) {
  auto p = std::make_unique<connected_pair>();
  auto acceptor = std::make_unique<rc::acceptor>(p->context, any_port());
  char c = 0;
  bool read = false, is_child = false;
  int aborted = 0;
  p->server.async_read_some(asio::buffer(&c, 1), [&](error_code ec, std::size_t) {
    aborted += ec == asio::error::operation_aborted;
    if (!is_child) read = !ec;
  });
  acceptor->async_accept([&](error_code ec, rc::socket) { aborted += ec == asio::error::operation_aborted; });
  p->context.poll();

  p->context.notify_fork(asio::io_context::fork_prepare);
  const int status = status_of_child([&] {
    is_child = true;
    p->context.notify_fork(asio::io_context::fork_child);
    int step = 1;
    if (p->server.is_open() || p->client.is_open() || acceptor->is_open()) return step;
    ++step;
    p->context.restart();
    p->context.run();
    if (aborted != 2) return step;
    ++step;
    error_code ec;
    char d = 'd';
    p->client.write_some(asio::buffer(&d, 1), ec);
    if (ec != asio::error::bad_descriptor) return step;
    ++step;
    p->client.close(ec);
    if (ec) return step;
    ++step;
    p->server.open(rc::v4(), ec);
    if (ec != asio_rdma::errc::forked || ec.message().empty()) return step;
    ++step;
    // Asio's own sockets work on, on the same context.
    asio::ip::tcp::acceptor other(p->context, asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    asio::ip::tcp::socket near(p->context), far(p->context);
    near.connect(other.local_endpoint());
    other.accept(far);
    bool received = false;
    far.async_read_some(asio::buffer(&d, 1), [&](error_code e, std::size_t) { received = !e; });
    near.write_some(asio::buffer("x", 1));
    p->context.restart();
    p->context.run();
    if (!received) return step;
    acceptor.reset();
    return 0;
  });
  p->context.notify_fork(asio::io_context::fork_parent);
  BOOST_TEST(status == 0);

  rc::socket late(p->context);  // for the accept that waits
  late.connect(acceptor->local_endpoint());
  check_parent(*p, read, c);
  BOOST_TEST(aborted == 0);
}

BOOST_AUTO_TEST_CASE(a_child_that_destroys_everything_harms_nobody) {
  auto p = std::make_unique<connected_pair>();
  auto acceptor = std::make_unique<rc::acceptor>(p->context, any_port());
  char c = 0;
  bool read = false;
  p->server.async_read_some(asio::buffer(&c, 1), [&](error_code ec, std::size_t) { read = !ec; });
  p->context.poll();
  p->context.notify_fork(asio::io_context::fork_prepare);
  const int status = status_of_child([&] {
    p->context.notify_fork(asio::io_context::fork_child);
    acceptor.reset();
    p.reset();
    return 0;
  });
  p->context.notify_fork(asio::io_context::fork_parent);
  BOOST_TEST(status == 0);
  check_parent(*p, read, c);
}

BOOST_AUTO_TEST_CASE(memory_that_a_read_has_offered_stays_the_parents) {
  auto p = std::make_unique<connected_pair>();
  asio_rdma::registered_buffer to(64 << 10);
  const auto sent = pattern(to.size());
  std::size_t count = 0;
  p->server.async_read_some(to.buffer(), [&](error_code ec, std::size_t n) {
    BOOST_TEST(!ec);
    count = n;
  });
  p->context.poll();
  p->context.notify_fork(asio::io_context::fork_prepare);
  const int status = status_of_child([&] {
    p->context.notify_fork(asio::io_context::fork_child);
    p.reset();
    return 0;
  });
  p->context.notify_fork(asio::io_context::fork_parent);
  BOOST_TEST(status == 0);
  asio::async_write(p->client, asio::buffer(sent), asio::detached);
  while (count == 0) run(p->context);
  BOOST_TEST(std::memcmp(to.data(), sent.data(), count) == 0);
}

BOOST_AUTO_TEST_CASE(in_a_child_that_was_not_told_operations_say_why_they_fail) {
  connected_pair p;
  const int status = status_of_child([&] {
    error_code ec;
    char c = 'c';
    int step = 1;
    p.client.write_some(asio::buffer(&c, 1), ec);
    if (ec != asio_rdma::errc::forked) return step;
    ++step;
    p.client.read_some(asio::buffer(&c, 1), ec);
    if (ec != asio_rdma::errc::forked) return step;
    ++step;
    p.client.shutdown(rc::socket::shutdown_both, ec);
    if (ec != asio_rdma::errc::forked) return step;
    ++step;
    p.client.wait(rc::socket::wait_read, ec);
    if (ec) return step;
    ++step;
    rc::acceptor acceptor(p.context);
    acceptor.open(rc::v4(), ec);
    if (ec != asio_rdma::errc::forked) return step;
    ++step;
    p.client.set_option(asio_rdma::device("soft0"), ec);
    if (ec != asio_rdma::errc::forked) return step;
    ++step;
    if (asio_rdma::statistics(p.client).state != asio_rdma::connection_state::closed) return step;
    ++step;
    if (!asio_rdma::snapshot().sockets.empty()) return step;
    p.client.close();
    return 0;
  });
  BOOST_TEST(status == 0);
  write_string(p.client, "still there");
  BOOST_TEST(read_string(p.server, 11) == "still there");
}

BOOST_AUTO_TEST_SUITE_END()
