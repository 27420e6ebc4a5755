// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What arrives of what was written when the writer's process ends, in order or not.

#include "child.hpp"

#include <boost/test/unit_test.hpp>

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

using namespace process_test;

namespace {

/// Fits into what one side takes over while the other reads nothing: a ring and a staging buffer of 128 KiB each. More
/// than the ring holds, so that the rest is still here when the write completes.
constexpr std::size_t more_than_a_ring = 200 * 1024;

const register_scenario write_close_return("write_close_return", [](const std::vector<std::string>& a) {
  asio::io_context context;
  rc::socket s(context);
  connect_to_parent(s, a[0]);
  asio::write(s, asio::buffer(bytes(more_than_a_ring)));
  s.close();
  tell_parent();
  return 0;
});

const register_scenario write_and_exit("write_and_exit", [](const std::vector<std::string>& a) -> int {
  static asio::io_context context;
  static rc::socket s(context);
  connect_to_parent(s, a[0]);
  asio::write(s, asio::buffer(bytes(more_than_a_ring)));
  tell_parent();
  ::exit(7);
});

const register_scenario exit_at_once("exit_at_once", [](const std::vector<std::string>& a) {
  asio_rdma::set_exit_linger(0);
  asio::io_context context;
  rc::socket s(context);
  connect_to_parent(s, a[0]);
  asio::write(s, asio::buffer(bytes(more_than_a_ring)));
  tell_parent();
  return 0;
});

const register_scenario acknowledged_then_killed("acknowledged_then_killed", [](const std::vector<std::string>& a) {
  asio::io_context context;
  rc::socket s(context);
  connect_to_parent(s, a[0]);
  s.set_option(asio_rdma::acknowledged_writes(true));
  asio::write(s, asio::buffer(bytes(300 * 1024)));
  tell_parent();
  ::pause();
  return 0;
});

const register_scenario write_until_killed("write_until_killed", [](const std::vector<std::string>& a) {
  asio::io_context context;
  rc::socket s(context);
  connect_to_parent(s, a[0]);
  const auto data = bytes(64 * 1024 * 1024);
  asio::write(s, asio::buffer(data));
  ::pause();
  return 0;
});

const register_scenario write_then_idle("write_then_idle", [](const std::vector<std::string>& a) {
  asio::io_context context;
  rc::socket s(context);
  connect_to_parent(s, a[0]);
  const auto data = bytes(more_than_a_ring);
  error_code result = asio::error::fault;
  asio::async_write(s, asio::buffer(data), [&](error_code ec, std::size_t) { result = ec; });
  context.run();  // returns: nothing is outstanding, though most of it has not been sent
  if (result) return 1;
  tell_parent();
  wait_for_parent();
  return 0;
});

}  // namespace

BOOST_AUTO_TEST_SUITE(process_exit, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(data_survives_write_close_and_return_from_main) {
  parent p("write_close_return");
  p.other.wait_until_ready();  // now the child exits, and waits for us to read
  error_code ec;
  BOOST_TEST(p.read_all(ec) == more_than_a_ring);
  BOOST_TEST(ec == asio::error::eof);
  BOOST_TEST(p.other.wait() == 0);
}

BOOST_AUTO_TEST_CASE(data_survives_an_exit_with_the_socket_open) {
  parent p("write_and_exit");
  p.other.wait_until_ready();
  error_code ec;
  BOOST_TEST(p.read_all(ec) == more_than_a_ring);
  BOOST_TEST(ec == asio::error::eof);
  BOOST_TEST(p.other.wait() == 7);
}

BOOST_AUTO_TEST_CASE(an_exit_without_linger_delivers_a_prefix) {
  parent p("exit_at_once");
  p.other.wait_until_ready();
  BOOST_TEST(p.other.wait() == 0);  // though we have read nothing
  error_code ec;
  const std::size_t n = p.read_all(ec);
  BOOST_TEST(n < more_than_a_ring);
  BOOST_TEST(ec == asio::error::connection_reset);
}

BOOST_AUTO_TEST_CASE(an_exit_whose_peer_reads_nothing_is_bounded) {
  parent p("write_close_return");
  p.other.wait_until_ready();
  BOOST_TEST(p.other.wait() == 0);  // within two seconds; a child that never ends is the test's time-out
  error_code ec;
  const std::size_t n = p.read_all(ec);
  BOOST_TEST(n < more_than_a_ring);
  BOOST_TEST(ec == asio::error::connection_reset);
}

BOOST_AUTO_TEST_CASE(acknowledged_writes_survive_a_kill) {
  parent p("acknowledged_then_killed");
  std::vector<unsigned char> data(300 * 1024);
  // A ring cannot hold it all: read what the child's write waits for, then leave the rest unread until it is dead.
  asio::read(p.socket, asio::buffer(data.data(), 200 * 1024));
  p.other.wait_until_ready();
  p.other.kill(SIGKILL);
  BOOST_TEST(p.other.wait() == 128 + SIGKILL);
  asio::read(p.socket, asio::buffer(data.data() + 200 * 1024, 100 * 1024));
  BOOST_TEST((data == bytes(data.size())));
  error_code ec;
  char c = 0;
  p.socket.read_some(asio::buffer(&c, 1), ec);
  BOOST_TEST(ec == asio::error::connection_reset);
}

BOOST_AUTO_TEST_CASE(a_kill_delivers_an_exact_prefix_and_then_a_reset) {
  parent p("write_until_killed");
  std::vector<unsigned char> first(1024 * 1024);
  asio::read(p.socket, asio::buffer(first));
  BOOST_TEST((first == bytes(first.size())));
  p.other.kill(SIGKILL);
  BOOST_TEST(p.other.wait() == 128 + SIGKILL);
  error_code ec;
  std::vector<unsigned char> rest(64 * 1024 * 1024);
  const std::size_t n = asio::read(p.socket, asio::buffer(rest), ec);
  BOOST_TEST(ec == asio::error::connection_reset);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += rest[i] == byte_at(first.size() + i) ? 0 : 1;
  BOOST_TEST(wrong == 0u);
}

BOOST_AUTO_TEST_CASE(a_completed_write_arrives_though_the_writer_does_nothing_more) {
  parent p("write_then_idle");
  p.other.wait_until_ready();
  std::vector<unsigned char> data(more_than_a_ring);
  asio::read(p.socket, asio::buffer(data));
  BOOST_TEST((data == bytes(data.size())));
  p.other.go_on();
  BOOST_TEST(p.other.wait() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
