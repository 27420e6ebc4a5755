// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SUPPORT_NO_DESCRIPTORS_HPP
#define ASIO_RDMA_TEST_SUPPORT_NO_DESCRIPTORS_HPP

#include <sys/resource.h>
#include <unistd.h>

namespace test_support {

/// While it lives, this process gets no descriptors any more; those that it has stay.
class no_descriptors {
public:
  no_descriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::dup(STDIN_FILENO);  // not 0: poll(2) takes no more than the limit either
    ::close(next);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  no_descriptors(const no_descriptors&) = delete;
  no_descriptors& operator=(const no_descriptors&) = delete;
  ~no_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
  rlimit before_{};
};

}  // namespace test_support

#endif
