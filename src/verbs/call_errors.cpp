// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/memlock.hpp"

#include <asio_rdma/verbs/detail/error.hpp>

#include <sys/resource.h>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {
namespace detail {

namespace {

struct memory_status {
  std::size_t pinned_bytes = 0;  ///< as the kernel counts them against RLIMIT_MEMLOCK
  bool may_exceed = false;       ///< CAP_IPC_LOCK: the limit does not hold for this process
};

memory_status own_memory_status() {
  constexpr int cap_ipc_lock = 14;
  memory_status result;
  std::ifstream file("/proc/self/status");
  const std::string pinned = "VmPin:";
  const std::string capabilities = "CapEff:";
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(pinned, 0) == 0)
      result.pinned_bytes = std::strtoull(line.c_str() + pinned.size(), nullptr, 10) * 1024;
    if (line.rfind(capabilities, 0) == 0)
      result.may_exceed = (std::strtoull(line.c_str() + capabilities.size(), nullptr, 16) >> cap_ipc_lock & 1) != 0;
  }
  return result;
}

bool exceeds_memlock_limit(std::size_t bytes) {
  if (soft::memlock::is_beyond_limit(bytes)) return true;  // the software device counts by itself, where it is to
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  const memory_status status = own_memory_status();
  if (status.may_exceed) return false;
  return status.pinned_bytes >= limit.rlim_cur || bytes > limit.rlim_cur - status.pinned_bytes;
}

}  // namespace

core::error memory_error(int errno_value, std::size_t bytes) noexcept {
  try {
    constexpr std::size_t page = 4096;  // regions are pinned in whole pages: up to two more
    if (errno_value == ENOMEM && exceeds_memlock_limit(bytes + 2 * page)) return core::library_error::memlock_limit;
  } catch (...) {  // no memory to find out
  }
  return core::error(errno_value);
}

core::error device_error(int errno_value) noexcept {
  switch (errno_value) {
    case ENODEV:  // librdmacm found no device
    case ENOENT:  // it found no /dev/infiniband/rdma_cm
    case ENOSYS:  // libibverbs found no support for RDMA in the kernel
      return core::library_error::no_device;
    default:
      return core::error(errno_value);
  }
}

}  // namespace detail
}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma
