// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_BUFFERS_HPP
#define ASIO_RDMA_DETAIL_BUFFERS_HPP

#include <boost/asio/buffer.hpp>

#include <sys/uio.h>
#include <cstddef>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// A buffer sequence as the core takes it: its first 64 non-empty buffers, which is as many as Asio passes to the
/// kernel in one call. What is left over is the caller's next operation.
class iovec_array {
public:
  template <class BufferSequence>
  explicit iovec_array(const BufferSequence& buffers) noexcept {
    auto it = boost::asio::buffer_sequence_begin(buffers);
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (; it != end && count_ < capacity; ++it) add(*it);
  }

  const iovec* data() const noexcept { return elements_; }
  std::size_t count() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }

private:
  static constexpr std::size_t capacity = 64;

  void add(boost::asio::mutable_buffer b) noexcept { add(b.data(), b.size()); }
  void add(boost::asio::const_buffer b) noexcept { add(const_cast<void*>(b.data()), b.size()); }
  void add(void* data, std::size_t size) noexcept {
    if (size == 0) return;
    elements_[count_].iov_base = data;
    elements_[count_].iov_len = size;
    ++count_;
  }

  std::size_t count_ = 0;
  iovec elements_[capacity];  // only the first count_ are set
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
