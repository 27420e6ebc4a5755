// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_SETTINGS_HPP
#define ASIO_RDMA_PERF_COMMON_SETTINGS_HPP

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace perf {

/// Stands for "not said" where every number means something.
constexpr std::uint64_t unset = std::numeric_limits<std::uint64_t>::max();

/// What the command line says, with the defaults filled in that depend on nothing but the program and other settings.
/// The flags are described where they are listed, in flags.cpp.
struct settings {
  std::string server;  ///< host to connect to; empty in a server

  // The connection
  std::string device;
  std::uint64_t device_port = unset;
  std::uint64_t gid_index = unset;
  std::uint64_t port = 18515;
  std::string bind;  ///< the server's own address; empty: every address
  bool rdma_cm = false;
  bool control_over_rdma = false;
  std::string connection = "RC";
  std::uint64_t mtu = unset;  ///< bytes
  std::uint64_t service_level = unset;
  std::uint64_t traffic_class = unset;
  std::uint64_t type_of_service = unset;
  std::uint64_t ack_timeout = 14;  ///< 4.096 us times two to the power of this
  std::uint64_t retries = 7;

  // What is sent
  std::uint64_t size = unset;  ///< bytes
  bool all_sizes = false;
  std::uint64_t iterations = unset;
  std::uint64_t duration = 0;  ///< s; 0: iterations count
  std::uint64_t margin = 0;    ///< s
  bool forever = false;
  std::uint64_t warm_up = unset;  ///< messages
  bool bidirectional = false;
  std::uint64_t connections = 1;
  std::string atomic = "FETCH_AND_ADD";
  bool validate = false;

  // Queues
  std::uint64_t send_depth = unset;
  std::uint64_t receive_depth = unset;
  std::uint64_t inline_size = unset;  ///< bytes
  std::uint64_t post_list = 1;
  std::uint64_t receive_post_list = 1;
  std::uint64_t moderation = unset;   ///< every so many requests ask for a completion
  std::uint64_t outstanding = unset;  ///< reads and atomics
  std::uint64_t poll_batch = 16;
  bool events = false;

  // Sockets
  std::string mode = "stream";
  bool async = false;
  bool registered = false;
  std::uint64_t receive_buffer = unset;  ///< bytes
  std::uint64_t send_buffer = unset;     ///< bytes
  std::uint64_t queue_depth = unset;

  // The report
  bool gigabits = false;
  bool both_units = false;
  bool no_peak = false;
  bool histogram = false;
  bool unsorted = false;
  bool cycles = false;
  bool socket_counters = false;
  std::string counters;  ///< names of the port's counters, separated by commas
  bool json = false;
  std::string json_file;
  bool cpu_utilisation = false;
  bool probe = false;

  // This process
  std::uint64_t cpu = unset;
  bool loop = false;
  bool no_frequency_warning = false;

  std::set<std::string> said;  ///< the long names of the flags that the command line has

  bool is_server() const noexcept { return server.empty(); }
  bool is_datagram() const noexcept { return connection == "UD" || mode == "datagram" || mode == "udp"; }
  bool has(const char* flag) const { return said.count(flag) != 0; }
};

/// The sizes of messages to measure, bytes: one, or with --all every power of two from 2 bytes to 8 MiB that is not
/// larger than a message can be.
std::vector<std::uint64_t> sizes_of(const settings& s, std::uint64_t largest_message);

}  // namespace perf

#endif
