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

std::uint64_t event_of(std::uint32_t watch, int fd) noexcept {
  return std::uint64_t{watch} << 32 | static_cast<std::uint32_t>(fd);
}

int descriptor_of(std::uint64_t event) noexcept {
  return static_cast<int>(static_cast<std::uint32_t>(event));
}

}  // namespace

int loop::start() noexcept {
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = event_of(0, wake_);
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
  epoll_event event{};
  event.events = EPOLLIN;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    event.data.u64 = event_of(++last_watch_, fd);
    watches_[fd] = {last_watch_, std::make_shared<task>(std::move(f))};
  }
  (void)::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

void loop::unwatch(int fd) noexcept {
  (void)::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
  std::shared_ptr<task> last_reference;  // let go of after the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = watches_.find(fd);
  if (found == watches_.end()) return;
  last_reference = std::move(found->second.f);
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
      const int fd = descriptor_of(events[i].data.u64);
      if (fd == wake_) {
        std::uint64_t ignored;
        (void)!::read(wake_, &ignored, sizeof ignored);
        continue;
      }
      std::shared_ptr<task> f;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = watches_.find(fd);
        // The event may be that of a descriptor which was closed by a task before, and whose number was taken again.
        const bool is_its = found != watches_.end() && event_of(found->second.number, fd) == events[i].data.u64;
        if (is_its) f = found->second.f;
      }
      if (f) (*f)();
    }
    for (task& t : due) t();
  }
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
