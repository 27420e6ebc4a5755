// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Datagrams between processes.

#include "child.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/wait.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace process_test;
using asio_rdma::ud;

namespace {

const auto group = asio::ip::make_address("239.77.1.1");
constexpr int heard = 20;  // datagrams that a member waits for
constexpr std::chrono::seconds patience(60);

/// Receives a datagram; empty if none comes in time.
std::string receive(ud::socket& s, std::chrono::milliseconds time = patience) {
  s.non_blocking(true);
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    char data[100];
    error_code ec;
    const std::size_t n = s.receive(asio::buffer(data), 0, ec);
    if (!ec) return std::string(data, n);
    if (ec != asio::error::would_block) throw boost::system::system_error(ec);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {};
}

std::uint16_t port_of(const std::vector<std::string>& arguments) {
  return static_cast<std::uint16_t>(std::stoul(arguments.at(0)));
}

/// Joins, hears everything once, leaves, and hears nothing more.
const register_scenario member("member", [](const std::vector<std::string>& arguments) {
  asio::io_context context;
  ud::socket s(context, ud::v4());
  s.set_option(ud::socket::reuse_address(true));
  s.bind(ud::endpoint(ud::v4(), port_of(arguments)));
  s.set_option(asio::ip::multicast::join_group(group));
  tell_parent();
  for (int i = 0; i < heard; ++i) {
    if (receive(s) != std::to_string(i)) return 1;
  }
  s.set_option(asio::ip::multicast::leave_group(group));
  tell_parent();
  wait_for_parent();
  return receive(s, std::chrono::milliseconds(200)).empty() ? 0 : 2;
});

/// Asks the parent, and goes with its answer.
const register_scenario asker("asker", [](const std::vector<std::string>& arguments) {
  asio::io_context context;
  ud::socket s(context, ud::endpoint(ud::v4(), 0));
  const ud::endpoint parent(asio::ip::address_v4::loopback(), port_of(arguments));
  for (int i = 0; i < 50; ++i) {
    const std::string question = arguments.at(1) + "/" + std::to_string(i);
    s.send_to(asio::buffer(question), parent);
    if (receive(s) != question) return 1;
  }
  return 0;
});

/// Sends and returns from main at once.
const register_scenario hasty("hasty", [](const std::vector<std::string>& arguments) {
  asio::io_context context;
  ud::socket s(context, ud::v4());
  s.send_to(asio::buffer("farewell", 8), ud::endpoint(asio::ip::address_v4::loopback(), port_of(arguments)));
  return 0;
});

/// Is found, and killed.
const register_scenario listener("listener", [](const std::vector<std::string>& arguments) {
  asio::io_context context;
  ud::socket s(context, ud::endpoint(ud::v4(), port_of(arguments)));
  tell_parent();
  s.send_to(asio::buffer(receive(s)), ud::endpoint(asio::ip::address_v4::loopback(), port_of({arguments.at(1)})));
  wait_for_parent();
  return 0;
});

/// Speaks to itself by a group, in less time than a process that was called may take to answer (5 s on soft0).
const register_scenario hears_itself("hears_itself", [](const std::vector<std::string>&) {
  asio::io_context context;
  ud::socket s(context, ud::endpoint(ud::v4(), 0));
  s.set_option(asio::ip::multicast::join_group(group));
  s.send_to(asio::buffer("anybody?", 8), ud::endpoint(group, s.local_endpoint().port()));
  return receive(s, std::chrono::seconds(4)) == "anybody?" ? 0 : 1;
});

}  // namespace

