// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_SEGMENT_HPP
#define ASIO_RDMA_SRC_SOFT_SEGMENT_HPP

#include "soft/layout.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// A mapping of a process's segment: its own, or another's. The memory has no name in any file system: it is passed as
/// a descriptor to processes of the same user only.
class segment {
public:
  segment() noexcept = default;
  segment(const segment&) = delete;
  segment& operator=(const segment&) = delete;
  ~segment();

  /// Makes this process's own. 0 or an errno value.
  int create(unsigned slot) noexcept;
  /// Maps another process's, instead of what was mapped before. EPROTO if it is not one of this version.
  int map(int fd) noexcept;

  segment_header& header() const noexcept { return *static_cast<segment_header*>(base_); }
  void* base() const noexcept { return base_; }
  int fd() const noexcept { return fd_; }

private:
  void* base_ = nullptr;
  int fd_ = -1;
};

/// Memory of the own segment. Thread-safe; what is freed is used again, but never given back to the system.
class segment_heap {
public:
  void open(segment& s) noexcept;
  /// An offset in the segment; 0 if it is full. The memory is aligned to 64 bytes.
  std::uint64_t allocate(std::size_t bytes);
  void free(std::uint64_t offset, std::size_t bytes) noexcept;
  /// The end of what was ever allocated.
  std::uint64_t end() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return next_;
  }

private:
  std::mutex mutex_;
  std::uint64_t next_ = 0;
  std::multimap<std::size_t, std::uint64_t> free_;  // by size, which allocate() rounds up to powers of two
};

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
