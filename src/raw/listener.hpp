// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_RAW_LISTENER_HPP
#define ASIO_RDMA_SRC_RAW_LISTENER_HPP

#include "raw/connection.hpp"

#include <cerrno>
#include <deque>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

/// Hears requests for raw connections, and keeps them until somebody takes them. Thread-safe.
class listener {
public:
  virtual ~listener() = default;

  virtual core::error take(std::shared_ptr<connection>& result) = 0;
  virtual void close() noexcept = 0;

  int fd() const noexcept { return notifier_.fd(); }
  void wait() const noexcept { notifier_.wait(); }
  /// As the user asked for it, with the port chosen.
  sockaddr_storage local_address() const noexcept { return asked_; }

protected:
  listener(const core::raw_settings& s, const sockaddr_storage& asked) : settings_(s), asked_(asked) {}

  /// The request that has waited longest. EAGAIN if none waits, EBADF once closed.
  template <class Request>
  core::error take_first(std::deque<Request>& requests, Request& result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return core::error(EBADF);
    if (requests.empty()) {
      notifier_.clear();
      return core::error(EAGAIN);
    }
    result = std::move(requests.front());
    requests.pop_front();
    return {};
  }

  std::mutex mutex_;
  const core::raw_settings settings_;
  sockaddr_storage asked_;
  std::size_t backlog_ = 1;
  bool closed_ = false;
  io::notifier notifier_;
};

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma

#endif
