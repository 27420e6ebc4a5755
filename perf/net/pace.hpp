// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_NET_PACE_HPP
#define ASIO_RDMA_PERF_NET_PACE_HPP

#include "../common/end.hpp"
#include "../common/usage.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace perf::net {

/// When a phase is over for a sender, and which part of it counts.
class pace {
public:
  using clock = std::chrono::steady_clock;

  explicit pace(const phase& p) : phase_(p), begin_(clock::now()) {
    if (p.margin == 0) open();
  }

  /// To be asked before a message is sent, with the number of those sent before on this connection.
  bool is_last(std::uint64_t sent_here) {
    if (phase_.seconds == 0) return sent_here + 1 >= phase_.messages;
    const double passed = std::chrono::duration<double>(clock::now() - begin_).count();
    if (!meter_ && passed >= phase_.margin) open();
    if (!closed_ && phase_.margin > 0 && passed >= phase_.seconds - phase_.margin) close();
    return passed >= phase_.seconds;
  }
  /// Whether what is measured now counts.
  bool is_open() const noexcept { return meter_ && !closed_; }
  void count() noexcept { counted_ += is_open() ? 1 : 0; }

  /// To be called when everything has arrived.
  void finish(result& r) {
    if (!closed_) close();
    r.used = used_;
    r.messages = counted_;
  }

private:
  void open() { meter_.emplace(); }
  void close() {
    if (!meter_) open();
    used_ = (*meter_)();
    closed_ = true;
  }

  phase phase_;
  clock::time_point begin_;
  std::optional<usage_meter> meter_;
  usage used_;
  bool closed_ = false;
  std::uint64_t counted_ = 0;
};

}  // namespace perf::net

#endif
