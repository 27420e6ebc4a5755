// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_CORE_MEMORY_HPP
#define ASIO_RDMA_DETAIL_CORE_MEMORY_HPP

#include <asio_rdma/detail/core/config.hpp>
#include <asio_rdma/detail/core/error.hpp>

#include <cstddef>

namespace asio_rdma {
inline namespace v1 {
namespace core {

struct memory_impl;

/// Memory that sockets may hand to their devices as it is, which find it by its address. Each device registers it when
/// a socket first needs it there. It has to outlive the operations that use it. Move-only.
class memory {
public:
  memory() noexcept = default;
  ASIO_RDMA_DECL memory(memory&&) noexcept;
  ASIO_RDMA_DECL memory& operator=(memory&&) noexcept;
  ASIO_RDMA_DECL ~memory();
  explicit operator bool() const noexcept { return impl_ != nullptr; }

  /// Zeroed memory on pages of its own, huge ones if asked for, to which the size is rounded up. EINVAL for no bytes.
  ASIO_RDMA_DECL static error allocate(std::size_t size, bool huge_pages, memory& result) noexcept;
  /// The caller's memory, which has to stay until this is destroyed.
  ASIO_RDMA_DECL static error adopt(void* data, std::size_t size, memory& result) noexcept;

  ASIO_RDMA_DECL void* data() const noexcept;
  ASIO_RDMA_DECL std::size_t size() const noexcept;

private:
  memory_impl* impl_ = nullptr;
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
