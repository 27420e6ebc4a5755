// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_ERROR_DIAGNOSIS_HPP
#define ASIO_RDMA_SRC_ERROR_DIAGNOSIS_HPP

namespace asio_rdma {
inline namespace v1 {
namespace core {

class text;

/// Looks at the machine, and adds why no device can be used and what to do about it.
void describe_missing_device(text& out);

/// Adds the limit on locked memory of this process, and how to raise it.
void describe_memlock_limit(text& out);

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
