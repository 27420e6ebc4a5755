// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_ERROR_INTERNED_HPP
#define ASIO_RDMA_SRC_ERROR_INTERNED_HPP

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// Numbers, from 1 on, for things that errors have to name: an error is a number only. Each thing is kept once, and for
/// ever, since error codes live as long as they like. Thread-safe.
template <class T, int Capacity, class Same = std::equal_to<>>
class interned {
public:
  static constexpr int capacity = Capacity;

  /// 0 if there is no place left.
  int intern(const T& value) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (int i = 0; i < size_; ++i)
      if (Same()(at(i), value)) return i + 1;
    if (size_ == Capacity) return 0;
    at(size_) = value;
    return ++size_;
  }

  bool find(int number, T& value) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (number < 1 || number > size_) return false;
    value = at(number - 1);
    return true;
  }

private:
  T& at(int index) noexcept { return values_[static_cast<std::size_t>(index)]; }

  std::mutex mutex_;
  std::array<T, Capacity> values_;
  int size_ = 0;
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
