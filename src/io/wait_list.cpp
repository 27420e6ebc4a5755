// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/wait_list.hpp"

#include "io/notifier.hpp"

#include <poll.h>

#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace io {

struct wait_list::waiter {
  const notifier& wake;
  waiter* next;
};

struct wait_list::attempt {
  const wait_list* list;
  std::uint64_t changes;
};

wait_list::attempt& wait_list::last_attempt() noexcept {
  thread_local attempt instance{nullptr, 0};
  return instance;
}

void wait_list::tried_in_vain() noexcept {
  last_attempt() = {this, changes_};
  if (!in_vain_) in_vain_at_ = changes_;
  in_vain_ = true;
}

bool wait_list::changed_since_attempts() noexcept {
  return std::exchange(in_vain_, false) && in_vain_at_ != changes_;
}

void wait_list::wake_all() noexcept {
  ++changes_;
  for (const waiter* w = first_; w; w = w->next) w->wake.signal();
}

bool wait_list::sleep(std::unique_lock<std::mutex>& lock, int fd) noexcept {
  if (last_attempt().list == this && last_attempt().changes != changes_) return false;
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
  // A signal that came since makes the next sleep a short one, no more.
  if (fds[1].revents != 0) wake.clear();
  return true;
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
