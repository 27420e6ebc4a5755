// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_REGISTERED_RESOURCE_HPP
#define ASIO_RDMA_REGISTERED_RESOURCE_HPP

#include <asio_rdma/registered_buffer.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <new>
#include <utility>

namespace asio_rdma {
inline namespace v1 {

/// Registered memory for containers: what lies in a std::pmr::vector or std::pmr::string of it can be sent without a
/// copy, by registered(boost::asio::buffer(container)).
///
/// What is given back is kept and used again, so that devices need not register it again; but for pieces that are too
/// large to be pooled (4 MiB with libstdc++), which are registered each time. Everything goes when the resource is
/// destroyed. Thread-safe. Throws std::bad_alloc.
class registered_resource final : public std::pmr::memory_resource {
public:
  /// Makes its memory of these pages. Allocates nothing yet.
  explicit registered_resource(memory_pages pages = memory_pages::normal)
      : blocks_(pages), pool_(std::pmr::pool_options{0, std::size_t{4} << 20}, &blocks_) {}

private:
  /// Gives each piece a registered_buffer of its own.
  class block_resource final : public std::pmr::memory_resource {
  public:
    explicit block_resource(memory_pages pages) noexcept : pages_(pages) {}

  private:
    static constexpr std::size_t alignment_of_pages = 4096;

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
      // Pools want chunks aligned as their blocks are, which can be more than memory is by itself.
      std::size_t room = bytes + (alignment > alignment_of_pages ? alignment : 0);
      if (room < bytes) throw std::bad_alloc();
      if (room == 0) room = 1;
      boost::system::error_code ec;
      registered_buffer made = registered_buffer::create(room, pages_, ec);
      if (ec) throw std::bad_alloc();
      void* result = made.data();
      std::align(alignment, bytes, result, room);
      const std::lock_guard<std::mutex> lock(mutex_);
      blocks_.emplace(result, std::move(made));
      return result;
    }
    void do_deallocate(void* p, std::size_t, std::size_t) override {
      const std::lock_guard<std::mutex> lock(mutex_);
      blocks_.erase(p);
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

    const memory_pages pages_;
    std::mutex mutex_;
    std::map<void*, registered_buffer> blocks_;
  };

  void* do_allocate(std::size_t bytes, std::size_t alignment) override { return pool_.allocate(bytes, alignment); }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    pool_.deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  block_resource blocks_;
  std::pmr::synchronized_pool_resource pool_;
};

}  // namespace v1
}  // namespace asio_rdma

#endif
