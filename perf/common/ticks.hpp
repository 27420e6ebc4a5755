// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_TICKS_HPP
#define ASIO_RDMA_PERF_COMMON_TICKS_HPP

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <chrono>
#include <cstdint>

namespace perf {

/// The processor's own clock: reading it costs some ten nanoseconds and never a system call, which steady_clock needs
/// where the kernel's time source is not the processor's.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// How long a tick is, found by looking at both clocks at the begin and at the end of a measurement: the frequency that
/// the system names is not always the clock's.
class tick_scale {
public:
  tick_scale() noexcept { reset(); }
  void reset() noexcept {
    begin_ = std::chrono::steady_clock::now();
    first_ = ticks();
  }
  /// Nanoseconds of a tick. The longer ago the last reset, the more exact.
  double nanoseconds() const noexcept {
    const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin_;
    const std::uint64_t counted = ticks() - first_;
    return counted == 0 ? 1 : passed.count() / static_cast<double>(counted);
  }

private:
  std::chrono::steady_clock::time_point begin_;
  std::uint64_t first_ = 0;
};

}  // namespace perf

#endif
