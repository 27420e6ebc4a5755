// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_INFO_REPORT_HPP
#define ASIO_RDMA_PERF_INFO_REPORT_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// All that asio_rdma_info finds out. Texts are empty, and numbers have no value, where there is nothing to say.
namespace info {

struct gid_entry {
  std::uint32_t index = 0;
  std::string gid;
  std::string type;       ///< IB, RoCE v1, RoCE v2
  std::string address;    ///< the IP address that it stands for
  std::string interface;  ///< network interface
};

struct port {
  unsigned number = 0;
  std::string state;
  bool is_active = false;
  std::string link_layer;
  double gigabits = 0;  ///< link speed, 10^9 bits a second
  unsigned mtu = 0;     ///< active, bytes
  unsigned max_mtu = 0;
  unsigned lid = 0;
  std::vector<gid_entry> gids;
};

struct limits {
  std::uint64_t max_memory_region = 0;  ///< bytes
  int max_memory_regions = 0;
  int max_queue_pairs = 0;
  int max_queue_pair_requests = 0;
  int max_completion_queues = 0;
  int max_completions = 0;  ///< of a queue
  int max_pieces = 0;       ///< SGEs of a request
  int max_reads = 0;        ///< reads and atomics outstanding on a queue pair
  bool has_atomics = false;
};

struct device {
  std::string name;
  std::string kind;  ///< hardware: rdma-core lists it; software: this library's own
  std::string firmware;
  std::string guid;
  std::optional<int> numa_node;
  std::string error;  ///< why it cannot be opened
  limits of;
  std::vector<port> ports;
};

/// What a connection to an address would use.
struct path {
  std::string address;
  std::string source;  ///< own address
  std::string device;
  unsigned port = 0;
  gid_entry gid;
  std::string why;
  std::string error;
};

struct problem {
  std::string what;
  std::string remedy;
};

struct machine {
  std::string kernel;
  std::string policy;         ///< which devices sockets use
  std::string policy_device;  ///< hardware or software, which that amounts to
  std::string policy_error;
  std::optional<std::uint64_t> memlock;  ///< bytes; no value: unlimited
  std::uint64_t descriptors = 0;
  std::string namespaces;   ///< of RDMA devices: shared or exclusive
  std::string cgroup_limits;
};

struct report {
  machine host;
  std::vector<device> devices;
  std::vector<path> paths;
  std::vector<problem> problems;
};

/// Everything about this machine's devices.
std::vector<device> find_devices();
/// The device, port and GID for an address, found as sockets find them.
path find_path(const std::string& address, const std::vector<device>& devices);
machine describe_machine();
/// What is wrong, or worse than it could be, and how to mend it.
std::vector<problem> find_problems(const machine& host, const std::vector<device>& devices);

std::string to_text(const report& r);
std::string to_json(const report& r);

}  // namespace info

#endif
