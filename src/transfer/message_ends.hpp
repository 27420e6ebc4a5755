// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_MESSAGE_ENDS_HPP
#define ASIO_RDMA_TRANSFER_MESSAGE_ENDS_HPP

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

/// Where messages end in a stream of bytes: stream positions, oldest first. Several at one position are messages of no
/// bytes. Allocates nothing once it is made.
class message_ends {
public:
  explicit message_ends(std::size_t capacity) : positions_(capacity) {}

  bool empty() const noexcept { return size_ == 0; }
  bool full() const noexcept { return size_ == positions_.size(); }
  std::size_t size() const noexcept { return size_; }

  std::uint64_t front() const noexcept {
    assert(!empty());
    return positions_[first_];
  }
  void add(std::uint64_t position) noexcept {
    assert(!full());
    positions_[(first_ + size_++) % positions_.size()] = position;
  }
  void pop() noexcept {
    assert(!empty());
    first_ = (first_ + 1) % positions_.size();
    --size_;
  }

private:
  std::vector<std::uint64_t> positions_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
