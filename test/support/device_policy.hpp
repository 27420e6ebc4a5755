// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SUPPORT_DEVICE_POLICY_HPP
#define ASIO_RDMA_TEST_SUPPORT_DEVICE_POLICY_HPP

#include <asio_rdma/device.hpp>

#include <stdlib.h>
#include <string>

namespace test_support {

/// Sets the device policy of the process while it lives. Afterwards the environment decides again.
class device_policy {
public:
  explicit device_policy(const std::string& policy) { asio_rdma::set_device_policy(policy.c_str()); }
  device_policy(const device_policy&) = delete;
  device_policy& operator=(const device_policy&) = delete;
  ~device_policy() { asio_rdma::set_device_policy(nullptr); }
};

/// Sets the environment variable of the policy, null for unset, while it lives. The program must not have set a policy.
class policy_variable {
public:
  explicit policy_variable(const char* value) {
    if (const char* const before = ::getenv(name)) before_ = before;
    put(value);
  }
  policy_variable(const policy_variable&) = delete;
  policy_variable& operator=(const policy_variable&) = delete;
  ~policy_variable() { put(before_.empty() ? nullptr : before_.c_str()); }

private:
  static constexpr const char* name = "ASIO_RDMA_DEVICE";

  static void put(const char* value) {
    if (value) {
      ::setenv(name, value, 1);
    } else {
      ::unsetenv(name);
    }
    asio_rdma::set_device_policy(nullptr);  // so that it is read again
  }

  std::string before_;
};

}  // namespace test_support

#endif
