// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_INDEX_POOL_HPP
#define ASIO_RDMA_SRC_SOFT_INDEX_POOL_HPP

#include <algorithm>
#include <mutex>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// Gives out the numbers from first up to below end. A number that was given back is used again as late as possible, so
/// that what is old and names it finds nobody. Thread-safe.
class index_pool {
public:
  index_pool(unsigned first, unsigned end) : first_(first), next_(first), used_(end, false) {}

  /// A free number; the end if there is none.
  unsigned take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto end = static_cast<unsigned>(used_.size());
    for (unsigned i = first_; i < end; ++i, ++next_) {
      if (next_ >= end) next_ = first_;
      if (used_[next_]) continue;
      used_[next_] = true;
      return next_++;
    }
    return end;
  }
  /// How many are in use.
  unsigned count() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<unsigned>(std::count(used_.begin(), used_.end(), true));
  }
  void give_back(unsigned index) {
    const std::lock_guard<std::mutex> lock(mutex_);
    used_[index] = false;
  }

private:
  const unsigned first_;
  std::mutex mutex_;
  unsigned next_;
  std::vector<bool> used_;
};

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
