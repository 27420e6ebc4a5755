// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/forked.hpp"

#include <pthread.h>

#include <atomic>

namespace asio_rdma {
inline namespace v1 {
namespace io {

namespace {
std::atomic<bool> is_child{false};
}

bool forked() noexcept {
  return is_child.load(std::memory_order_relaxed);
}

void watch_forks() noexcept {
  static const int result = ::pthread_atfork(nullptr, nullptr, [] { is_child.store(true, std::memory_order_relaxed); });
  (void)result;
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