BOOST_AUTO_TEST_SUITE(process_datagrams, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(ten_members_in_ten_processes_hear_a_sender_until_they_leave) {
  asio::io_context context;
  ud::socket sender(context, ud::endpoint(ud::v4(), 0));
  std::uint16_t port = 0;
  {
    ud::socket free_one(context, ud::endpoint(ud::v4(), 0));
    port = free_one.local_endpoint().port();
  }
  std::vector<std::unique_ptr<child>> members;
  for (int i = 0; i < 10; ++i) {
    members.push_back(std::make_unique<child>("member", std::vector<std::string>{std::to_string(port)}));
  }
  for (const auto& m : members) m->wait_until_ready();
  for (int i = 0; i < heard; ++i) sender.send_to(asio::buffer(std::to_string(i)), ud::endpoint(group, port));
  for (const auto& m : members) m->wait_until_ready();
  sender.send_to(asio::buffer("to nobody", 9), ud::endpoint(group, port));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (const auto& m : members) m->go_on();
  for (const auto& m : members) BOOST_TEST(m->wait() == 0);
  BOOST_TEST(asio_rdma::statistics(sender).counters.messages_sent == static_cast<unsigned>(heard + 1));
}

BOOST_AUTO_TEST_CASE(ten_processes_ask_one) {
  asio::io_context context;
  ud::socket server(context, ud::endpoint(ud::v4(), 0));
  std::vector<std::unique_ptr<child>> askers;
  for (int i = 0; i < 10; ++i) {
    const std::vector<std::string> arguments{std::to_string(server.local_endpoint().port()), std::to_string(i)};
    askers.push_back(std::make_unique<child>("asker", arguments));
  }
  char data[100];
  ud::endpoint from;
  for (int i = 0; i < 500; ++i) server.send_to(asio::buffer(data, server.receive_from(asio::buffer(data), from)), from);
  for (const auto& a : askers) BOOST_TEST(a->wait() == 0);
  BOOST_TEST(asio_rdma::statistics(server).datagrams.lookups == 0u);
}

BOOST_AUTO_TEST_CASE(a_process_that_sends_and_ends_has_sent) {
  asio::io_context context;
  ud::socket server(context, ud::endpoint(ud::v4(), 0));
  for (int i = 0; i < 5; ++i) {
    child c("hasty", {std::to_string(server.local_endpoint().port())});
    BOOST_TEST(c.wait() == 0);
    BOOST_TEST(receive(server) == "farewell");
  }
}

BOOST_AUTO_TEST_CASE(a_peer_that_does_not_answer_holds_up_nobody_else) {
  asio::io_context context;
  ud::socket s(context, ud::endpoint(ud::v4(), 0)), other(context, ud::endpoint(ud::v4(), 0));
  std::uint16_t port = 0;
  {
    ud::socket free_one(context, ud::endpoint(ud::v4(), 0));
    port = free_one.local_endpoint().port();
  }
  child c("listener", {std::to_string(port), std::to_string(s.local_endpoint().port())});
  c.wait_until_ready();
  c.kill(SIGSTOP);
  BOOST_REQUIRE(::waitpid(c.id(), nullptr, WUNTRACED) == c.id());
  const auto loopback = asio::ip::address_v4::loopback();
  s.send_to(asio::buffer("are you there?", 14), ud::endpoint(loopback, port));
  for (int i = 0; i < 20; ++i) {
    s.send_to(asio::buffer("meanwhile", 9), ud::endpoint(loopback, other.local_endpoint().port()));
    BOOST_TEST(receive(other) == "meanwhile");
  }
  BOOST_TEST(asio_rdma::statistics(s).datagrams.waiting == 1u);
  c.kill(SIGCONT);
  BOOST_TEST(receive(s) == "are you there?");
  BOOST_TEST(asio_rdma::statistics(s).datagrams.waiting == 0u);
  c.go_on();
  BOOST_TEST(c.wait() == 0);
}

BOOST_AUTO_TEST_CASE(a_stranger_that_is_stopped_holds_up_no_group) {
  asio::io_context context;
  ud::socket s(context, ud::endpoint(ud::v4(), 0));
  child stranger("listener", {"0", std::to_string(s.local_endpoint().port())});
  stranger.wait_until_ready();
  stranger.kill(SIGSTOP);
  BOOST_REQUIRE(::waitpid(stranger.id(), nullptr, WUNTRACED) == stranger.id());
  child c("hears_itself", {});
  BOOST_TEST(c.wait() == 0);
  stranger.kill(SIGKILL);
  stranger.wait();
}

BOOST_AUTO_TEST_CASE(a_peer_that_was_killed_harms_nobody_and_its_successor_is_found) {
  asio::io_context context;
  ud::socket s(context, ud::endpoint(ud::v4(), 0));
  std::uint16_t port = 0;
  {
    ud::socket free_one(context, ud::endpoint(ud::v4(), 0));
    port = free_one.local_endpoint().port();
  }
  s.set_option(asio_rdma::peer_lifetime(1));
  const std::vector<std::string> arguments{std::to_string(port), std::to_string(s.local_endpoint().port())};
  const ud::endpoint to(asio::ip::address_v4::loopback(), port);
  for (int i = 0; i < 2; ++i) {
    child c("listener", arguments);
    c.wait_until_ready();
    std::string answer;
    for (int tries = 0; tries < 100 && answer.empty(); ++tries) {
      s.send_to(asio::buffer("are you there?", 14), to);
      answer = receive(s, std::chrono::milliseconds(200));
    }
    BOOST_TEST(answer == "are you there?");
    c.kill(SIGKILL);
    c.wait();
    for (int n = 0; n < 10; ++n) s.send_to(asio::buffer("gone", 4), to);
  }
}

BOOST_AUTO_TEST_SUITE_END()
