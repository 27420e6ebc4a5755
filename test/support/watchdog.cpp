// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Ends a test program whose current case hangs, after it has said where each thread stands: on a machine that nobody
// can log in to, nothing else tells. ASIO_RDMA_TEST_SECONDS says how long a case may take; 0 turns this off.

#include <boost/test/tree/observer.hpp>
#include <boost/test/unit_test.hpp>

#include <execinfo.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr unsigned seconds_by_default = 300;

unsigned seconds_for_a_case() {
  const char* const text = std::getenv("ASIO_RDMA_TEST_SECONDS");
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : seconds_by_default;
}

int time_signal() {
  return SIGRTMAX - 1;
}
int ask_signal() {
  return SIGRTMAX - 2;
}

char current_case[256];
std::atomic<int> answers{0};

void say(const char* text) {
  (void)!::write(STDERR_FILENO, text, std::strlen(text));
}

/// Tells where the thread is that it was sent to.
void tell(int) {
  void* frames[64];
  const int count = ::backtrace(frames, 64);
  say("-- a thread:\n");
  ::backtrace_symbols_fd(frames, count, STDERR_FILENO);
  answers.fetch_add(1);
}

bool asked(long thread) {
  const int before = answers.load();
  if (::syscall(SYS_tgkill, ::getpid(), thread, ask_signal()) != 0) return true;  // it has ended
  for (int i = 0; i < 100; ++i) {
    if (answers.load() != before) return true;
    const timespec pause{0, 10'000'000};
    (void)::nanosleep(&pause, nullptr);
  }
  return false;
}

void show_system_call(const char* thread) {
  char text[256] = "/proc/self/task/";
  std::strcat(text, thread);
  std::strcat(text, "/syscall");
  const int fd = ::open(text, O_RDONLY | O_CLOEXEC);
  const auto n = ::read(fd, text, sizeof text);
  if (n > 0) (void)!::write(STDERR_FILENO, text, static_cast<std::size_t>(n));
  ::close(fd);
}

struct linux_dirent64 {  // getdents64(2); readdir would take memory, whose lock may be what hangs
  std::uint64_t ino;
  std::int64_t off;
  unsigned short reclen;
  unsigned char type;
  char name[1];
};

void time_is_over(int) {
  say("\nwatchdog: this takes too long (ASIO_RDMA_TEST_SECONDS): ");
  say(current_case);
  say("\n");
  const int fd = ::open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  alignas(linux_dirent64) char buffer[4096];
  for (long n; (n = ::syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0;) {
    for (long at = 0; at < n;) {
      const auto* entry = reinterpret_cast<const linux_dirent64*>(buffer + at);
      at += entry->reclen;
      const long thread = std::strtol(entry->name, nullptr, 10);
      if (thread == 0) continue;
      if (thread == ::syscall(SYS_gettid)) {
        tell(0);
      } else if (!asked(thread)) {
        say("-- a thread that blocks signals, by number of system call, its arguments and two addresses:\n");
        show_system_call(entry->name);
      }
    }
  }
  ::_exit(124);
}

class watchdog : public boost::unit_test::test_observer {
public:
  watchdog() {
    if (seconds_ == 0) return;
    void* frame = nullptr;
    (void)::backtrace(&frame, 1);  // the first call loads a library
    struct sigaction action{};
    action.sa_flags = SA_RESTART;
    action.sa_handler = tell;
    (void)::sigaction(ask_signal(), &action, nullptr);
    action.sa_handler = time_is_over;
    (void)::sigaction(time_signal(), &action, nullptr);
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = time_signal();
    (void)::timer_create(CLOCK_MONOTONIC, &event, &timer_);
    boost::unit_test::framework::register_observer(*this);
  }
  ~watchdog() override {
    if (seconds_ == 0) return;
    boost::unit_test::framework::deregister_observer(*this);
    watch("the program's end");  // destructors of static objects can hang, too
  }

private:
  void test_unit_start(const boost::unit_test::test_unit& unit) override {
    if (unit.p_type == boost::unit_test::TUT_CASE) watch(unit.full_name().c_str());
  }

  void watch(const char* name) {
    std::strncpy(current_case, name, sizeof current_case - 1);
    itimerspec time{};
    time.it_value.tv_sec = static_cast<time_t>(seconds_);
    (void)::timer_settime(timer_, 0, &time, nullptr);
  }

  const unsigned seconds_ = seconds_for_a_case();
  timer_t timer_{};
};

BOOST_TEST_GLOBAL_FIXTURE(watchdog);

}  // namespace
