// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_DEVICE_HPP
#define ASIO_RDMA_SRC_SOFT_DEVICE_HPP

#include "soft/loop.hpp"
#include "soft/peer.hpp"
#include "soft/segment.hpp"

#include <infiniband/verbs.h>

#include <cstddef>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// What this process has of soft0. Opened by the first use, never closed: the kernel takes it all back with the process.
class device {
public:
  /// Null, with errno set, if it cannot be opened; the next call tries again.
  static device* instance() noexcept;

  loop& helper() noexcept { return helper_; }
  segment& memory() noexcept { return memory_; }
  segment_heap& heap() noexcept { return heap_; }
  peers& processes() noexcept { return processes_; }
  unsigned slot() const noexcept { return memory_.header().slot; }

  /// The context that the connection manager gives to its ids; all its ids share it (rdma_cm(7)).
  ibv_context* cm_context() noexcept;

private:
  device() noexcept : processes_(helper_, memory_) {}
  int open() noexcept;

  loop helper_;
  segment memory_;
  segment_heap heap_;
  peers processes_;
};

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
