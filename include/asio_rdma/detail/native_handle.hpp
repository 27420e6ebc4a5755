// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_NATIVE_HANDLE_HPP
#define ASIO_RDMA_DETAIL_NATIVE_HANDLE_HPP

#include <asio_rdma/detail/core/socket.hpp>

#include <cstdint>
#include <utility>

namespace asio_rdma {
inline namespace v1 {

/// What a socket's native_handle() and release() return, and what its assign() takes: a reference to the socket
/// beneath. A socket released from one execution context can be assigned to another, for example.
///
/// It can be made from a kernel's file descriptor, so that code written for TCP compiles; assign() refuses such a
/// handle with operation_not_supported, since a kernel's socket cannot carry RDMA.
class native_handle {
public:
  native_handle(int kernel_descriptor = -1) noexcept : kernel_descriptor_(kernel_descriptor) {}
  explicit native_handle(core::socket s) noexcept : socket_(std::move(s)) {}

  /// True if it names a socket of this library.
  explicit operator bool() const noexcept { return static_cast<bool>(socket_); }

  /// A number that names the socket within the process and is never used again; 0 if there is none.
  std::uint64_t id() const noexcept { return socket_ ? socket_.id() : 0; }

  /// The connection manager's identifier, an rdma_cm_id*, as the way out to rdma-core; null before bind or connect.
  /// It stays valid until the socket is closed.
  void* cm_id() const noexcept { return socket_ ? socket_.native_id() : nullptr; }

  const core::socket& get() const noexcept { return socket_; }

  friend bool operator==(const native_handle& a, const native_handle& b) noexcept {
    return a.id() == b.id() && a.kernel_descriptor_ == b.kernel_descriptor_;
  }
  friend bool operator!=(const native_handle& a, const native_handle& b) noexcept { return !(a == b); }

private:
  core::socket socket_;
  int kernel_descriptor_ = -1;
};

}  // namespace v1
}  // namespace asio_rdma

#endif
