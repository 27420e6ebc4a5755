// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/loop.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

thread_local const loop* current = nullptr;

}  // namespace

int loop::start() noexcept {
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake_;
  if (epoll_ < 0 || wake_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event) != 0) return errno;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int result = 0;
  try {
    std::promise<void> started;
    std::future<void> is_started = started.get_future();
    std::thread([this, &started] { run(std::move(started)); }).detach();  // it ends with the process
    is_started.get();
  } catch (const std::system_error& e) {
    result = e.code().value();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return result;
}

bool loop::is_current() const noexcept {
  return current == this;
}

void loop::wake() const noexcept {
  const std::uint64_t one = 1;
  while (::write(wake_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void loop::post(task t) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    tasks_.push_back(std::move(t));
  }
  wake();
}

void loop::after(clock::duration delay, task t) {
  bool is_first = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto added = timers_.emplace(clock::now() + delay, std::move(t));
    is_first = added == timers_.begin();
  }
  if (is_first && !is_current()) wake();
}

void loop::watch(int fd, task f) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    watches_[fd] = std::make_shared<task>(std::move(f));
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  (void)::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

void loop::unwatch(int fd) noexcept {
  (void)::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
  std::shared_ptr<task> last_reference;  // let go of after the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = watches_.find(fd);
  if (found == watches_.end()) return;
  last_reference = std::move(found->second);
  watches_.erase(found);
}

int loop::milliseconds_to_next_timer() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!tasks_.empty()) return 0;
  if (timers_.empty()) return -1;
  const auto left = timers_.begin()->first - clock::now();
  if (left <= clock::duration::zero()) return 0;
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::min<decltype(ms)>(ms, 3'600'000));
}

void loop::run(std::promise<void> started) noexcept {
  current = this;
  thread_ = static_cast<pid_t>(::syscall(SYS_gettid));
  started.set_value();
  ::pthread_setname_np(::pthread_self(), "asio_rdma_soft0");
  for (;;) {
    epoll_event events[64];
    const int count = ::epoll_wait(epoll_, events, 64, milliseconds_to_next_timer());
    std::vector<task> due;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      due.swap(tasks_);
      const auto now = clock::now();
      while (!timers_.empty() && timers_.begin()->first <= now) {
        due.push_back(std::move(timers_.begin()->second));
        timers_.erase(timers_.begin());
      }
    }
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      if (fd == wake_) {
        std::uint64_t ignored;
        (void)!::read(wake_, &ignored, sizeof ignored);
        continue;
      }
      std::shared_ptr<task> f;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = watches_.find(fd);
        if (found != watches_.end()) f = found->second;
      }
      if (f) (*f)();
    }
    for (task& t : due) t();
  }
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
