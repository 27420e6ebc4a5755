// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_STALL_CLOCK_HPP
#define ASIO_RDMA_SRC_SOCKET_STALL_CLOCK_HPP

#include <chrono>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// Counts how often something was held up, and for how long. While nothing is, it never looks at the clock.
class stall_clock {
public:
  using clock = std::chrono::steady_clock;

  /// Whether it is held up now; moved: something went on since the last call, so that a new stall begins.
  void update(bool stalled, bool moved) noexcept {
    if (stalled ? !stalled_ || moved : stalled_) change(stalled);
  }

  bool is_running() const noexcept { return stalled_; }
  std::uint64_t count() const noexcept { return count_; }
  /// All stalls together, the present one included.
  std::chrono::nanoseconds time() const noexcept { return stalled_ ? time_ + (clock::now() - since_) : time_; }

private:
  void change(bool stalled) noexcept {
    const auto now = clock::now();
    if (stalled_) time_ += now - since_;
    if (stalled) ++count_;
    stalled_ = stalled;
    since_ = now;
  }

  bool stalled_ = false;
  std::uint64_t count_ = 0;
  std::chrono::nanoseconds time_{0};
  clock::time_point since_{};
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
