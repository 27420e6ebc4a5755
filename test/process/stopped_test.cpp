// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A process that is stopped (SIGSTOP, a debugger, a frozen container) is not dead: what it has stays, and who wants
// something of it waits, as long as he likes.

#include "child.hpp"

#include <boost/test/unit_test.hpp>

#include <signal.h>

#include <chrono>
#include <thread>

using namespace process_test;

namespace {

/// Longer than timers of connecting, retries and goodbyes are by default.
constexpr std::chrono::seconds a_long_time{7};

/// Echoes what comes on the connection to its parent, and on one to its own listener.
const register_scenario two_echoes("two_echoes", [](const std::vector<std::string>& a) {
  asio::io_context context;
  rc::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  rc::socket first(context);
  connect_to_parent(first, a[0]);
  const unsigned short port = acceptor.local_endpoint().port();
  asio::write(first, asio::buffer(&port, sizeof port));
  const auto echo = [](rc::socket& s) {
    for (;;) {
      char data[64];
      error_code ec;
      const std::size_t n = s.read_some(asio::buffer(data), ec);
      if (ec) return ec == asio::error::eof ? 0 : 1;
      asio::write(s, asio::buffer(data, n));
    }
  };
  int result = 0;
  std::thread beside([&] { result = echo(first); });
  rc::socket second = acceptor.accept();
  const int other = echo(second);
  beside.join();
  return result + other;
});

bool answers(rc::socket& s) {
  std::string text = "still there", back(text.size(), ' ');
  asio::write(s, asio::buffer(text));
  asio::read(s, asio::buffer(back));
  return back == text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_stopped, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(connections_wait_and_so_does_connecting) {
  parent p("two_echoes");
  unsigned short port = 0;
  asio::read(p.socket, asio::buffer(&port, sizeof port));
  BOOST_TEST(answers(p.socket));
  p.other.kill(SIGSTOP);
  asio::write(p.socket, asio::buffer("in the meantime", 15));  // its device takes it

  rc::socket second(p.context, rc::v4());
  second.set_option(asio_rdma::connect_timeout(60'000));
  error_code result = asio::error::would_block;
  second.async_connect({asio::ip::address_v4::loopback(), port}, [&](error_code ec) { result = ec; });
  p.context.restart();
  p.context.run_for(a_long_time);
  BOOST_TEST(result == asio::error::would_block);
  p.other.kill(SIGCONT);
  p.context.restart();
  p.context.run_for(std::chrono::seconds(30));
  BOOST_TEST_REQUIRE(!result, result.message());

  BOOST_TEST(answers(second));
  std::string text(15, ' ');
  asio::read(p.socket, asio::buffer(text));
  BOOST_TEST(text == "in the meantime");
  BOOST_TEST(answers(p.socket));
  second.close();
  p.socket.close();
  BOOST_TEST(p.other.wait() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
