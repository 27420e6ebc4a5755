// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_BACKGROUND_HPP
#define ASIO_RDMA_SRC_IO_BACKGROUND_HPP

#include "io/notifier.hpp"
#include "io/unique_fd.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// The library's one internal thread: what the kernel does for TCP while no thread of the program is in a call.
/// It sleeps unless a watched descriptor is readable, a timer is due or a task was posted; it blocks all signals and
/// never runs user code. Its functions are thread-safe.
class background {
public:
  using clock = std::chrono::steady_clock;
  using task = std::function<void()>;

  /// Something with a descriptor that the thread looks after.
  class watched {
  public:
    /// Or writable, as it was armed for.
    virtual void on_readable() noexcept = 0;

  protected:
    ~watched() = default;
  };
  using watch_id = std::uint64_t;

  /// The process's instance, which is never destroyed.
  static background& instance();

  /// Starts the thread if it does not run. 0 or an errno value.
  int start() noexcept;

  void post(task t);

  /// Names a timer; default-constructed it names none.
  struct timer {
    clock::time_point when{};
    std::uint64_t number = 0;
    bool operator<(const timer& other) const noexcept {
      return when != other.when ? when < other.when : number < other.number;
    }
  };
  timer after(clock::duration delay, task t);
  /// Forgets a timer and its task, unless it runs already or has run.
  void cancel(const timer& t) noexcept;

  /// Registers a descriptor; nothing is watched before arm().
  watch_id add(int fd, std::weak_ptr<watched> object);
  /// Calls on_readable() once when the descriptor is, or already was, readable.
  void arm(watch_id id, int fd) noexcept;
  /// The same when it is writable.
  void arm_writable(watch_id id, int fd) noexcept;
  void remove(watch_id id, int fd) noexcept;

  /// Runs a function at normal exit of the process, on the exiting thread, before the internal thread is stopped.
  void at_exit(task t);

private:
  background() = default;
  void run() noexcept;
  void run_due(std::vector<task>& due) noexcept;
  int milliseconds_to_next_timer();
  void control(int operation, watch_id id, int fd, std::uint32_t events) noexcept;
  void stop() noexcept;

  std::mutex mutex_;
  bool started_ = false;
  bool stopping_ = false;
  bool stopped_ = false;
  std::condition_variable has_stopped_;
  unique_fd epoll_;
  notifier wake_;
  std::vector<task> tasks_;
  std::map<timer, task> timers_;
  std::uint64_t next_timer_ = 1;
  std::unordered_map<watch_id, std::weak_ptr<watched>> watches_;
  watch_id next_watch_ = 1;
  std::vector<task> exit_tasks_;
};

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
