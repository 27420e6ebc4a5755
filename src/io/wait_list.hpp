// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_WAIT_LIST_HPP
#define ASIO_RDMA_SRC_IO_WAIT_LIST_HPP

#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// The threads that are blocked on one object. Each sleeps on the object's own descriptor and on one of its own, since
/// whichever thread drains a completion queue takes the event that another may have been waiting for.
/// Guarded by the object's mutex.
class wait_list {
public:
  bool empty() const noexcept { return first_ == nullptr; }
  /// Wakes every thread in the list.
  void wake_all() const noexcept;
  /// Unlocks, sleeps until woken or until fd (none if -1) is readable, locks again.
  void sleep(std::unique_lock<std::mutex>& lock, int fd) noexcept;

private:
  struct waiter;
  waiter* first_ = nullptr;
};

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
