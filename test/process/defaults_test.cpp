// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What whoever starts a process says of its sockets' options.

#include "child.hpp"

#include "support/environment.hpp"

#include <asio_rdma/raw_acceptor.hpp>
#include <asio_rdma/raw_connection.hpp>

#include <boost/test/unit_test.hpp>

#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <string>
#include <thread>

using namespace process_test;
using asio_rdma::errc;
using test_support::environment;

namespace {

template <class Option>
auto value_of(rc::socket& s) {
  Option o;
  s.get_option(o);
  return o.value();
}

/// Reads options: those that the environment, the file, and the program say.
const register_scenario values("default_values", [](const std::vector<std::string>&) {
  asio::io_context context;
  rc::socket s(context, rc::v4());
  if (value_of<asio_rdma::busy_poll>(s) != 50) return 1;               // environment
  if (value_of<asio_rdma::queue_depth>(s) != 64) return 2;             // both: environment
  if (value_of<asio_rdma::retry_count>(s) != 3) return 3;              // file
  if (!value_of<asio_rdma::acknowledged_writes>(s)) return 4;          // file
  if (value_of<asio_rdma::receive_buffer_size>(s) != 8192) return 5;   // file, rounded
  if (value_of<asio_rdma::rnr_retry>(s) != 7) return 6;                // nobody
  if (value_of<asio_rdma::device>(s) != "soft0") return 7;             // file
  s.set_option(asio_rdma::retry_count(5));
  s.set_option(asio_rdma::busy_poll(0));
  if (value_of<asio_rdma::retry_count>(s) != 5 || value_of<asio_rdma::busy_poll>(s) != 0) return 8;
  rc::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  s.connect(acceptor.local_endpoint());
  rc::socket server = acceptor.accept();
  if (value_of<asio_rdma::retry_count>(server) != 3 || value_of<asio_rdma::busy_poll>(server) != 50) return 9;
  if (value_of<asio_rdma::retry_count>(s) != 5) return 10;
  return 0;
});

/// Expects every socket to be refused with an error whose text has all the parts that the arguments are.
const register_scenario wrong("wrong_defaults", [](const std::vector<std::string>& parts) {
  asio::io_context context;
  const rc::endpoint peer(asio::ip::address_v4::loopback(), 7471);
  rc::socket s(context);
  error_code ec;
  s.connect(peer, ec);
  std::cerr << ec.message() << '\n';
  const auto is_right = [](const error_code& e) { return e == errc::bad_default || e == errc::unknown_device; };
  if (!is_right(ec)) return 1;
  const auto f = asio_rdma::last_failure(s);
  if (f.code != ec) return 2;
  for (const std::string& part : parts) {
    if (ec.message().find(part) == std::string::npos) return 3;
    if (f.text.find(part) == std::string::npos) return 4;
  }
  rc::acceptor a(context, rc::v4());
  a.bind({asio::ip::address_v4::loopback(), 0}, ec);
  if (!is_right(ec)) return 5;
  bool called = false;
  rc::socket other(context);
  other.async_connect(peer, [&](error_code e) { called = is_right(e); });
  context.run();
  return called ? 0 : 6;
});

/// A raw connection that counts from the beginning, without the program's doing, when the environment says so.
const register_scenario probed("probed_connection", [](const std::vector<std::string>& arguments) {
  const bool expected = arguments.at(0) == "counts";
  asio::io_context context;
  asio_rdma::raw_acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  asio_rdma::raw_connection client(context), server(context);
  std::thread other([&] { acceptor.accept(server); });
  client.connect(acceptor.local_endpoint());
  other.join();
  server.post_receive(asio_rdma::receive_request());
  if (client.probe() != expected) return 1;
  return server.statistics().posts == (expected ? 1u : 0u) ? 0 : 2;
});

class temporary_file {
public:
  explicit temporary_file(const std::string& text) {
    const int fd = ::mkstemp(name_);
    BOOST_REQUIRE(fd >= 0);
    ::close(fd);
    std::ofstream(name_) << text;
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { ::unlink(name_); }
  const char* name() const { return name_; }

private:
  char name_[32] = "/tmp/asio_rdma_config_XXXXXX";
};

void check_wrong(const char* variable, const char* value, const std::vector<std::string>& parts) {
  const environment e(variable, value);
  child c("wrong_defaults", parts);
  BOOST_TEST(c.wait() == 0, variable << '=' << value);
}

void check_wrong_file(const std::string& text, int line, std::vector<std::string> parts) {
  const temporary_file file(text);
  parts.push_back(std::string(file.name()) + ":" + std::to_string(line));
  check_wrong("ASIO_RDMA_CONFIG", file.name(), parts);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_defaults, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(the_program_comes_first_then_the_environment_then_the_file) {
  const temporary_file file(
      "# of this test\n"
      "queue_depth = 256\n"
      "retry_count=0x3\n"
      "acknowledged_writes = yes  # slow\n"
      "receive_buffer_size = 5000\n"
      "device = soft0\n");
  const environment config("ASIO_RDMA_CONFIG", file.name());
  const environment device("ASIO_RDMA_DEVICE", nullptr);
  const environment busy_poll("ASIO_RDMA_BUSY_POLL", "50");
  const environment queue_depth("ASIO_RDMA_QUEUE_DEPTH", "64");
  const environment rnr_retry("ASIO_RDMA_RNR_RETRY", "");  // as if it were not there
  child c("default_values", {});
  BOOST_TEST(c.wait() == 0);
}

BOOST_AUTO_TEST_CASE(a_wrong_variable_is_told) {
  check_wrong("ASIO_RDMA_BUSY_POLL", "fast",
              {"ASIO_RDMA_BUSY_POLL", "'fast'", "busy_poll", "-1 to 10000 microseconds"});
  check_wrong("ASIO_RDMA_BUSY_POLL", "10001", {"ASIO_RDMA_BUSY_POLL", "'10001'", "-1 to 10000"});
  check_wrong("ASIO_RDMA_QUEUE_DEPTH", "31", {"ASIO_RDMA_QUEUE_DEPTH", "'31'", "32 to 8192 messages"});
  check_wrong("ASIO_RDMA_ACKNOWLEDGED_WRITES", "2", {"ASIO_RDMA_ACKNOWLEDGED_WRITES", "true or false"});
  check_wrong("ASIO_RDMA_QUEUE_DEPHT", "64", {"ASIO_RDMA_QUEUE_DEPHT", "queue_depht", "queue_depth", "doc/options.md"});
  check_wrong("ASIO_RDMA_LINGER", "1", {"ASIO_RDMA_LINGER", "linger"});
  check_wrong("ASIO_RDMA_DEVICE", "nothing0", {"ASIO_RDMA_DEVICE", "nothing0", "soft0"});
}

BOOST_AUTO_TEST_CASE(a_wrong_file_is_told) {
  check_wrong_file("# one\n\nbusy_poll = 99999\n", 3, {"99999", "busy_poll", "-1 to 10000 microseconds"});
  check_wrong_file("busy_pole = 9\n", 1, {"busy_pole", "busy_poll"});
  check_wrong_file("busy_poll = 1\nbusy_poll = 2\n", 2, {"line 1"});
  check_wrong_file("busy_poll 50\n", 1, {"option = value"});
  check_wrong("ASIO_RDMA_CONFIG", "/nowhere/of.conf", {"ASIO_RDMA_CONFIG", "/nowhere/of.conf", "No such file"});
  const environment device("ASIO_RDMA_DEVICE", nullptr);
  check_wrong_file("device = nothing0\n", 1, {"nothing0", "soft0"});
}

BOOST_AUTO_TEST_CASE(raw_connections_count_where_the_environment_asks_for_it) {
  for (const char* const value : {"1", "0"}) {
    const environment probe("ASIO_RDMA_PROBE", value);
    child c("probed_connection", {*value == '1' ? "counts" : "does not"});
    BOOST_TEST(c.wait() == 0, value);
  }
}

BOOST_AUTO_TEST_CASE(variables_of_others_are_left_alone) {
  const environment root("ASIO_RDMA_ROOT", "/usr/local");
  const environment of_a_test("ASIO_RDMA_TEST_SOMETHING", "1");
  const environment of_soft0("ASIO_RDMA_SOFT_COPY", "shared");
  const environment of_raw_connections("ASIO_RDMA_PROBE", "1");
  asio::io_context context;
  rc::acceptor acceptor(context);
  BOOST_CHECK_NO_THROW(acceptor.open(rc::v4()));
  check_wrong("ASIO_RDMA_RETRY_COUNT", "8", {"ASIO_RDMA_RETRY_COUNT"});  // what is wrong is found beside them
}

BOOST_AUTO_TEST_SUITE_END()
