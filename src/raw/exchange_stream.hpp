// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_RAW_EXCHANGE_STREAM_HPP
#define ASIO_RDMA_SRC_RAW_EXCHANGE_STREAM_HPP

#include "io/unique_fd.hpp"
#include "raw/exchange_greeting.hpp"

#include <asio_rdma/detail/core/error.hpp>

#include <array>
#include <cstddef>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

/// A connected TCP socket, that does not block, and what has come in by it (doc/wire.md).
class exchange_stream {
public:
  exchange_stream() noexcept = default;
  explicit exchange_stream(io::unique_fd fd) noexcept : fd_(std::move(fd)) {}
  int fd() const noexcept { return fd_.get(); }
  explicit operator bool() const noexcept { return static_cast<bool>(fd_); }
  void close() noexcept { fd_.reset(); }
  /// Whether nothing has come in that nobody has taken yet.
  bool is_empty() const noexcept { return size_ == 0; }

  // So little is sent that it has room in the socket.
  core::error send(const exchange_greeting& g) noexcept;
  core::error send_ready() noexcept;
  void send_reject(transfer::reject_reason reason) noexcept;

  /// EAGAIN until all has come; what a refusal, or a greeting that cannot be accepted, means. reason is what to refuse
  /// that with.
  core::error read(exchange_greeting& result, transfer::reject_reason& reason) noexcept;
  /// EAGAIN until the peer has said that it is ready.
  core::error read_ready() noexcept;
  /// EAGAIN as long as the peer is there and says nothing.
  core::error read_end() noexcept;

private:
  core::error send_all(const void* data, std::size_t size) noexcept;
  core::error fill(std::size_t wanted) noexcept;

  io::unique_fd fd_;
  std::array<unsigned char, 256 + transfer::link_record_size> bytes_{};
  std::size_t size_ = 0;
};

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma

#endif
