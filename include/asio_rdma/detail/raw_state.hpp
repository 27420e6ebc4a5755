// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_RAW_STATE_HPP
#define ASIO_RDMA_DETAIL_RAW_STATE_HPP

#include <asio_rdma/detail/completion_room.hpp>
#include <asio_rdma/detail/waiting_room.hpp>

#include <memory>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// What a raw connection points to: its link, and the operations that wait for it.
struct raw_state {
  std::shared_ptr<waiting_room<core::raw_link>> setup = std::make_shared<waiting_room<core::raw_link>>();
  std::shared_ptr<completion_room> completions;  ///< from the first asynchronous transfer on

  core::raw_link& link() const noexcept { return setup->core; }

  void close() {
    if (completions) completions->close();
    setup->close();
  }
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
