// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/wait_list.hpp"

#include "io/notifier.hpp"

#include <poll.h>

namespace asio_rdma {
inline namespace v1 {
namespace io {

struct wait_list::waiter {
  const notifier& wake;
  waiter* next;
};

void wait_list::wake_all() const noexcept {
  for (const waiter* w = first_; w; w = w->next) w->wake.signal();
}

void wait_list::sleep(std::unique_lock<std::mutex>& lock, int fd) noexcept {
  thread_local notifier wake;
  const bool can_be_woken = wake.open();
  waiter self{wake, first_};
  first_ = &self;
  lock.unlock();

  pollfd fds[] = {{fd, POLLIN, 0}, {wake.fd(), POLLIN, 0}};
  // Without a descriptor of its own (none left) the thread looks again every few milliseconds.
  (void)::poll(fds, 2, can_be_woken ? -1 : 5);

  lock.lock();
  waiter** link = &first_;
  while (*link != &self) link = &(*link)->next;
  *link = self.next;
  wake.clear();
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
