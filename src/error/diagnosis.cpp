// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "error/diagnosis.hpp"

#include "error/text.hpp"
#include "verbs/rdma_core_library.hpp"
#include "verbs/sysfs.hpp"

#include <asio_rdma/verbs/api.hpp>

#include <sys/resource.h>
#include <unistd.h>
#include <string>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

bool any_starts_with(const std::vector<std::string>& names, const char* prefix) {
  for (const std::string& name : names)
    if (name.rfind(prefix, 0) == 0) return true;
  return false;
}

/// Whether libibverbs finds a driver for any device.
bool any_driver() noexcept {
  const verbs::api& table = verbs::rdma_core();
  int count = 0;
  ibv_device** const list = table.get_device_list(&count);
  if (list != nullptr) table.free_device_list(list);
  return list != nullptr && count > 0;
}

}  // namespace

void describe_missing_device(text& out) {
  if (const char* const why = verbs::load_rdma_core()) {
    out.add(": %s. Processes on one host can do without: ASIO_RDMA_DEVICE=soft0", why);
    return;
  }
  const std::string sysfs = verbs::sysfs_path();
  const std::vector<std::string> devices = verbs::list_folder(sysfs + "/class/infiniband");
  if (devices.empty()) {
    out.add(
        ": this machine has none (%s/class/infiniband is empty or missing). Load the driver of the card, or make a "
        "software device: modprobe rdma_rxe && rdma link add rxe0 type rxe netdev INTERFACE. Processes on one host can "
        "do without: ASIO_RDMA_DEVICE=soft0",
        sysfs.c_str());
    return;
  }
  const char* const device = devices.front().c_str();
  const std::vector<std::string> nodes = verbs::list_folder("/dev/infiniband");
  if (!any_starts_with(nodes, "uverbs")) {
    out.add(
        ": the kernel has %s, but there is no /dev/infiniband/uverbs*. In a container, pass the devices to it "
        "(--device=/dev/infiniband); otherwise modprobe ib_uverbs",
        device);
  } else if (!any_starts_with(nodes, "rdma_cm")) {
    out.add(": the kernel has %s, but there is no /dev/infiniband/rdma_cm: modprobe rdma_ucm", device);
  } else if (::access("/dev/infiniband/rdma_cm", R_OK | W_OK) != 0) {
    out.add(": the kernel has %s, but this user may not open /dev/infiniband/rdma_cm: give it read and write access",
            device);
  } else if (!any_driver()) {
    out.add(
        ": the kernel has %s, but libibverbs has no driver for it: install ibverbs-providers (in a container, in its "
        "image) of the host's version",
        device);
  } else {
    out.add(
        ": the kernel has %s, but it could not be used; ibv_devinfo shows whether its ports are active, rdma system "
        "show whether it belongs to another network namespace",
        device);
  }
}

void describe_memlock_limit(text& out) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return;
  if (limit.rlim_cur == RLIM_INFINITY) {
    out.add(" (it was raised since: RLIMIT_MEMLOCK is unlimited now)");
    return;
  }
  out.add(
      " (RLIMIT_MEMLOCK is %llu bytes). Raise it: ulimit -l unlimited in the shell, memlock in "
      "/etc/security/limits.conf for logins, LimitMEMLOCK=infinity for a systemd service, --ulimit memlock=-1:-1 for a "
      "container",
      static_cast<unsigned long long>(limit.rlim_cur));
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
