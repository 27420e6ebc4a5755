// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "temporary_folder.hpp"

#include "error/foreign_address.hpp"
#include "verbs/local_addresses.hpp"

#include <asio_rdma/error.hpp>

#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <algorithm>
#include <memory>
#include <string>

using asio_rdma::errc;
using asio_rdma::to_error_code;
namespace core = asio_rdma::core;
namespace verbs = asio_rdma::verbs;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class address {
public:
  explicit address(const char* text, std::uint16_t port = 0) {
    auto& v4 = reinterpret_cast<sockaddr_in&>(storage_);
    auto& v6 = reinterpret_cast<sockaddr_in6&>(storage_);
    if (::inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
      storage_.ss_family = AF_INET;
      v4.sin_port = htons(port);
    } else {
      BOOST_REQUIRE(::inet_pton(AF_INET6, text, &v6.sin6_addr) == 1);
      storage_.ss_family = AF_INET6;
      v6.sin6_port = htons(port);
    }
  }
  operator const sockaddr&() const { return reinterpret_cast<const sockaddr&>(storage_); }

private:
  sockaddr_storage storage_{};
};

/// An interface of this machine that has an IPv4 address other than loopback, if there is one.
std::pair<std::string, std::string> any_interface() {
  ifaddrs* list = nullptr;
  BOOST_REQUIRE(::getifaddrs(&list) == 0);
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, &::freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
    if (verbs::is_loopback_address(*entry->ifa_addr)) continue;
    return {entry->ifa_name, verbs::to_string(verbs::to_storage(*entry->ifa_addr))};
  }
  return {};
}

const boost::unit_test::precondition needs_interface([](boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result result(!any_interface().first.empty());
  result.message() << "this machine has no interface with an IPv4 address but lo";
  return result;
});

