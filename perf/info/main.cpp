// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "report.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstring>
#include <iostream>

namespace {

constexpr char usage[] = R"(usage: asio_rdma_info [--json] [ADDRESS...]

Says what this machine has for RDMA: devices, ports, GIDs, limits, what sockets would use (ASIO_RDMA_DEVICE), what is
wrong and how to mend it. For each ADDRESS, an IP address of a peer or of this host, which device, port and GID a
connection to it would use, and why.

  --json   one JSON document instead of text
  --help

Exit status: 0; 1 if an address cannot be reached by RDMA; 2 if the command line makes no sense.
)";

int fail(const std::string& what) {
  std::cerr << "asio_rdma_info: " << what << "; --help tells more\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  bool as_json = false;
  std::vector<std::string> addresses;
  for (int i = 1; i < argc; ++i) {
    boost::system::error_code ec;
    if (std::strcmp(argv[i], "--help") == 0) {
      std::cout << usage;
      return 0;
    }
    if (std::strcmp(argv[i], "--json") == 0) {
      as_json = true;
    } else if (argv[i][0] == '-') {
      return fail("unknown option " + std::string(argv[i]));
    } else if (boost::asio::ip::make_address(argv[i], ec); ec) {
      return fail("'" + std::string(argv[i]) + "' is no IP address");
    } else {
      addresses.push_back(argv[i]);
    }
  }
  info::report r;
  r.host = info::describe_machine();
  r.devices = info::find_devices();
  bool all_reached = true;
  for (const std::string& address : addresses) {
    r.paths.push_back(info::find_path(address, r.devices));
    all_reached = all_reached && r.paths.back().error.empty();
  }
  r.problems = info::find_problems(r.host, r.devices);
  std::cout << (as_json ? info::to_json(r) : info::to_text(r));
  return all_reached ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << "asio_rdma_info: " << e.what() << '\n';
  return 2;
}
