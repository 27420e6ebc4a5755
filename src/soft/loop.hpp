// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_LOOP_HPP
#define ASIO_RDMA_SRC_SOFT_LOOP_HPP

#include <sys/types.h>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// The helper thread: it sleeps unless something has to be retried or timed, or another process has something to say.
/// It blocks all signals. Its functions are thread-safe; what they are given runs on the thread, with no lock of the
/// loop held.
class loop {
public:
  using clock = std::chrono::steady_clock;
  using task = std::function<void()>;

  loop() = default;
  loop(const loop&) = delete;
  loop& operator=(const loop&) = delete;

  /// Starts the thread. 0 or an errno value.
  int start() noexcept;

  void post(task t);
  void after(clock::duration delay, task t);

  /// Calls f whenever the descriptor is readable or hung up, until unwatch(). The descriptor has to stay open until
  /// then.
  void watch(int fd, task f);
  /// When it returns on the helper thread, f is not called any more; elsewhere one call may still be running.
  void unwatch(int fd) noexcept;

  bool is_current() const noexcept;
  /// The kernel's number of the thread.
  pid_t thread_id() const noexcept { return thread_; }

private:
  void run(std::promise<void> started) noexcept;
  void wake() const noexcept;
  int milliseconds_to_next_timer();

  std::mutex mutex_;
  pid_t thread_ = 0;
  int epoll_ = -1;
  int wake_ = -1;
  std::vector<task> tasks_;
  std::multimap<clock::time_point, task> timers_;
  struct watched {
    std::uint32_t number;  // which watch of the descriptor's number it is
    std::shared_ptr<task> f;
  };
  std::unordered_map<int, watched> watches_;
  std::uint32_t last_watch_ = 0;
};

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
