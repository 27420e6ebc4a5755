// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_DESCRIPTOR_HPP
#define ASIO_RDMA_SRC_SOFT_DESCRIPTOR_HPP

#include <unistd.h>

#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// Owns a file descriptor.
class descriptor {
public:
  explicit descriptor(int fd = -1) noexcept : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }
  explicit operator bool() const noexcept { return fd_ >= 0; }

private:
  int fd_;
};

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
