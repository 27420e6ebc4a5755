// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_DETAIL_NONBLOCKING_HPP
#define ASIO_RDMA_VERBS_DETAIL_NONBLOCKING_HPP

#include <asio_rdma/verbs/detail/error.hpp>

#include <fcntl.h>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {
namespace detail {

inline void set_nonblocking(int fd, bool on, error_code& ec) noexcept {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) {
    ec = make_error(errno);
    return;
  }
  check(::fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK), ec);
}

}  // namespace detail
}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
