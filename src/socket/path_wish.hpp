// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_PATH_WISH_HPP
#define ASIO_RDMA_SRC_SOCKET_PATH_WISH_HPP

#include "io/connection_path.hpp"
#include "options/settings.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// What a socket's options wish for its path.
inline io::connection_path wish_of(const settings& s) noexcept {
  io::connection_path wish;
  wish.ack_timeout = s[option::ack_timeout];
  wish.retry_count = s[option::retry_count];
  wish.rnr_retry = s[option::rnr_retry];
  wish.traffic_class = s[option::traffic_class];
  wish.service_level = s[option::service_level];
  wish.hop_limit = s[option::hop_limit];
  wish.pkey = s[option::pkey];
  wish.gid_index = s[option::gid_index];
  return wish;
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
