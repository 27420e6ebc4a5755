// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The default policy on a machine without hardware.

#include "child.hpp"

#include "support/device_policy.hpp"

#include <boost/test/unit_test.hpp>

#include <iostream>
#include <string>

using namespace process_test;

namespace {

/// What was logged from warnings on.
std::string log_text;
int log_lines = 0;

void keep(asio_rdma::log_level, const char* text, void*) {
  log_text += text;
  ++log_lines;
}

/// In a process of its own, which has not decided yet.
const register_scenario automatic("automatic", [](const std::vector<std::string>&) {
  const test_support::policy_variable none(nullptr);
  asio_rdma::set_log(keep, nullptr, asio_rdma::log_level::warning);
  asio::io_context context;
  for (int i = 0; i < 3; ++i) {
    rc::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    rc::socket client(context);
    client.connect(acceptor.local_endpoint());
    rc::socket server = acceptor.accept();
    if (asio_rdma::device_name(client) != "soft0" || asio_rdma::device_name(server) != "soft0") return 1;
    asio_rdma::set_device_policy("soft0");  // and back to what was decided
    asio_rdma::set_device_policy("auto");
  }
  std::cerr << log_text << '\n';
  if (log_lines != 1) return 2;
  for (const char* part : {"soft0", "this host only", "ASIO_RDMA_DEVICE", "this machine has none"})
    if (log_text.find(part) == std::string::npos) return 3;
  return 0;
});

bool has_hardware() {
  for (const asio_rdma::device_info& d : asio_rdma::devices())
    if (d.kind == asio_rdma::device_kind::hardware) return true;
  return false;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_policy, *boost::unit_test::label("native") * boost::unit_test::label("no_device"))

BOOST_AUTO_TEST_CASE(without_hardware_auto_takes_soft0_and_says_so_once) {
  if (has_hardware()) {
    BOOST_TEST_MESSAGE("this machine has hardware");
    return;
  }
  child c("automatic", {});
  BOOST_TEST(c.wait() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
