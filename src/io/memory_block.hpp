// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_MEMORY_BLOCK_HPP
#define ASIO_RDMA_SRC_IO_MEMORY_BLOCK_HPP

#include <cstddef>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// Zeroed memory on pages of its own, so that registering it pins nothing else.
class memory_block {
public:
  memory_block() noexcept = default;
  /// Empty, with errno set, if there is no memory.
  explicit memory_block(std::size_t size) noexcept;
  /// The same on huge pages, whose size, that of the system's default ones, size is a multiple of.
  static memory_block on_huge_pages(std::size_t size) noexcept;
  memory_block(memory_block&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  memory_block& operator=(memory_block&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~memory_block();

  /// Puts the pages on a NUMA node, such as that of the device they are about to be registered with, which pins them
  /// where they are. As far as there is memory and the system lets us: elsewhere they are slower, not wrong. A negative
  /// node changes nothing.
  void prefer_node(int node) const noexcept;

  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  explicit operator bool() const noexcept { return data_ != nullptr; }

private:
  memory_block(std::size_t size, int more_flags) noexcept;

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
