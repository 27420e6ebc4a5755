// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_DEVICE_CHOICE_HPP
#define ASIO_RDMA_SRC_DEVICE_CHOICE_HPP

#include <asio_rdma/detail/core/error.hpp>
#include <asio_rdma/verbs/api.hpp>

#include <string>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// The environment variable that holds the policy where the program sets none, for use in texts.
constexpr const char* policy_variable = "ASIO_RDMA_DEVICE";

/// The name of the software device, whatever hardware there is.
constexpr const char* software_name = "soft0";

/// The devices that a socket may run on: all of a table or, if there is a name, the one of that name.
struct device_choice {
  const verbs::api* table = nullptr;
  std::string name;

  bool is_software() const noexcept { return table == &verbs::software_device(); }
  /// Whether a device of the table is one of them.
  bool allows(const char* device) const noexcept { return name.empty() || name == device; }
};

/// What the policy allows now, or the one that a socket has of its own if that is not empty. An error if it names a
/// device that this machine does not have. Thread-safe.
error choose_device(const std::string& own_policy, device_choice& result);

/// Adds the names of the devices that rdma-core lists. A kernel without RDMA has none, which is no error.
error list_hardware(std::vector<std::string>& names);

/// The same; none where it fails.
std::vector<std::string> hardware_names();

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
