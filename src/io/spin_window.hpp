// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_SPIN_WINDOW_HPP
#define ASIO_RDMA_SRC_IO_SPIN_WINDOW_HPP

#include <algorithm>
#include <chrono>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// How long it pays to look for completions before sleeping, from how long one had to wait lately. It is what the
/// kernel's KVM does before it halts a processor (Documentation/virt/kvm/halt-polling.rst): waits that a little more
/// patience would have covered make the window larger, one that none could have covered closes it.
class spin_window {
public:
  using duration = std::chrono::nanoseconds;
  static constexpr duration first = std::chrono::microseconds(10);
  /// About what sleeping and waking up costs: to look for longer costs more than it can save.
  static constexpr duration longest = std::chrono::microseconds(50);

  duration length() const noexcept { return length_; }

  /// Something came, after a wait of that long from its beginning, looks included.
  void waited(duration d) noexcept {
    if (d > longest) {
      length_ = duration::zero();
    } else if (d > length_) {
      length_ = std::min(std::max(2 * length_, first), longest);
    }
  }

private:
  duration length_ = duration::zero();
};

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
