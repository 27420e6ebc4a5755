// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_DEVICE_DOMAIN_HPP
#define ASIO_RDMA_SRC_IO_DEVICE_DOMAIN_HPP

#include <asio_rdma/detail/core/error.hpp>
#include <asio_rdma/verbs/context.hpp>
#include <asio_rdma/verbs/protection_domain.hpp>

#include <memory>
#include <string>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// What all connections of the process share on one device, but for those that want one of their own: the protection
/// domain, and what the device can do. It exists while a connection uses it.
struct device_domain {
  verbs::context opened;  // if it is ours
  verbs::context_ref device;
  verbs::protection_domain domain;
  ibv_device_attr limits{};
  int numa_node = -1;  // negative: none

  /// A queue pair can open windows to registered memory, and shut them (memory windows of type 2, IBTA 10.6.7.2.3).
  bool has_windows() const noexcept {
    return (limits.device_cap_flags & (IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B)) != 0;
  }

  /// The rights of memory and queue pairs that leave out nothing that the device can do.
  unsigned all_access() const noexcept {
    constexpr unsigned always = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    return limits.atomic_cap == IBV_ATOMIC_NONE ? always : always | IBV_ACCESS_REMOTE_ATOMIC;
  }

  /// The completion vector for the next queue: each in turn, so that the interrupts of many connections are spread over
  /// the processors as the device's vectors are. Thread-safe.
  int next_vector() const noexcept;

  /// The domain of a device, made if it does not exist. Thread-safe.
  static core::error get(verbs::context_ref device, std::shared_ptr<device_domain>& result);
  /// One that nobody else gets.
  static core::error make(verbs::context_ref device, std::shared_ptr<device_domain>& result);
  /// The same as get() for a device that no connection manager has opened, by its name. Another domain than those.
  static core::error open(const verbs::api& table, const std::string& name, std::shared_ptr<device_domain>& result);
};

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
