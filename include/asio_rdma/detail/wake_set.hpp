// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_WAKE_SET_HPP
#define ASIO_RDMA_DETAIL_WAKE_SET_HPP

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// Descriptors that become readable, each told by a number and reported once. One that is closed is forgotten by
/// itself. Not thread-safe.
class wake_set {
public:
  wake_set() noexcept = default;
  wake_set(const wake_set&) = delete;
  wake_set& operator=(const wake_set&) = delete;
  ~wake_set() {
    if (fd_ >= 0) ::close(fd_);
  }

  /// Reports a descriptor the next time that it is readable, or at once if it is. Says whether it can.
  bool add(int fd, std::uint64_t id) noexcept {
    if (fd_ < 0) fd_ = ::epoll_create1(EPOLL_CLOEXEC);
    if (fd_ < 0) return false;
    epoll_event event{};
    event.events = EPOLLIN | EPOLLONESHOT;
    event.data.u64 = id;
    if (::epoll_ctl(fd_, EPOLL_CTL_ADD, fd, &event) == 0) return true;
    return errno == EEXIST && ::epoll_ctl(fd_, EPOLL_CTL_MOD, fd, &event) == 0;
  }

  /// The numbers of descriptors that are readable; never waits.
  std::size_t take(std::uint64_t* ids, std::size_t most) noexcept {
    epoll_event events[64];
    const int n = ::epoll_wait(fd_, events, static_cast<int>(std::min<std::size_t>(most, 64)), 0);
    for (int i = 0; i < n; ++i) ids[i] = events[i].data.u64;
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }

private:
  int fd_ = -1;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
