// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_WINDOW_HPP
#define ASIO_RDMA_PERF_COMMON_WINDOW_HPP

#include "end.hpp"
#include "usage.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace perf {

/// The part of a phase that counts: all of it, but for the margins of one that takes a given time.
class window {
public:
  explicit window(const phase& p) : phase_(p), begin_(clock::now()) {
    if (p.margin == 0) open(0);
  }

  /// Whether a phase's time is over; looks at the clock.
  /// @param done messages so far
  bool is_over(std::uint64_t done) {
    const double passed = std::chrono::duration<double>(clock::now() - begin_).count();
    if (!meter_ && passed >= phase_.margin) open(done);
    if (is_open() && phase_.margin > 0 && passed >= phase_.seconds - phase_.margin) close(done);
    return passed >= phase_.seconds;
  }

  bool is_open() const noexcept { return meter_ && !closed_; }

  /// Ends the measurement now, if it has not ended before, and tells what it came to.
  void finish(std::uint64_t done, result& r) {
    if (!meter_) open(done);
    if (!closed_) close(done);
    r.used = used_;
    r.messages = last_ - first_;
  }

private:
  using clock = std::chrono::steady_clock;

  void open(std::uint64_t done) {
    first_ = done;
    meter_.emplace();
  }
  void close(std::uint64_t done) {
    used_ = (*meter_)();
    last_ = done;
    closed_ = true;
  }

  phase phase_;
  clock::time_point begin_;
  std::optional<usage_meter> meter_;
  usage used_;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  bool closed_ = false;
};

}  // namespace perf

#endif
