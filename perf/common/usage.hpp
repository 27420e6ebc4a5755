// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_USAGE_HPP
#define ASIO_RDMA_PERF_COMMON_USAGE_HPP

#include <sys/resource.h>

#include <chrono>

namespace perf {

/// Time, and what this process needed for it.
struct usage {
  double seconds = 0;
  double cpu_seconds = 0;  ///< user and system, of all threads
  double sleeps = 0;       ///< how often a thread gave its processor up because it had to wait
};

/// Takes the usage from its making on.
class usage_meter {
public:
  usage operator()() const noexcept {
    const usage now = current();
    return {now.seconds - begin_.seconds, now.cpu_seconds - begin_.cpu_seconds, now.sleeps - begin_.sleeps};
  }

private:
  static usage current() noexcept {
    rusage r;
    ::getrusage(RUSAGE_SELF, &r);
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return {std::chrono::duration<double>(now).count(), seconds_of(r.ru_utime) + seconds_of(r.ru_stime),
            static_cast<double>(r.ru_nvcsw)};
  }
  static double seconds_of(const timeval& t) noexcept {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  }

  usage begin_ = current();
};

}  // namespace perf

#endif
