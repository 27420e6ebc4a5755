// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_RAW_LINK_IMPL_HPP
#define ASIO_RDMA_SRC_RAW_LINK_IMPL_HPP

#include "raw/connection.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace core {

struct raw_link_impl {
  std::shared_ptr<raw::connection> connection;
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
