// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/new_queue_pair.hpp"

#include "io/verbs_error.hpp"

#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace io {

core::error new_queue_pair(verbs::ref<ibv_pd> domain, ibv_qp_init_attr& attributes, verbs::queue_pair& result) {
  verbs::error_code ec;
  for (ibv_qp_init_attr asked = attributes;; asked.cap.max_inline_data /= 2) {
    attributes = asked;
    result = verbs::queue_pair::create(domain, attributes, ec);
    if (!ec) return {};
    // Devices differ in what they take inline and do not say how much; EINVAL may mean that it was too much.
    if (ec.value() != EINVAL || asked.cap.max_inline_data == 0) break;
  }
  return ec.value() == ENOMEM ? core::error(core::library_error::device_limit) : to_error(ec);
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
