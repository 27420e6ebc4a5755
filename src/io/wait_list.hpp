// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_WAIT_LIST_HPP
#define ASIO_RDMA_SRC_IO_WAIT_LIST_HPP

#include <cstdint>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// Who waits for one object: threads that are blocked on it, and its owner, who waits on a descriptor elsewhere. A
/// thread sleeps on the object's own descriptor and on one of its own, since whichever thread drains a completion queue
/// takes the event that another may have been waiting for. For the same reason nobody may go to sleep over a change
/// that came after he had tried something: neither a thread nor the owner, who tries several things before he waits for
/// all of them. Guarded by the object's mutex.
class wait_list {
public:
  /// Something has changed: wakes every thread in the list, and those that are on their way into it.
  void wake_all() noexcept;
  /// The calling thread has tried something in vain. Its next sleep() here returns at once if anything changes until
  /// then: another thread may take the very completion that it is about to wait for.
  void tried_in_vain() noexcept;
  /// For the owner who is about to wait: whether anything has changed since the first attempt in vain after the last
  /// call.
  bool changed_since_attempts() noexcept;
  /// Unlocks, sleeps until woken or until fd (none if -1) is readable, locks again. False if it did not sleep, since
  /// something has changed.
  bool sleep(std::unique_lock<std::mutex>& lock, int fd) noexcept;

private:
  struct waiter;
  struct attempt;
  static attempt& last_attempt() noexcept;
  waiter* first_ = nullptr;
  std::uint64_t changes_ = 0;
  bool in_vain_ = false;  // an attempt was, since the owner last asked
  std::uint64_t in_vain_at_ = 0;  // changes_ then
};

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
