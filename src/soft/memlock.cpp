// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/memlock.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace memlock {

namespace {

std::atomic<std::size_t> total{0};

bool is_counted() noexcept {
  const char* const value = std::getenv("ASIO_RDMA_SOFT_MEMLOCK");
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

bool is_too_much(std::size_t before, std::size_t bytes) noexcept {
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  return limit.rlim_cur != RLIM_INFINITY && (bytes > limit.rlim_cur || before > limit.rlim_cur - bytes);
}

}  // namespace

std::size_t charge(const void* address, std::size_t length) noexcept {
  if (!is_counted() || length == 0) return 0;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(address) / page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(address) + length + page - 1) / page;
  const std::size_t bytes = (end - begin) * page;
  std::size_t before = total.load();
  do {
    if (is_too_much(before, bytes)) return refused;
  } while (!total.compare_exchange_weak(before, before + bytes));
  return bytes;
}

void discharge(std::size_t charged) noexcept {
  total -= charged;
}

bool is_beyond_limit(std::size_t bytes) noexcept {
  return is_counted() && is_too_much(total.load(), bytes);
}

}  // namespace memlock
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
