// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SUPPORT_ENVIRONMENT_HPP
#define ASIO_RDMA_TEST_SUPPORT_ENVIRONMENT_HPP

#include <stdlib.h>
#include <string>

namespace test_support {

/// Sets an environment variable, or unsets it for null, while it lives.
class environment {
public:
  environment(const char* name, const char* value) : name_(name), was_set_(::getenv(name) != nullptr) {
    if (was_set_) before_ = ::getenv(name);
    put(value);
  }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;
  ~environment() { put(was_set_ ? before_.c_str() : nullptr); }

private:
  void put(const char* value) {
    if (value) {
      ::setenv(name_.c_str(), value, 1);
    } else {
      ::unsetenv(name_.c_str());
    }
  }

  std::string name_, before_;
  bool was_set_;
};

}  // namespace test_support

#endif
