// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_ERROR_ERRNO_TEXT_HPP
#define ASIO_RDMA_SRC_ERROR_ERRNO_TEXT_HPP

#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// What the C library says of an errno value. Thread-safe, where std::strerror need not be.
class errno_text {
public:
  explicit errno_text(int number) noexcept : text_(chosen(::strerror_r(number, buffer_, sizeof buffer_))) {}
  errno_text(const errno_text&) = delete;
  errno_text& operator=(const errno_text&) = delete;

  const char* get() const noexcept { return text_; }

private:
  // GNU's strerror_r returns a text, which need not be in the buffer; POSIX's returns whether it has put one there.
  const char* chosen(const char* text) const noexcept { return text; }
  const char* chosen(int failure) const noexcept { return failure == 0 ? buffer_ : "unknown error"; }

  char buffer_[128] = "";
  const char* text_;
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
