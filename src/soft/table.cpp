// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include <asio_rdma/verbs/api.hpp>

#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

const api& software_device() noexcept {
  static constexpr api table = [] {
    api t{};
    t.get_device_list = [](int*) -> ibv_device** {
      errno = ENOSYS;
      return nullptr;
    };
    t.free_device_list = [](ibv_device**) {};
    t.cm_create_event_channel = []() -> rdma_event_channel* {
      errno = ENOSYS;
      return nullptr;
    };
    return t;
  }();
  return table;
}

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma
