// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/memory_block.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <limits>

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

void memory_block::prefer_node(int node) const noexcept {
  constexpr int bits = std::numeric_limits<unsigned long>::digits;
  std::array<unsigned long, 16> nodes{};  // 1024 of them, as many as the kernel may have
  if (data_ == nullptr || node < 0 || node >= bits * static_cast<int>(nodes.size())) return;
  nodes[static_cast<std::size_t>(node / bits)] = 1ul << node % bits;
  // The kernel reads one bit less than it is told (mbind(2), "maxnode").
  ::syscall(SYS_mbind, data_, size_, MPOL_PREFERRED, nodes.data(), nodes.size() * bits + 1, MPOL_MF_MOVE);
}

memory_block::~memory_block() {
  if (data_) ::munmap(data_, size_);
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
