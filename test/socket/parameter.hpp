// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SOCKET_PARAMETER_HPP
#define ASIO_RDMA_TEST_SOCKET_PARAMETER_HPP

#include <cstdlib>
#include <string>

/// How often or how long a test does something: an environment variable, or what is modest on the device at hand. The
/// kernel's runs in an emulated machine.
inline int parameter(const char* variable, int on_soft0, int otherwise) {
  if (const char* text = std::getenv(variable)) return std::stoi(text);
  const char* device = std::getenv("ASIO_RDMA_DEVICE");
  return device && std::string(device) == "soft0" ? on_soft0 : otherwise;
}

#endif
