// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_CORE_DEVICE_HPP
#define ASIO_RDMA_DETAIL_CORE_DEVICE_HPP

#include <asio_rdma/detail/core/config.hpp>
#include <asio_rdma/detail/core/error.hpp>
#include <asio_rdma/detail/core/system.hpp>

#include <cstddef>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// hardware: the kernel's RDMA stack drives it, rxe and siw included; software: it is this library's own.
enum class device_kind : int { hardware = 0, software = 1 };

/// What is known about a device without opening it.
struct device {
  char name[64] = {};
  device_kind kind = device_kind::hardware;
  bool active = false;                          ///< whether a port of it is up
  const sockaddr_storage* addresses = nullptr;  ///< those of this host that it carries, valid during the visit
  std::size_t address_count = 0;
};

/// Calls a function for each device that is there, hardware first. An exception of the function passes through.
/// Thread-safe.
ASIO_RDMA_DECL error visit_devices(void (*function)(const device& d, void* context), void* context);

/// What a port of a device has counted.
struct device_counter {
  const char* name = "";  ///< as the device's driver calls it, valid during the visit
  std::uint32_t port = 0;
  std::uint64_t value = 0;
};

/// Calls a function for each counter of a device. An error that means unknown_device for a name that is not there. An
/// exception of the function passes through. Thread-safe.
ASIO_RDMA_DECL error visit_device_counters(const char* device,
                                           void (*function)(const device_counter& c, void* context), void* context);

/// "auto", "hardware" or the name of a device; null: the environment decides again. EINVAL if it is empty, an error
/// that means unknown_device for a name that is not there; then the former policy stays. Thread-safe.
ASIO_RDMA_DECL error set_device_policy(const char* policy) noexcept;

/// Writes the policy that is in force, as snprintf does. Thread-safe.
ASIO_RDMA_DECL std::size_t device_policy(char* buffer, std::size_t size) noexcept;

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
