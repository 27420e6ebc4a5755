// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Very many connections to a process: all come about though all are asked for at once, and idle they cost little.
// ASIO_RDMA_TEST_CONNECTIONS says how many (300), ASIO_RDMA_TEST_CLIENTS in how many processes their other ends are
// (1), since a process may have only so many descriptors; their figures show with --log_level=message.

#include "child.hpp"

#include <boost/test/unit_test.hpp>

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

using namespace process_test;

namespace {

using clock_type = std::chrono::steady_clock;

std::size_t wanted(const char* variable, std::size_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoul(text, nullptr, 10) : otherwise;
}

void raise_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

struct usage {
  static usage of(pid_t process) {
    const std::string folder = "/proc/" + std::to_string(process);
    usage result;
    result.descriptors =
        static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder + "/fd"), {}));
    std::ifstream statm(folder + "/statm");
    std::size_t size = 0;
    statm >> size >> result.resident;
    result.resident *= static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return result;
  }
  std::size_t descriptors = 0;
  std::size_t resident = 0;  // bytes
};

/// A socket that sends back what it gets, and sleeps otherwise.
struct echo {
  explicit echo(asio::io_context& context) : socket(context) {}
  void read() {
    socket.async_read_some(asio::buffer(data), [this](error_code ec, std::size_t n) {
      if (ec) return;
      asio::write(socket, asio::buffer(data.data(), n));
      read();
    });
  }
  rc::socket socket;
  std::array<char, 64> data{};
};

/// A listener's backlog, and the kernel's, are not larger.
constexpr std::size_t most_at_once = 1000;

const register_scenario many("many", [](const std::vector<std::string>& a) {
  raise_descriptor_limit();
  const std::size_t count = std::stoul(a[1]), at_once = std::stoul(a[2]);
  asio::io_context context;
  std::deque<echo> all;
  connect_to_parent(all.emplace_back(context).socket, a[0]);
  all.front().read();
  tell_parent();
  std::thread busy([&] { context.run(); });
  wait_for_parent();

  const rc::endpoint server = all.front().socket.remote_endpoint();
  asio::io_context others;
  std::size_t connected = 1, failed = 0;
  const auto connect = [&] {
    echo& e = all.emplace_back(others);
    e.socket.async_connect(server, [&](error_code ec) {
      if (ec && ++failed == 1) {
        std::fprintf(stderr, "connection %zu: %s\n", connected, asio_rdma::last_failure(e.socket).text.c_str());
      }
      if (ec) return;
      // Until it has been accepted it takes a place in the listener's backlog.
      asio::async_read(e.socket, asio::buffer(e.data, 1), [&](error_code, std::size_t) {
        ++connected;
        e.read();
      });
    });
  };
  while (connected < count && failed == 0) {
    while (all.size() < count && all.size() - connected < at_once) connect();
    others.run_one();
  }
  tell_parent();
  if (failed > 0) ::_exit(1);
  others.run();  // until the parent closes
  all.clear();
  busy.join();
  return 0;
});

std::chrono::nanoseconds median_round_trip(rc::socket& s) {
  std::array<char, 64> ball{};
  std::vector<std::chrono::nanoseconds> times;
  for (int i = 0; i < 1000; ++i) {
    const auto begin = clock_type::now();
    asio::write(s, asio::buffer(ball));
    asio::read(s, asio::buffer(ball));
    times.push_back(clock_type::now() - begin);
  }
  std::nth_element(times.begin(), times.begin() + 500, times.end());
  return times[500];
}

/// Accepts until there are `count` sockets. A client that cannot connect ends, and the test with it.
void accept_all(asio::io_context& context, rc::acceptor& acceptor, std::vector<rc::socket>& sockets,
                std::size_t count) {
  bool has_one_ended = false;
  asio::signal_set ends(context, SIGCHLD);
  ends.async_wait([&](error_code ec, int) { has_one_ended = !ec; });
  const std::function<void()> accept = [&] {
    acceptor.async_accept([&](error_code ec, rc::socket s) {
      BOOST_TEST_REQUIRE(!ec);
      sockets.push_back(std::move(s));
      asio::write(sockets.back(), asio::buffer("", 1));
      if (sockets.size() < count) accept();
    });
  };
  accept();
  while (sockets.size() < count && !has_one_ended) context.run_one();
  BOOST_TEST_REQUIRE(!has_one_ended);
  ends.cancel();
  context.poll();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_many, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(connections_all_come_about_and_cost_little_while_idle) {
  raise_descriptor_limit();
  const std::size_t clients = wanted("ASIO_RDMA_TEST_CLIENTS", 1);
  const std::size_t count = wanted("ASIO_RDMA_TEST_CONNECTIONS", 300) / clients * clients;
  asio::io_context context;
  rc::acceptor acceptor(context, rc::v4());
  acceptor.bind({asio::ip::address_v4::loopback(), 0});
  acceptor.listen(static_cast<int>(count));
  std::deque<child> others;
  std::vector<rc::socket> sockets;
  for (std::size_t i = 0; i != clients; ++i) {
    others.emplace_back("many", std::vector<std::string>{std::to_string(acceptor.local_endpoint().port()),
                                                         std::to_string(count / clients),
                                                         std::to_string(most_at_once / clients)});
    sockets.push_back(acceptor.accept());
    others.back().wait_until_ready();
  }
  child& other = others.front();
  const auto alone = median_round_trip(sockets.front());

  const usage here = usage::of(::getpid()), there = usage::of(other.id());
  const auto registered = asio_rdma::snapshot().totals.registered_memory;
  const auto begin = clock_type::now();
  for (child& c : others) c.go_on();
  accept_all(context, acceptor, sockets, count);
  for (child& c : others) c.wait_until_ready();
  const std::chrono::duration<double, std::micro> each = (clock_type::now() - begin) / static_cast<double>(count);

  const auto per_connection = [](std::size_t after, std::size_t before, std::size_t connections) {
    return static_cast<double>(after - before) / static_cast<double>(connections);
  };
  const std::size_t made_here = count - clients, made_there = count / clients - 1;
  const usage here_now = usage::of(::getpid()), there_now = usage::of(other.id());
  const double memory = per_connection(asio_rdma::snapshot().totals.registered_memory, registered, made_here);
  const double descriptors = per_connection(here_now.descriptors, here.descriptors, made_here);
  const double descriptors_there = per_connection(there_now.descriptors, there.descriptors, made_there);
  BOOST_TEST_MESSAGE(count << " connections: " << each.count() << " us each; for one: " << memory
                           << " bytes registered, " << per_connection(here_now.resident, here.resident, made_here)
                           << " (server) and " << per_connection(there_now.resident, there.resident, made_there)
                           << " (client) bytes resident, " << descriptors << " and " << descriptors_there
                           << " descriptors");
  BOOST_TEST(memory <= 32768);
  // By some of them soft0 wakes the other process: of those it keeps up to 128.
  const auto most = [](std::size_t own, std::size_t connections) {
    return static_cast<double>(own) + 0.1 + 128.0 / static_cast<double>(connections);
  };
  BOOST_TEST(descriptors <= most(1, made_here));
  // One tells of the connecting until the first wait is over, and on the software device one holds the port.
  BOOST_TEST(descriptors_there <= most(3, made_there));

  BOOST_TEST(falls_asleep(other.id()));
  BOOST_TEST_MESSAGE("round trip of 64 bytes: " << alone.count() << " ns alone, "
                                                << median_round_trip(sockets.front()).count() << " ns beside them");
  sockets.clear();
  for (child& c : others) BOOST_TEST(c.wait() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
