// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// asio_rdma_info, run as a user runs it. ASIO_RDMA_INFO_PROGRAM is its path.

#include <asio_rdma/device.hpp>

#include <sys/wait.h>
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdio>
#include <string>

namespace json = boost::json;

namespace {

struct run {
  explicit run(const std::string& arguments) {
    FILE* const pipe = ::popen((ASIO_RDMA_INFO_PROGRAM " " + arguments + " 2>&1").c_str(), "r");
    BOOST_REQUIRE(pipe);
    char part[4096];
    while (const std::size_t size = std::fread(part, 1, sizeof part, pipe)) output.append(part, size);
    status = WEXITSTATUS(::pclose(pipe));
  }

  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }

  std::string output;
  int status = -1;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(info)

BOOST_AUTO_TEST_CASE(describes_every_device) {
  const run text("");
  BOOST_TEST(text.status == 0);
  const run as_json("--json");
  BOOST_TEST(as_json.status == 0);
  const json::value document = json::parse(as_json.output);
  const json::array& listed = document.at("devices").as_array();
  const auto all = asio_rdma::devices();
  BOOST_TEST(listed.size() == all.size());
  for (const asio_rdma::device_info& d : all) {
    BOOST_TEST(std::count_if(all.begin(), all.end(), [&](const auto& other) { return other.name == d.name; }) == 1);
    BOOST_TEST(text.says('\n' + d.name + " (" + (d.name == "soft0" ? "software" : "hardware") + ")\n"));
    BOOST_TEST((d.kind == asio_rdma::device_kind::software) == (d.name == "soft0"));
    const auto found = std::find_if(listed.begin(), listed.end(),
                                    [&](const json::value& v) { return v.at("name").as_string() == d.name.c_str(); });
    BOOST_REQUIRE(found != listed.end());
    BOOST_TEST(found->at("limits").at("max_qp").to_number<int>() > 0);
    for (const boost::asio::ip::address& a : d.addresses) {
      // A GID has no interface's name in it.
      BOOST_TEST(text.says(a.is_v6() ? boost::asio::ip::address_v6(a.to_v6().to_bytes()).to_string() : a.to_string()));
    }
  }
}

BOOST_AUTO_TEST_CASE(says_which_gid_an_address_leads_to) {
  bool any = false;
  for (const asio_rdma::device_info& d : asio_rdma::devices()) {
    const bool is_used = asio_rdma::device_policy() == d.name ||
                         (asio_rdma::device_policy() == "hardware" && d.kind == asio_rdma::device_kind::hardware);
    for (const boost::asio::ip::address& a : d.addresses) {
      if (!is_used || (a.is_v6() && a.to_v6().is_link_local())) continue;
      any = true;
      const run r("--json " + a.to_string());
      BOOST_TEST(r.status == 0);
      const json::value path = json::parse(r.output).at("paths").at(0);
      BOOST_TEST(path.at("device").as_string() == d.name.c_str());
      BOOST_TEST(path.at("gid").at("address").as_string() == a.to_string().c_str());
      BOOST_TEST(path.at("gid").at("type").as_string() == "RoCE v2");
      BOOST_TEST(run(a.to_string()).says("to " + a.to_string() + ": " + d.name + " port 1"));
    }
  }
  BOOST_TEST(any);
}

BOOST_AUTO_TEST_CASE(says_what_cannot_be_reached) {
  const run r("203.0.113.7");  // of documentation, RFC 5737
  BOOST_TEST(r.status == 1);
  BOOST_TEST(r.says("to 203.0.113.7: cannot be reached: "));
  if (asio_rdma::device_policy() == "soft0") BOOST_TEST(r.says("another host, which the software device soft0"));
}

BOOST_AUTO_TEST_CASE(says_that_an_address_has_no_device, *boost::unit_test::label("kernel")) {
  const run r("10.79.0.1");
  BOOST_TEST(r.status == 1);
  BOOST_TEST(r.says("no RDMA device is attached"));
  BOOST_TEST(r.says("10.77.0.1 (rxe0)"));
}

BOOST_AUTO_TEST_CASE(finds_nothing_wrong_with_ports_that_are_up, *boost::unit_test::label("kernel")) {
  const run r("");
  BOOST_TEST(r.says("port 1: "));
  BOOST_TEST(!r.says("rxe0 port 1 "));
}

BOOST_AUTO_TEST_CASE(names_a_policy_that_cannot_be_met) {
  const run r("; ASIO_RDMA_DEVICE=nothing0 " ASIO_RDMA_INFO_PROGRAM);
  BOOST_TEST(r.status == 0);
  BOOST_TEST(r.says("the device policy 'nothing0' cannot be met: "));
}

BOOST_AUTO_TEST_CASE(refuses_nonsense) {
  for (const char* const nonsense : {"--jsn", "localhost", "1.2.3", "--json -x"}) {
    const run r(nonsense);
    BOOST_TEST(r.status == 2);
    BOOST_TEST(r.says("asio_rdma_info: "));
  }
  BOOST_TEST(run("--help").says("usage: asio_rdma_info"));
}

BOOST_AUTO_TEST_CASE(says_what_is_missing, *boost::unit_test::label("no_device")) {
  const run r("");
  BOOST_TEST(r.status == 0);
  BOOST_TEST(r.says("  - no usable RDMA device: "));
  BOOST_TEST(r.says("rdma link add"));
}

BOOST_AUTO_TEST_SUITE_END()
