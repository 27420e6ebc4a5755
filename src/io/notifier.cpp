// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/notifier.hpp"

#include <poll.h>
#include <sys/eventfd.h>

namespace asio_rdma {
inline namespace v1 {
namespace io {

bool notifier::open() noexcept {
  if (!fd_) fd_ = unique_fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  return static_cast<bool>(fd_);
}

void notifier::signal() const noexcept {
  // A full counter (EAGAIN) is readable already.
  if (fd_) (void)::eventfd_write(fd_.get(), 1);
}

void notifier::clear() const noexcept {
  eventfd_t ignored;
  if (fd_) (void)::eventfd_read(fd_.get(), &ignored);
}

void notifier::wait() const noexcept {
  pollfd ready{fd_.get(), POLLIN, 0};
  (void)::poll(&ready, 1, -1);
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
