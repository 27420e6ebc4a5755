// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/background.hpp"

#include "io/forked.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <system_error>

namespace asio_rdma {
inline namespace v1 {
namespace io {

namespace {

constexpr background::watch_id wake_id = 0;

/// Blocks all signals for the current scope, so that a thread created in it never runs a user's signal handler.
class signal_block {
public:
  signal_block() noexcept {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &former_);
  }
  ~signal_block() { ::pthread_sigmask(SIG_SETMASK, &former_, nullptr); }
  signal_block(const signal_block&) = delete;
  signal_block& operator=(const signal_block&) = delete;

private:
  sigset_t former_;
};

}  // namespace

background& background::instance() {
  static background& b = *new background;
  return b;
}

int background::start() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (started_) return 0;
  if (!epoll_) epoll_ = unique_fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_ || !wake_.open()) return errno;
  control(EPOLL_CTL_ADD, wake_id, wake_.fd(), EPOLLIN);
  watch_forks();
  try {
    const signal_block no_signals;
    std::thread([this] { run(); }).detach();
  } catch (const std::system_error& e) {
    return e.code().value();
  }
  started_ = true;
  std::atexit([] { instance().stop(); });
  return 0;
}

void background::post(task t) {
  const std::lock_guard<std::mutex> lock(mutex_);
  tasks_.push_back(std::move(t));
  wake_.signal();
}

background::timer background::after(clock::duration delay, task t) {
  timer key{clock::now() + delay};
  const std::lock_guard<std::mutex> lock(mutex_);
  key.number = next_timer_++;
  const auto added = timers_.emplace(key, std::move(t)).first;  // not within the comparison, whose sides have no order
  if (added == timers_.begin()) wake_.signal();
  return key;
}

void background::cancel(const timer& t) noexcept {
  task forgotten;  // dies after the lock is gone: it may be the last that holds something
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = timers_.find(t);
  if (found == timers_.end()) return;
  forgotten = std::move(found->second);
  timers_.erase(found);
}

background::watch_id background::add(int fd, std::weak_ptr<watched> object) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const watch_id id = next_watch_++;
  watches_.emplace(id, std::move(object));
  control(EPOLL_CTL_ADD, id, fd, EPOLLONESHOT);
  return id;
}

void background::arm(watch_id id, int fd) noexcept {
  control(EPOLL_CTL_MOD, id, fd, EPOLLIN | EPOLLONESHOT);
}

void background::arm_writable(watch_id id, int fd) noexcept {
  control(EPOLL_CTL_MOD, id, fd, EPOLLOUT | EPOLLONESHOT);
}

void background::remove(watch_id id, int fd) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  watches_.erase(id);
  control(EPOLL_CTL_DEL, id, fd, 0);
}

void background::at_exit(task t) {
  const std::lock_guard<std::mutex> lock(mutex_);
  exit_tasks_.push_back(std::move(t));
}

void background::control(int operation, watch_id id, int fd, std::uint32_t events) noexcept {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = id;
  (void)::epoll_ctl(epoll_.get(), operation, fd, &event);
}

int background::milliseconds_to_next_timer() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!tasks_.empty() || stopping_) return 0;
  if (timers_.empty()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first.when - clock::now()).count();
  return left < 0 ? 0 : left > INT_MAX ? INT_MAX : static_cast<int>(left);
}

void background::run_due(std::vector<task>& due) noexcept {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    wake_.clear();
    due.swap(tasks_);
    const auto end = timers_.upper_bound({clock::now(), ~std::uint64_t{0}});
    for (auto next = timers_.begin(); next != end; ++next) due.push_back(std::move(next->second));
    timers_.erase(timers_.begin(), end);
  }
  for (const task& t : due) t();
  due.clear();
}

void background::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "asio_rdma");
  std::vector<task> due;
  for (;;) {
    epoll_event events[64];
    const int n = ::epoll_wait(epoll_.get(), events, 64, milliseconds_to_next_timer());
    for (int i = 0; i < n; ++i) {
      const std::uint64_t id = events[i].data.u64;  // a copy: an event is packed, and no reference may go into it
      if (id == wake_id) continue;
      std::shared_ptr<watched> object;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = watches_.find(id);
        if (found != watches_.end()) object = found->second.lock();
      }
      if (object) object->on_readable();
    }
    run_due(due);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) {
      stopped_ = true;
      has_stopped_.notify_all();
      return;
    }
  }
}

void background::stop() noexcept {
  if (forked()) return;  // the parent's thread
  std::unique_lock<std::mutex> lock(mutex_);
  const std::vector<task> tasks = std::move(exit_tasks_);
  lock.unlock();
  for (const task& t : tasks) t();
  lock.lock();
  stopping_ = true;
  wake_.signal();
  // The thread must be out of rdma-core before the latter's own destructors run.
  has_stopped_.wait_for(lock, std::chrono::seconds(1), [this] { return stopped_; });
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
