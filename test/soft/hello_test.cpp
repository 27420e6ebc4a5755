// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Processes that say who they are, and are not or no longer.

#include "machine.hpp"

#include "soft/device.hpp"
#include "soft/local_socket.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/socket.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace soft_test;
using namespace std::chrono_literals;
namespace soft = asio_rdma::soft;

namespace {

/// Tells this process, on a new connection, that somebody else has the slot.
soft::descriptor say_hello_from(unsigned slot, std::uint64_t instance) {
  soft::device& d = *soft::device::instance();
  soft::descriptor s = soft::connect_local(SOCK_SEQPACKET, soft::local_name("process." + std::to_string(d.slot())));
  BOOST_REQUIRE(s);
  soft::hello h{};
  h.kind = soft::message_kind::hello;
  h.version = soft::segment_header::right_version;
  h.slot = slot;
  h.instance = instance;
  BOOST_REQUIRE_EQUAL(soft::send_packet(s.get(), &h, sizeof h, d.memory().fd()), 0);
  return s;
}

/// The other one, once the two know each other.
std::shared_ptr<soft::peer> known_at(unsigned slot) {
  auto& processes = soft::device::instance()->processes();
  for (int i = 0; i < 5000; ++i) {
    if (const auto p = processes.find(slot); p && p->is_up()) return p;
    std::this_thread::sleep_for(1ms);
  }
  BOOST_FAIL("they do not get to know each other");
  return nullptr;
}

void expect_that_it_works(two_machines& t) {
  BOOST_TEST(t.far.receive(1) == 0);
  BOOST_TEST(t.near.send({}) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(t.far.poll().status == IBV_WC_SUCCESS);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hello, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(of_a_dead_process_whose_slot_has_another_one_harms_nobody) {
  two_machines t("direct");
  auto& processes = soft::device::instance()->processes();
  const unsigned slot = soft::slot_of(t.far_number);
  const auto far = known_at(slot);
  for (int i = 0; i < 20; ++i) (void)say_hello_from(slot, far->header().instance + 1);
  std::this_thread::sleep_for(100ms);
  BOOST_TEST(far->is_up());
  BOOST_TEST((processes.find(slot) == far));
  expect_that_it_works(t);
}

BOOST_AUTO_TEST_CASE(of_one_that_claims_the_slot_of_another_is_not_believed) {
  two_machines t("direct");
  auto& processes = soft::device::instance()->processes();
  const unsigned slot = soft::slot_of(t.far_number);
  const auto far = known_at(slot);
  std::vector<soft::descriptor> impostors;
  for (int i = 0; i < 20; ++i) impostors.push_back(say_hello_from(slot, far->header().instance + 1));
  std::this_thread::sleep_for(100ms);
  BOOST_TEST((processes.find(slot) == far));
  expect_that_it_works(t);
}

BOOST_AUTO_TEST_SUITE_END()
