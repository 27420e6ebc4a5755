// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "accept.hpp"

#include <boost/system/system_error.hpp>

#include <chrono>
#include <memory>
#include <optional>

namespace perf::verbs {

void accept_request(boost::asio::io_context& io, asio_rdma::raw_acceptor& acceptor,
                    asio_rdma::raw_connection& connection, control& line) {
  using boost::system::error_code;
  const auto outcome = std::make_shared<std::optional<error_code>>();
  acceptor.async_accept_request(connection, [outcome](const error_code& ec) { *outcome = ec; });
  while (!*outcome) {
    io.restart();
    io.run_for(std::chrono::milliseconds(50));
    if (!*outcome) line.look_for_error();
  }
  if (**outcome) throw boost::system::system_error(**outcome, "raw_acceptor");
}

}  // namespace perf::verbs
