// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "report.hpp"

#include <iomanip>
#include <sstream>

namespace info {

namespace {

void print(std::ostream& out, const gid_entry& e) {
  out << "    GID " << std::left << std::setw(4) << e.index << std::setw(40) << e.gid << ' ' << std::setw(8) << e.type;
  if (!e.address.empty()) out << "  " << e.address;
  if (!e.interface.empty()) out << " on " << e.interface;
  out << '\n';
}

std::string region_size(std::uint64_t bytes) {
  // More than there are addresses.
  return bytes >> 47 != 0 ? "any size" : "at most " + std::to_string(bytes >> 20) + " MiB";
}

void print(std::ostream& out, const device& d) {
  out << '\n' << d.name << " (" << d.kind << ")\n";
  if (!d.error.empty()) {
    out << "  cannot be opened: " << d.error << '\n';
    return;
  }
  out << "  GUID " << d.guid;
  if (!d.firmware.empty()) out << ", firmware " << d.firmware;
  if (d.numa_node) out << ", NUMA node " << *d.numa_node;
  out << "\n  at most " << d.of.max_queue_pairs << " queue pairs of " << d.of.max_queue_pair_requests
      << " requests of " << d.of.max_pieces << " pieces, " << d.of.max_completion_queues << " completion queues of "
      << d.of.max_completions << ", " << d.of.max_memory_regions << " memory regions of "
      << region_size(d.of.max_memory_region) << ", " << d.of.max_reads << " reads at a time, "
      << (d.of.has_atomics ? "atomics" : "no atomics") << '\n';
  for (const port& p : d.ports) {
    out << "  port " << p.number << ": " << p.state << ", " << p.link_layer;
    if (p.gigabits > 0) out << ", " << p.gigabits << " Gb/s";
    out << ", MTU " << p.mtu << " of " << p.max_mtu;
    if (p.lid != 0) out << ", LID " << p.lid;
    out << '\n';
    for (const gid_entry& e : p.gids) print(out, e);
  }
}

void print(std::ostream& out, const path& p) {
  out << "\nto " << p.address << ": ";
  if (!p.error.empty()) {
    out << "cannot be reached: " << p.error << '\n';
    return;
  }
  if (!p.device.empty()) {
    out << p.device << " port " << p.port << ", GID " << p.gid.index << " (" << p.gid.gid << "), from " << p.source
        << "\n  ";
  }
  out << p.why << '\n';
}

}  // namespace

std::string to_text(const report& r) {
  std::ostringstream out;
  out << "kernel " << r.host.kernel << "; locked memory: "
      << (r.host.memlock ? std::to_string(*r.host.memlock >> 10) + " KiB" : "unlimited")
      << "; descriptors: " << r.host.descriptors;
  if (!r.host.namespaces.empty()) out << "; RDMA devices in network namespaces: " << r.host.namespaces;
  out << "\nsockets use: " << r.host.policy;
  if (!r.host.policy_device.empty()) out << ", which means " << r.host.policy_device << " here";
  out << '\n';
  for (const device& d : r.devices) print(out, d);
  for (const path& p : r.paths) print(out, p);
  if (!r.problems.empty()) out << "\nto know or to mend:\n";
  for (const problem& p : r.problems) {
    out << "  - " << p.what << '\n';
    if (!p.remedy.empty()) out << "    remedy: " << p.remedy << '\n';
  }
  return out.str();
}

}  // namespace info
