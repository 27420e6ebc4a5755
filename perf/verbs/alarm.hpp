// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_VERBS_ALARM_HPP
#define ASIO_RDMA_PERF_VERBS_ALARM_HPP

#include <signal.h>
#include <sys/time.h>

namespace perf::verbs {

/// Interrupts system calls that block (EINTR), again and again, ten times a second as long as it lives: so that one
/// that may wait for ever needs no other call before it that waits for so long only. Asio's blocking calls fail when
/// they are interrupted: make none meanwhile.
class alarm {
public:
  alarm() {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGALRM, &action, nullptr);  // without SA_RESTART
    set(100000);
  }
  alarm(const alarm&) = delete;
  alarm& operator=(const alarm&) = delete;
  ~alarm() { set(0); }

private:
  static void set(long microseconds) {
    const itimerval value{{0, microseconds}, {0, microseconds}};
    ::setitimer(ITIMER_REAL, &value, nullptr);
  }
};

}  // namespace perf::verbs

#endif
