// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_BUFFERS_HPP
#define ASIO_RDMA_DETAIL_BUFFERS_HPP

#include <asio_rdma/detail/core/system.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/registered_buffer.hpp>

#include <cstddef>
#include <type_traits>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// Buffers whose memory a device may be given as it is.
template <class Buffers>
inline constexpr bool is_registered_buffer = std::is_same_v<Buffers, boost::asio::mutable_registered_buffer> ||
                                             std::is_same_v<Buffers, boost::asio::const_registered_buffer>;

template <class Buffers>
inline constexpr bool is_mutable_registered_buffer = std::is_same_v<Buffers, boost::asio::mutable_registered_buffer>;

/// A buffer sequence as the core takes it: its first 64 non-empty buffers, which is as many as Asio passes to the
/// kernel in one call. What is left over is the caller's next operation.
class iovec_array {
public:
  /// Without the first skip bytes, which were dealt with before.
  template <class BufferSequence>
  explicit iovec_array(const BufferSequence& buffers, std::size_t skip = 0) noexcept {
    auto it = boost::asio::buffer_sequence_begin(buffers);
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (; it != end && count_ < capacity; ++it) {
      const boost::asio::const_buffer b(*it);  // of either kind, and not all iterators have an operator->
      const std::size_t skipped = skip < b.size() ? skip : b.size();
      skip -= skipped;
      add(b + skipped);
    }
    is_all_ = it == end;
  }

  const iovec* data() const noexcept { return elements_; }
  std::size_t count() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  /// False if there were more buffers than it has room for.
  bool is_all() const noexcept { return is_all_; }
  std::size_t total() const noexcept {
    std::size_t result = 0;
    for (std::size_t i = 0; i < count_; ++i) result += elements_[i].iov_len;
    return result;
  }

private:
  static constexpr std::size_t capacity = 64;

  void add(boost::asio::const_buffer b) noexcept {
    if (b.size() == 0) return;
    elements_[count_].iov_base = const_cast<void*>(b.data());
    elements_[count_].iov_len = b.size();
    ++count_;
  }

  std::size_t count_ = 0;
  bool is_all_ = false;
  iovec elements_[capacity];  // only the first count_ are set
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
