// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/memory_block.hpp"

#include <sys/mman.h>

namespace asio_rdma {
inline namespace v1 {
namespace io {

memory_block::memory_block(std::size_t size) noexcept : memory_block(size, 0) {}

memory_block memory_block::on_huge_pages(std::size_t size) noexcept {
  return memory_block(size, MAP_HUGETLB);
}

memory_block::memory_block(std::size_t size, int more_flags) noexcept {
  void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0);
  if (data == MAP_FAILED) return;
  data_ = static_cast<std::byte*>(data);
  size_ = size;
}

memory_block::~memory_block() {
  if (data_) ::munmap(data_, size_);
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
