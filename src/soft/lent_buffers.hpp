// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_LENT_BUFFERS_HPP
#define ASIO_RDMA_SRC_SOFT_LENT_BUFFERS_HPP

#include "soft/segment.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// Memory of the own segment that another process works on: it comes back with its answer, whatever has become of the
/// request meanwhile, or with its death. Thread-safe.
class lent_buffers {
public:
  explicit lent_buffers(segment_heap& heap) noexcept : heap_(heap) {}

  /// 0 if there is no room now.
  std::uint64_t lend(unsigned slot, std::size_t bytes) {
    const std::uint64_t result = heap_.allocate(bytes);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (result != 0) lent_[result] = {slot, bytes};
    return result;
  }
  void take_back(unsigned slot, std::uint64_t buffer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = lent_.find(buffer);
    if (found == lent_.end() || found->second.slot != slot) return;
    heap_.free(buffer, found->second.bytes);
    lent_.erase(found);
  }
  void take_back_all(unsigned slot) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto i = lent_.begin(); i != lent_.end();) {
      if (i->second.slot == slot) {
        heap_.free(i->first, i->second.bytes);
        i = lent_.erase(i);
      } else {
        ++i;
      }
    }
  }

private:
  struct loan {
    unsigned slot;
    std::size_t bytes;
  };

  segment_heap& heap_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, loan> lent_;
};

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
