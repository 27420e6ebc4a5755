// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include <asio_rdma/detail/core/memory.hpp>

#include "io/forked.hpp"
#include "io/huge_pages.hpp"
#include "io/memory_block.hpp"
#include "io/program_memory.hpp"

#include <cerrno>
#include <memory>
#include <new>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace core {

struct memory_impl {
  memory_impl(void* d, std::size_t bytes) : known(d, bytes), data(d), size(bytes) {}
  explicit memory_impl(io::memory_block b)
      : block(std::move(b)), known(block), data(block.data()), size(block.size()) {}

  io::memory_block block;  // outlives what the devices know of it
  io::program_memory known;
  void* data;
  std::size_t size;
};

error memory::allocate(std::size_t size, bool huge_pages, memory& result) noexcept {
  if (io::forked()) return library_error::forked;
  if (size == 0) return error(EINVAL);
  try {
    io::memory_block block;
    if (huge_pages) {
      if (const error e = io::allocate_huge_pages(size, block)) return e;
    } else {
      block = io::memory_block(size);
      if (!block) return error(errno);
    }
    memory made;
    made.impl_ = new memory_impl(std::move(block));
    result = std::move(made);
    return {};
  } catch (const std::bad_alloc&) {
    return error(ENOMEM);
  }
}

error memory::adopt(void* data, std::size_t size, memory& result) noexcept {
  if (io::forked()) return library_error::forked;
  if (data == nullptr || size == 0) return error(EINVAL);
  try {
    memory made;
    made.impl_ = new memory_impl(data, size);
    result = std::move(made);
    return {};
  } catch (const std::bad_alloc&) {
    return error(ENOMEM);
  }
}

memory::memory(memory&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
memory& memory::operator=(memory&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}
memory::~memory() {
  // What a forked child lets go of is the parent's.
  if (!io::forked()) delete impl_;
}

void* memory::data() const noexcept {
  return impl_->data;
}
std::size_t memory::size() const noexcept {
  return impl_->size;
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