/// Attaches an imaginary device to an interface.
void attach(const verbs_test::other_sysfs& sysfs, const std::string& interface, const std::string& state) {
  sysfs.write("class/infiniband/imaginary0/ports/2/gid_attrs/ndevs/0", interface);
  sysfs.write("class/infiniband/imaginary0/ports/2/gid_attrs/ndevs/1", interface);
  sysfs.write("class/infiniband/imaginary0/ports/2/state", state);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(local_addresses, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(loopback_and_own_addresses_are_local) {
  BOOST_TEST(verbs::is_local_address(address("127.0.0.1")));
  BOOST_TEST(verbs::is_local_address(address("127.1.2.3")));
  BOOST_TEST(verbs::is_local_address(address("::1")));
  BOOST_TEST(verbs::is_local_address(address("::ffff:127.0.0.1")));
  BOOST_TEST(!verbs::is_local_address(address("192.0.2.1")));  // TEST-NET-1 belongs to nobody
  BOOST_TEST(!verbs::is_local_address(address("2001:db8::1")));
  BOOST_TEST(!verbs::is_local_address(address("0.0.0.0")));
  const auto own = any_interface();
  if (!own.first.empty()) {
    BOOST_TEST(verbs::is_local_address(address(own.second.c_str())));
    BOOST_TEST(verbs::interface_of(address(own.second.c_str())) == own.first);
  }
}

BOOST_AUTO_TEST_CASE(loopback_is_told_from_other_own_addresses) {
  BOOST_TEST(verbs::is_loopback_address(address("127.0.0.1")));
  BOOST_TEST(!verbs::is_loopback_address(address("128.0.0.1")));
  BOOST_TEST(!verbs::is_loopback_address(address("fe80::1")));
}

BOOST_AUTO_TEST_CASE(hosts_are_compared_without_ports) {
  BOOST_TEST(verbs::same_host(address("192.0.2.1", 1), address("192.0.2.1", 2)));
  BOOST_TEST(!verbs::same_host(address("192.0.2.1"), address("192.0.2.2")));
  BOOST_TEST(!verbs::same_host(address("192.0.2.1"), address("::ffff:192.0.2.1")));
}

BOOST_AUTO_TEST_CASE(a_machine_without_devices_has_no_rdma_addresses) {
  const verbs_test::other_sysfs sysfs;
  BOOST_TEST(verbs::rdma_addresses().empty());
  BOOST_TEST(verbs::loopback_candidates(AF_INET).empty());
}

BOOST_AUTO_TEST_CASE(addresses_of_an_attached_interface_are_found_once, *needs_interface) {
  const auto own = any_interface();
  const verbs_test::other_sysfs sysfs;
  attach(sysfs, own.first, "4: ACTIVE");
  const auto found = verbs::rdma_addresses();
  const auto candidates = verbs::loopback_candidates(AF_INET);
  BOOST_REQUIRE(!found.empty());
  BOOST_REQUIRE(!candidates.empty());
  BOOST_TEST(verbs::to_string(found[0].address) == own.second);
  BOOST_TEST(found[0].interface == own.first);
  BOOST_TEST(found[0].device == "imaginary0");
  BOOST_TEST(int{found[0].port} == 2);
  BOOST_TEST(found[0].active);
  BOOST_TEST(std::count_if(found.begin(), found.end(), [&](const verbs::rdma_address& a) {
               return verbs::to_string(a.address) == own.second;
             }) == 1);
  BOOST_TEST(verbs::loopback_candidates(AF_INET, "imaginary0").size() == candidates.size());
  BOOST_TEST(verbs::loopback_candidates(AF_INET, "imaginary1").empty());
}

BOOST_AUTO_TEST_CASE(a_port_that_is_down_carries_no_loopback, *needs_interface) {
  const auto own = any_interface();
  const verbs_test::other_sysfs sysfs;
  attach(sysfs, own.first, "1: DOWN");
  BOOST_REQUIRE(!verbs::rdma_addresses().empty());
  BOOST_TEST(!verbs::rdma_addresses()[0].active);
  BOOST_TEST(verbs::loopback_candidates(AF_INET).empty());
}

BOOST_AUTO_TEST_CASE(loopback_addresses_are_never_offered) {
  const verbs_test::other_sysfs sysfs;
  attach(sysfs, "lo", "4: ACTIVE");
  for (const auto& a : verbs::rdma_addresses()) BOOST_TEST(verbs::to_string(a.address) != "127.0.0.1");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(foreign_addresses, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(the_text_names_the_address_and_what_to_do) {
  const verbs_test::other_sysfs sysfs;
  const auto ec = to_error_code(core::intern_foreign_address(address("127.0.0.1", 80)));
  BOOST_TEST((ec == errc::foreign_address));
  const std::string text = ec.message();
  BOOST_TEST(contains(text, "127.0.0.1 belongs to no RDMA device"), text);
  BOOST_TEST(contains(text, "interface lo"), text);
  BOOST_TEST(contains(text, "rdma link add"), text);
}

BOOST_AUTO_TEST_CASE(the_text_names_the_addresses_that_would_work, *needs_interface) {
  const auto own = any_interface();
  const verbs_test::other_sysfs sysfs;
  attach(sysfs, own.first, "4: ACTIVE");
  const std::string text = to_error_code(core::intern_foreign_address(address("192.0.2.7"))).message();
  BOOST_TEST(contains(text, "192.0.2.7 belongs to no RDMA device"), text);
  BOOST_TEST(contains(text, own.second + " (interface " + own.first + ", device imaginary0)"), text);
}

BOOST_AUTO_TEST_CASE(each_address_has_one_code_whatever_its_port) {
  const auto first = core::intern_foreign_address(address("2001:db8::1", 1));
  BOOST_TEST((first == core::intern_foreign_address(address("2001:db8::1", 2))));
  BOOST_TEST((first != core::intern_foreign_address(address("2001:db8::2", 1))));
}

// The last one: it fills the table for good.
BOOST_AUTO_TEST_CASE(the_table_is_bounded) {
  const verbs_test::other_sysfs sysfs;
  core::error last;
  for (int i = 0; i < 1100; ++i) {
    const std::string text = "198.18." + std::to_string(i / 256) + "." + std::to_string(i % 256);
    last = core::intern_foreign_address(address(text.c_str()));
    BOOST_REQUIRE((to_error_code(last) == errc::foreign_address));
  }
  BOOST_TEST(last.value == 1025);
  BOOST_TEST(contains(to_error_code(last).message(), "the address belongs to no RDMA device"));
  BOOST_TEST(contains(to_error_code(core::intern_foreign_address(address("127.0.0.1"))).message(), "127.0.0.1"));
}

BOOST_AUTO_TEST_SUITE_END()
