// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What connections cost: nothing once they are gone, no processor time while they are idle.

#include "child.hpp"

#include <asio_rdma/verbs/device_list.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

using namespace process_test;

namespace {

std::string output_of(const char* command) {
  std::string result;
  FILE* pipe = ::popen(command, "r");
  BOOST_REQUIRE(pipe);
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) result.append(buffer, n);
  BOOST_REQUIRE_EQUAL(::pclose(pipe), 0);
  return result;
}

struct usage {
  /// Queue pairs, regions and so on of all devices, as the kernel counts them where they are the kernel's; descriptors
  /// of this process.
  static usage now() {
    const bool is_software = &asio_rdma::verbs::policy_table() == &asio_rdma::verbs::software_device();
    const std::filesystem::directory_iterator descriptors("/proc/self/fd");
    return {is_software ? std::string() : output_of("rdma resource show"),
            static_cast<std::size_t>(std::distance(begin(descriptors), {}))};
  }
  friend bool operator==(const usage& a, const usage& b) {
    return a.resources == b.resources && a.descriptors == b.descriptors;
  }
  friend std::ostream& operator<<(std::ostream& out, const usage& u) {
    return out << u.descriptors << " descriptors, " << u.resources;
  }
  std::string resources;
  std::size_t descriptors;
};

void one_cycle(rc::acceptor& acceptor, asio::io_context& context) {
  rc::socket client(context);
  client.connect(acceptor.local_endpoint());
  rc::socket server = acceptor.accept();
  const std::string text = "all of it";
  asio::write(client, asio::buffer(text));
  client.close();
  std::string got;
  error_code ec;
  asio::read(server, asio::dynamic_buffer(got), ec);
  BOOST_REQUIRE_EQUAL(ec, asio::error::eof);
  BOOST_REQUIRE_EQUAL(got, text);
}

const register_scenario idle("idle", [](const std::vector<std::string>& a) {
  asio::io_context context;
  rc::socket s(context);
  connect_to_parent(s, a[0]);
  char c = 0;
  s.async_read_some(asio::buffer(&c, 1), [](error_code, std::size_t) {});
  tell_parent();
  context.run();  // sleeps until the parent writes
  return c == 'x' ? 0 : 1;
});

}  // namespace

BOOST_AUTO_TEST_SUITE(process_resources, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(a_thousand_connections_leave_nothing_behind) {
  asio::io_context context;
  rc::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  one_cycle(acceptor, context);  // what is made once
  const auto settled = [] {
    // Goodbyes are said in the background.
    usage u = usage::now();
    for (int i = 0; i < 50; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const usage next = usage::now();
      if (next == u && i > 5) break;
      u = next;
    }
    return u;
  };
  const usage before = settled();
  for (int i = 0; i < 1000; ++i) one_cycle(acceptor, context);
  usage after = settled();
  for (int i = 0; i < 20 && !(after == before); ++i) after = settled();
  BOOST_TEST(after == before);
}

BOOST_AUTO_TEST_CASE(an_idle_connection_uses_no_processor) {
  parent p("idle");
  p.other.wait_until_ready();
  // Timers of the connect and accept run out in the meantime, after five seconds.
  std::this_thread::sleep_for(std::chrono::seconds(7));
  const unsigned long before = context_switches(p.other.id());
  std::this_thread::sleep_for(std::chrono::seconds(3));
  BOOST_TEST(context_switches(p.other.id()) == before);
  asio::write(p.socket, asio::buffer("x", 1));
  BOOST_TEST(p.other.wait() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
