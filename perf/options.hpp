// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_OPTIONS_HPP
#define ASIO_RDMA_PERF_OPTIONS_HPP

#include <cstdint>
#include <string>

/// What the command line of stream_perf says. Zero stands for a default.
struct options {
  std::string address;  ///< the server's; empty in a server
  std::string port = "7500";
  std::string bind = "0.0.0.0";
  bool tcp = false;
  bool async = false;
  bool latency = false;
  std::uint64_t size = 0;
  std::uint64_t iterations = 0;
  int receive_buffer = 0;
  int send_buffer = 0;
  int queue_depth = 0;
};

/// Reads a command line, with the defaults that depend on others filled in. Ends the program after --help, or with
/// status 2 and a line that says what is wrong.
options parse_options(int argc, char** argv);

#endif
