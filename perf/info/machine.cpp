// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "report.hpp"

#include <asio_rdma/device.hpp>
#include <asio_rdma/verbs/verbs.hpp>

#include <sys/resource.h>
#include <sys/utsname.h>

#include <fstream>
#include <sstream>

namespace verbs = asio_rdma::verbs;

namespace info {

namespace {

std::string contents(const std::string& path) {
  std::ostringstream result;
  result << std::ifstream(path).rdbuf();
  return result.str();
}

/// What the RDMA controller of cgroups (v2) allows this process; see the kernel's admin-guide/cgroup-v2.rst.
std::string cgroup_limits() {
  std::ifstream own("/proc/self/cgroup");
  for (std::string line; std::getline(own, line);) {
    if (line.compare(0, 3, "0::") != 0) continue;
    std::istringstream lines(contents("/sys/fs/cgroup" + line.substr(3) + "/rdma.max"));
    std::string result;
    for (std::string limit; std::getline(lines, limit);) {
      if (limit.find("hca_handle=max hca_object=max") == std::string::npos) {
        result += (result.empty() ? "" : "; ") + limit;
      }
    }
    return result;
  }
  return {};
}

}  // namespace

machine describe_machine() {
  machine result;
  utsname name{};
  ::uname(&name);
  result.kernel = name.release;
  result.policy = asio_rdma::device_policy();
  verbs::error_code ec;
  const verbs::api& table = verbs::policy_table(ec);
  if (ec) {
    result.policy_error = ec.message();
  } else {
    result.policy_device = &table == &verbs::software_device() ? "software" : "hardware";
  }
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur != RLIM_INFINITY) result.memlock = limit.rlim_cur;
  ::getrlimit(RLIMIT_NOFILE, &limit);
  result.descriptors = limit.rlim_cur;
  const std::string shared = contents("/sys/module/ib_core/parameters/netns_mode");
  if (!shared.empty()) result.namespaces = shared[0] == 'Y' ? "shared" : "exclusive";
  result.cgroup_limits = cgroup_limits();
  return result;
}

}  // namespace info
