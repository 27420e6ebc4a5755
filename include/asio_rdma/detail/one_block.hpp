// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_ONE_BLOCK_HPP
#define ASIO_RDMA_DETAIL_ONE_BLOCK_HPP

#include <atomic>
#include <cstddef>
#include <new>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// Memory for one object at a time, within another object, for what is made and freed over and over. A second object,
/// or one too large, comes from the heap. Thread-safe.
class one_block {
public:
  one_block() noexcept = default;
  one_block(const one_block&) = delete;
  one_block& operator=(const one_block&) = delete;

  void* allocate(std::size_t size) {
    if (size <= sizeof block_ && !used_.exchange(true, std::memory_order_acquire)) return block_;
    return ::operator new(size);
  }

  void deallocate(void* p) noexcept {
    if (p == block_) {
      used_.store(false, std::memory_order_release);
    } else {
      ::operator delete(p);
    }
  }

private:
  std::atomic<bool> used_{false};
  alignas(std::max_align_t) unsigned char block_[320];
};

template <class T>
class one_block_allocator {
public:
  using value_type = T;

  explicit one_block_allocator(one_block& block) noexcept : block_(&block) {}
  template <class U>
  one_block_allocator(const one_block_allocator<U>& other) noexcept : block_(other.block_) {}

  T* allocate(std::size_t n) { return static_cast<T*>(block_->allocate(n * sizeof(T))); }
  void deallocate(T* p, std::size_t) noexcept { block_->deallocate(p); }

  friend bool operator==(const one_block_allocator& a, const one_block_allocator& b) noexcept {
    return a.block_ == b.block_;
  }
  friend bool operator!=(const one_block_allocator& a, const one_block_allocator& b) noexcept { return !(a == b); }

private:
  template <class>
  friend class one_block_allocator;
  one_block* block_;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
