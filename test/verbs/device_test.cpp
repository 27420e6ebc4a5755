// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "device_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

using namespace verbs_test;
using namespace asio_rdma::verbs;
using boost::system::system_error;

BOOST_FIXTURE_TEST_SUITE(device, device_fixture, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(is_listed_and_opened_by_name) {
  const device_list devices(table);
  BOOST_REQUIRE(!devices.empty());
  const std::string name = device.name();
  BOOST_TEST(devices.find(name.c_str()) != nullptr);
  BOOST_TEST(devices.find("no such device") == nullptr);
  const context again(name.c_str(), table);
  BOOST_TEST(again.name() == name);
}

BOOST_AUTO_TEST_CASE(of_a_wrong_name_is_not_opened) {
  error_code ec;
  BOOST_TEST(!context::open("no such device", ec, table));
  BOOST_TEST((ec == boost::system::errc::no_such_device));
}

BOOST_AUTO_TEST_CASE(stays_open_without_the_list) {
  device_list devices(table);
  const context opened(devices[0], table);
  devices.reset();
  BOOST_TEST(opened.query_device().phys_port_cnt >= 1);
}

BOOST_AUTO_TEST_CASE(is_queried) {
  const ibv_device_attr attributes = device.query_device();
  BOOST_TEST(attributes.max_qp > 0);
  BOOST_TEST(device.query_port(port).state == IBV_PORT_ACTIVE);
  BOOST_TEST(device.query_pkey(port, 0) != 0);
  const ibv_gid same = device.query_gid(port, static_cast<int>(gid.gid_index));
  BOOST_TEST(std::memcmp(&same, &gid.gid, sizeof same) == 0);
  BOOST_TEST(device.query_gid_entry(port, gid.gid_index).ndev_ifindex == gid.ndev_ifindex);
}

BOOST_AUTO_TEST_CASE(has_no_port_beyond_its_last) {
  const auto beyond = static_cast<std::uint8_t>(device.query_device().phys_port_cnt + 1);
  error_code ec;
  device.query_port(beyond, ec);
  BOOST_TEST((ec == boost::system::errc::invalid_argument));
  BOOST_CHECK_THROW(device.query_port(beyond), system_error);
}

BOOST_AUTO_TEST_CASE(without_events_says_would_block) {
  device.async_nonblocking(true);
  error_code ec;
  device.get_async_event(ec);
  BOOST_TEST((ec == boost::system::errc::resource_unavailable_try_again));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(objects, device_fixture, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(memory_is_registered_with_keys) {
  std::vector<char> bytes(10'000);
  const memory_region region(domain, bytes.data(), bytes.size(), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
  BOOST_TEST(region.address() == bytes.data());
  BOOST_TEST(region.length() == bytes.size());
  const memory_region other(domain, bytes.data(), bytes.size(), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
  BOOST_TEST(region.lkey() != other.lkey());
  BOOST_TEST(region.rkey() != other.rkey());
}

BOOST_AUTO_TEST_CASE(memory_that_is_not_there_is_not_registered) {
  error_code ec;
  BOOST_TEST(!memory_region::register_memory(domain, nullptr, 4096, IBV_ACCESS_LOCAL_WRITE, ec));
  BOOST_TEST((ec == boost::system::errc::bad_address));
}

BOOST_AUTO_TEST_CASE(a_domain_in_use_is_not_destroyed) {
  buffer memory(*this, 64);
  error_code ec;
  domain.destroy(ec);
  BOOST_TEST((ec == boost::system::errc::device_or_resource_busy));
  BOOST_TEST(!!domain);
  memory.region.destroy(ec);
  BOOST_TEST(!ec);
  domain.destroy(ec);
  BOOST_TEST(!ec);
  BOOST_TEST(!domain);
}

BOOST_AUTO_TEST_CASE(a_completion_queue_has_the_room_asked_for) {
  const completion_queue queue(device, 100);
  BOOST_TEST(queue.capacity() >= 100);
  error_code ec;
  const int beyond = device.query_device().max_cqe + 1;
  BOOST_TEST(!completion_queue::create(device, beyond, nullptr, 0, ec));
  BOOST_TEST((ec == boost::system::errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_completion_queue_grows) {
  completions.resize(1000);
  BOOST_TEST(completions.capacity() >= 1000);
}

BOOST_AUTO_TEST_CASE(a_queue_pair_reports_what_was_granted) {
  for (const auto type : {IBV_QPT_RC, IBV_QPT_UD}) {
    ibv_qp_init_attr attributes = queue_attributes(type);
    const queue_pair pair(domain, attributes);
    BOOST_TEST(pair.type() == type);
    BOOST_TEST(pair.number() != 0u);
    BOOST_TEST(pair.state() == IBV_QPS_RESET);
    BOOST_TEST(attributes.cap.max_send_wr >= 16u);
    BOOST_TEST(attributes.cap.max_inline_data >= 64u);
    BOOST_TEST(pair.query(IBV_QP_CAP).init_attributes.cap.max_send_wr >= 16u);
  }
}

BOOST_AUTO_TEST_CASE(a_queue_pair_beyond_the_device_is_refused) {
  ibv_qp_init_attr attributes = queue_attributes(IBV_QPT_RC);
  attributes.cap.max_send_wr = static_cast<std::uint32_t>(device.query_device().max_qp_wr) + 1;
  error_code ec;
  BOOST_TEST(!queue_pair::create(domain, attributes, ec));
  BOOST_TEST((ec == boost::system::errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(memory_windows_have_keys) {
  const memory_window window(domain, IBV_MW_TYPE_2);
  BOOST_TEST(window.rkey() != 0u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(pinned_memory, device_fixture, *boost::unit_test::label("kernel"))

BOOST_AUTO_TEST_CASE(memory_beyond_the_limit_gives_memlock_limit) {
  // In a process of its own: a user without CAP_IPC_LOCK, who may lock 8 MiB.
  enum { as_expected = 0, registered = 1, another_error = 2, not_enough_memory_not_meant = 3 };
  const pid_t child = ::fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit limit{8 << 20, 8 << 20};
    const uid_t nobody = 65534;
    if (::setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || ::setuid(nobody) != 0) ::_exit(100);
    const context own(device.name());
    const protection_domain own_domain(own);
    std::vector<char> bytes(16 << 20);
    error_code ec;
    const auto region = memory_region::register_memory(own_domain, bytes.data(), bytes.size(), 0, ec);
    if (region) ::_exit(registered);
    if (ec != asio_rdma::errc::memlock_limit) ::_exit(another_error);
    ::_exit(ec == boost::system::errc::not_enough_memory ? as_expected : not_enough_memory_not_meant);
  }
  int status = -1;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_REQUIRE(WIFEXITED(status));
  BOOST_TEST(WEXITSTATUS(status) == as_expected);
}

BOOST_AUTO_TEST_SUITE_END()
