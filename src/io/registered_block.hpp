// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_REGISTERED_BLOCK_HPP
#define ASIO_RDMA_SRC_IO_REGISTERED_BLOCK_HPP

#include "io/device_domain.hpp"
#include "io/memory_block.hpp"

#include <asio_rdma/verbs/memory_region.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// Memory on pages of its own that a device knows, or nothing.
class registered_block {
public:
  registered_block() noexcept = default;

  /// Zeroed memory; access as for ibv_reg_mr(). On failure the block stays as it was.
  void create(const device_domain& device, std::size_t size, int access, verbs::error_code& ec) noexcept {
    memory_block memory(size);
    if (!memory) {
      ec = verbs::error_code(errno, boost::system::system_category());
      return;
    }
    memory.prefer_node(device.numa_node);
    auto region = verbs::memory_region::register_memory(device.domain, memory.data(), memory.size(), access, ec);
    if (ec) return;
    reset();
    memory_ = std::move(memory);
    region_ = std::move(region);
  }
  void reset() noexcept {
    region_.reset();
    memory_ = memory_block();
  }

  explicit operator bool() const noexcept { return static_cast<bool>(memory_); }
  std::byte* data() const noexcept { return memory_.data(); }
  std::size_t size() const noexcept { return memory_.size(); }
  std::uint32_t local_key() const noexcept { return region_.lkey(); }
  std::uint32_t remote_key() const noexcept { return region_.rkey(); }

private:
  memory_block memory_;
  verbs::memory_region region_;
};

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
