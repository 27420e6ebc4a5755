// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_SPINNER_HPP
#define ASIO_RDMA_SRC_IO_SPINNER_HPP

#include "io/spin_window.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// Looks for completions before a wait sleeps, as the option busy_poll wants it. Guarded by the mutex of the object
/// that waits.
class spinner {
public:
  using clock = std::chrono::steady_clock;

  /// The value of busy_poll that leaves the time to a spin_window.
  static constexpr int automatic = -1;

  /// Something came.
  void came() noexcept {
    ++traffic_;
    if (waits_) window_.waited(clock::now() - since_);
    waits_ = false;
  }
  /// Something was sent, from which an answer may follow.
  void sent() noexcept {
    ++traffic_;
    waits_ = false;
  }

  /// Looks for as long as busy_poll says (microseconds, or automatic). Once in vain is enough until there is traffic
  /// again, so that what is idle costs nothing. Unlocks between the looks. True if anything has changed: a look found
  /// something, there was traffic meanwhile, or is_over() says so.
  template <class Look, class IsOver>
  bool run(int busy_poll, std::unique_lock<std::mutex>& lock, Look look, IsOver is_over) noexcept {
    if (busy_poll == 0 || traffic_ == in_vain_at_) return false;
    const clock::time_point now = clock::now();
    clock::duration length = std::chrono::microseconds(busy_poll);
    if (busy_poll == automatic) {
      if (!waits_) since_ = now;
      waits_ = true;
      length = window_.length();
    }
    const std::uint64_t before = traffic_;
    for (const clock::time_point end = now + length; clock::now() < end;) {
      if (look() || traffic_ != before || is_over()) return true;
      lock.unlock();
      std::this_thread::yield();  // the peer may need this very processor
      lock.lock();
    }
    in_vain_at_ = before;
    return false;
  }

private:
  std::uint64_t traffic_ = 0;  // counts what came and what was sent
  std::uint64_t in_vain_at_ = 0;
  spin_window window_;
  bool waits_ = false;  // since then, with automatic
  clock::time_point since_{};
};

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
