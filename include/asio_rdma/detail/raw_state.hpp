// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_RAW_STATE_HPP
#define ASIO_RDMA_DETAIL_RAW_STATE_HPP

#include <asio_rdma/detail/core/raw.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// What a raw connection shares with its asynchronous operations.
struct raw_state {
  core::raw_link link;

  void close() noexcept { link.close(); }
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
