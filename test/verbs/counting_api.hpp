// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_VERBS_COUNTING_API_HPP
#define ASIO_RDMA_TEST_VERBS_COUNTING_API_HPP

#include <asio_rdma/verbs/api.hpp>

#include <string>
#include <vector>

namespace verbs_test {

/// A table of functions over no device: it gives out objects that are just memory, writes down what is called, and
/// fails where it is told to.
struct counting_api {
  asio_rdma::verbs::api table{};
  ibv_device card{};

  /// Calls since the last clear(), oldest first, such as "dealloc_pd".
  static std::vector<std::string>& calls() {
    static std::vector<std::string> list;
    return list;
  }
  /// errno of the next calls; 0 lets them succeed.
  static int& next_errno() {
    static int value = 0;
    return value;
  }
  static unsigned& acknowledged_events() {
    static unsigned value = 0;
    return value;
  }
  /// Events waiting in any completion channel.
  static int& waiting_events() {
    static int value = 0;
    return value;
  }
  /// What the next get_event of the connection manager gives.
  static rdma_cm_event*& next_cm_event() {
    static rdma_cm_event* value = nullptr;
    return value;
  }

  counting_api();
  ~counting_api();
  counting_api(const counting_api&) = delete;
  counting_api& operator=(const counting_api&) = delete;
};

}  // namespace verbs_test

#endif
