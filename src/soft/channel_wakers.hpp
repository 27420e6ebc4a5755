// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_CHANNEL_WAKERS_HPP
#define ASIO_RDMA_SRC_SOFT_CHANNEL_WAKERS_HPP

#include "soft/descriptor.hpp"

#include <array>
#include <cstdint>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

class peer;

/// Wakes who sleeps on other processes' completion channels, through duplicates of their descriptors (pidfd_getfd(2)),
/// which the kernel gives to whoever may copy from and to a process's memory. It keeps the last ones that were used:
/// few enough to leave a process its descriptors; none of a process that has ended. Thread-safe.
class channel_wakers {
public:
  /// Tells a channel of one more event; fd is its descriptor in its process, and the caller sees to it that the channel
  /// is not destroyed meanwhile. False if the descriptor cannot be had.
  bool wake(const peer& owner, std::uint32_t channel, int fd) noexcept;
  /// Closes what it keeps of a process, which has ended: its instance.
  void forget(std::uint64_t process) noexcept;

private:
  static constexpr std::size_t count = 128;

  struct entry {
    std::mutex mutex;
    std::uint64_t process = 0;  // its instance
    std::uint32_t channel = 0;
    descriptor fd;
  };
  std::array<entry, count> entries_;
};

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
