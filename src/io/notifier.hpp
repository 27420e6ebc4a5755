// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_NOTIFIER_HPP
#define ASIO_RDMA_SRC_IO_NOTIFIER_HPP

#include "io/unique_fd.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// A file descriptor that one thread makes readable for another: an eventfd that is opened when first needed.
class notifier {
public:
  /// False, with errno set, if no descriptor could be had.
  bool open() noexcept;
  int fd() const noexcept { return fd_.get(); }
  explicit operator bool() const noexcept { return static_cast<bool>(fd_); }
  /// Makes the descriptor readable. No effect if it is not open.
  void signal() const noexcept;
  /// Takes the signal back.
  void clear() const noexcept;
  /// Blocks until the descriptor is readable, or a signal handler has run.
  void wait() const noexcept;
  void reset() noexcept { fd_.reset(); }

private:
  unique_fd fd_;
};

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
