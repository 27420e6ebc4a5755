// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "report.hpp"

#include <asio_rdma/error.hpp>

#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace info {

namespace {

void add_machine_problems(const machine& host, bool has_hardware, std::vector<problem>& result) {
  if (!host.policy_error.empty()) {
    result.push_back({"the device policy '" + host.policy + "' cannot be met: " + host.policy_error,
                      "set ASIO_RDMA_DEVICE to auto, hardware, soft0 or a device below, or unset it"});
  }
  constexpr std::uint64_t enough = 64u << 20;
  if (has_hardware && host.memlock && *host.memlock < enough) {
    result.push_back({"only " + std::to_string(*host.memlock >> 10) +
                          " KiB may be locked, which is some thirty sockets, or few large regions",
                      "ulimit -l unlimited in the shell, memlock in /etc/security/limits.conf for logins, "
                      "LimitMEMLOCK=infinity for a systemd service, --ulimit memlock=-1:-1 for a container"});
  }
  if (host.descriptors < 4096) {
    result.push_back({"only " + std::to_string(host.descriptors) + " descriptors may be open, and a socket has one",
                      "ulimit -n 65536 in the shell, nofile in /etc/security/limits.conf, LimitNOFILE= for a service"});
  }
  if (!host.cgroup_limits.empty()) {
    result.push_back({"this process's cgroup limits RDMA: " + host.cgroup_limits,
                      "raise rdma.max of the cgroup if objects cannot be made"});
  }
}

/// Devices that the kernel has and rdma-core does not list have no node, or no driver.
void add_missing_devices(const std::vector<device>& devices, std::vector<problem>& result) {
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/class/infiniband", ec)) {
    const std::string name = entry.path().filename();
    const bool is_listed =
        std::any_of(devices.begin(), devices.end(), [&](const device& d) { return d.name == name; });
    if (!is_listed) {
      result.push_back(
          {"the kernel has " + name + ", which programs cannot use",
           "pass /dev/infiniband to the container, load ib_uverbs, install ibverbs-providers of the host's "
           "version; in exclusive mode (rdma system show) move the device into this network namespace"});
    }
  }
  if (!std::filesystem::exists("/dev/infiniband/rdma_cm", ec) &&
      std::any_of(devices.begin(), devices.end(), [](const device& d) { return d.kind == "hardware"; })) {
    result.push_back({"there is no /dev/infiniband/rdma_cm: sockets cannot connect", "modprobe rdma_ucm"});
  }
}

/// Whether this process may run on a processor of the node; yes if that is unknown.
bool runs_on_node(int node) {
  cpu_set_t own;
  if (::sched_getaffinity(0, sizeof own, &own) != 0) return true;
  std::error_code ec;
  const std::filesystem::path folder = "/sys/devices/system/node/node" + std::to_string(node);
  bool is_known = false;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ec)) {
    const std::string name = entry.path().filename();
    if (name.compare(0, 3, "cpu") != 0 || name.find_first_not_of("0123456789", 3) != std::string::npos) continue;
    is_known = true;
    if (CPU_ISSET(std::stoul(name.substr(3)), &own)) return true;
  }
  return !is_known;
}

void add_port_problems(const device& d, const port& p, std::vector<problem>& result) {
  const std::string name = d.name + " port " + std::to_string(p.number);
  if (!p.is_active) {
    const bool is_ethernet = p.link_layer == "Ethernet";
    result.push_back({name + " is " + p.state,
                      is_ethernet ? "take its network interface up (ip link set INTERFACE up), see to the cable"
                                  : "see to the cable and the subnet manager (opensm)"});
    return;
  }
  if (p.link_layer == "Ethernet" && p.mtu < p.max_mtu) {
    result.push_back({name + " carries packets of " + std::to_string(p.mtu) + " bytes of its " +
                          std::to_string(p.max_mtu),
                      "ip link set INTERFACE mtu 9000, on both hosts and the switches between them"});
  }
  const bool has_address = std::any_of(p.gids.begin(), p.gids.end(), [](const gid_entry& e) {
    return !e.address.empty() && e.address.compare(0, 4, "fe80") != 0;
  });
  if (p.link_layer == "Ethernet" && !has_address) {
    result.push_back({name + " has no IP address but link-local ones", "ip addr add ADDRESS/BITS dev INTERFACE"});
  }
}

}  // namespace

std::vector<problem> find_problems(const machine& host, const std::vector<device>& devices) {
  std::vector<problem> result;
  const bool has_hardware =
      std::any_of(devices.begin(), devices.end(), [](const device& d) { return d.kind == "hardware"; });
  add_machine_problems(host, has_hardware, result);
  if (!has_hardware)
    result.push_back({asio_rdma::to_error_code(asio_rdma::core::library_error::no_device).message(), {}});
  if (has_hardware) add_missing_devices(devices, result);
  for (const device& d : devices) {
    if (!d.error.empty()) result.push_back({d.name + " cannot be opened: " + d.error, {}});
    if (d.numa_node && !runs_on_node(*d.numa_node)) {
      result.push_back({d.name + " is attached to NUMA node " + std::to_string(*d.numa_node) +
                            ", and this process runs on others",
                        "numactl --cpunodebind=" + std::to_string(*d.numa_node) + " --localalloc PROGRAM"});
    }
    if (d.kind != "hardware") continue;
    for (const port& p : d.ports) add_port_problems(d, p, result);
  }
  return result;
}

}  // namespace info
