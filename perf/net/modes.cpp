// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "modes.hpp"

#include "../common/flags.hpp"

#include <map>
#include <string>

namespace perf {

std::unique_ptr<end> make_net_end(const end_of& e) {
  static const std::map<std::string, std::unique_ptr<end> (*)(const end_of&)> modes = {
      {"stream", net::make_stream},
      {"message", net::make_message},
      {"datagram", net::make_datagram},
      {"raw", net::make_raw},
      {"tcp", net::make_tcp},
      {"udp", net::make_udp},
  };
  const auto found = modes.find(e.how.mode);
  if (found == modes.end())
    throw usage_error("--mode " + e.how.mode + ": this version of the library has no such sockets");
  return found->second(e);
}

}  // namespace perf
