// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_ERROR_TEXT_HPP
#define ASIO_RDMA_SRC_ERROR_TEXT_HPP

#include <cstdarg>
#include <cstddef>
#include <cstdio>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// Text that is written piece by piece into a buffer of the caller's, as snprintf does: cut where the buffer ends,
/// always terminated, its whole length counted. Allocates nothing.
class text {
public:
  text(char* buffer, std::size_t size) noexcept : buffer_(buffer), size_(size) {
    if (size_ != 0) buffer_[0] = '\0';
  }

  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) noexcept {
    std::va_list arguments;
    va_start(arguments, format);
    const bool room = length_ < size_;
    const int count = std::vsnprintf(room ? buffer_ + length_ : nullptr, room ? size_ - length_ : 0, format, arguments);
    va_end(arguments);
    if (count > 0) length_ += static_cast<std::size_t>(count);
  }

  /// Length of the whole text, which may be more than the buffer holds.
  std::size_t length() const noexcept { return length_; }

private:
  char* buffer_;
  std::size_t size_;
  std::size_t length_ = 0;
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
