// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// To be preloaded into a program: delays its threads at random where they meet (mutexes, and calls that wake or wait),
// so that what goes wrong once in a thousand runs goes wrong in ten. ASIO_RDMA_TEST_SHAKE says how many of 1000 calls
// are delayed, by up to 16 ms (10 if it is not set).

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

using mutex_function = int (*)(pthread_mutex_t*);

std::uint64_t delays_in_a_thousand() noexcept {
  const char* const text = std::getenv("ASIO_RDMA_TEST_SHAKE");
  return text ? std::strtoul(text, nullptr, 10) : 10;
}

/// Marsaglia's xorshift64, for each thread its own.
std::uint64_t random_number() noexcept {
  thread_local std::uint64_t state = 0;
  if (state == 0) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    state = (static_cast<std::uint64_t>(now.tv_nsec) << 20 ^ static_cast<std::uint64_t>(::syscall(SYS_gettid))) | 1;
  }
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

void shake() noexcept {
  static const std::uint64_t rate = delays_in_a_thousand();
  const std::uint64_t n = random_number();
  if (n % 1000 >= rate) return;
  const int before = errno;
  // One delay in eight is long.
  const long microseconds = static_cast<long>((n >> 20) % 4000) * ((n >> 50) % 8 == 0 ? 4 : 1);
  const timespec pause{0, microseconds * 1000};
  (void)::syscall(SYS_nanosleep, &pause, nullptr);
  errno = before;
}

mutex_function real(const char* name) noexcept {
  return reinterpret_cast<mutex_function>(::dlsym(RTLD_NEXT, name));
}

template <class... Arguments>
long shaken_call(long number, Arguments... arguments) noexcept {
  shake();
  const long result = ::syscall(number, arguments...);
  shake();
  return result;
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* data, std::size_t size) {
  return shaken_call(SYS_write, fd, data, size);
}

ssize_t read(int fd, void* data, std::size_t size) {
  return shaken_call(SYS_read, fd, data, size);
}

int epoll_wait(int epoll, epoll_event* events, int count, int timeout) {
  return static_cast<int>(shaken_call(SYS_epoll_wait, epoll, events, count, timeout));
}

int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
  return static_cast<int>(shaken_call(SYS_epoll_ctl, epoll, operation, fd, event));
}

int poll(pollfd* fds, nfds_t count, int timeout) {
  return static_cast<int>(shaken_call(SYS_poll, fds, count, timeout));
}

int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  static const mutex_function lock = real("pthread_mutex_lock");
  shake();
  return lock(m);
}

int pthread_mutex_unlock(pthread_mutex_t* m) noexcept {
  static const mutex_function unlock = real("pthread_mutex_unlock");
  const int result = unlock(m);
  shake();
  return result;
}

}  // extern "C"
