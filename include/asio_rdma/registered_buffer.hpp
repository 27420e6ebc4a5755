// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_REGISTERED_BUFFER_HPP
#define ASIO_RDMA_REGISTERED_BUFFER_HPP

#include <asio_rdma/detail/asio_error.hpp>
#include <asio_rdma/detail/asio_hook.hpp>
#include <asio_rdma/detail/core/memory.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/registered_buffer.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <cassert>
#include <cstddef>

namespace asio_rdma {
inline namespace v1 {

/// Marks memory as registered for an operation of a stream or message socket: it may be sent from where it lies, or
/// written by the peer's device, without a copy, and belongs to them until the operation's handler runs.
/// doc/zero_copy.md says when that pays.
///
/// It is found by its address: a piece of a registered_buffer, or of a registered_memory of the raw gear. Other memory
/// is copied, as if it had no mark. The marks are Asio's own types, which composed operations keep.
inline boost::asio::mutable_registered_buffer registered(boost::asio::mutable_buffer b) noexcept {
  return detail::registered_mark::make(b);
}
/// The same for memory that is only sent from.
inline boost::asio::const_registered_buffer registered(boost::asio::const_buffer b) noexcept {
  return detail::registered_mark::make(boost::asio::mutable_buffer(const_cast<void*>(b.data()), b.size()));
}

/// The pages that memory is made of: the system's normal ones, or huge ones of its default size.
enum class memory_pages { normal, huge };

/// Memory from and into which sockets transfer without a copy. It belongs to no device: each registers it, once, when a
/// socket there first uses it, which takes time in proportion to its pages, counts as locked memory, and lasts as long
/// as this object. So make few large ones, and use them again and again.
///
/// Move-only. It has to outlive the operations that use it; sockets may outlive it.
///
/// @par Thread Safety
/// Distinct objects: safe. Shared objects: safe, but for moving and destroying; several sockets may use one at a time.
class registered_buffer {
  using error_code = boost::system::error_code;

public:
  /// No memory.
  registered_buffer() noexcept = default;
  /// Zeroed memory of that many bytes, 1 or more; on huge pages they are rounded up to whole ones. Throws
  /// boost::system::system_error.
  explicit registered_buffer(std::size_t bytes, memory_pages pages = memory_pages::normal) {
    error_code ec;
    *this = create(bytes, pages, ec);
    check(ec);
  }
  /// The caller's memory, which has to stay until this object is destroyed.
  registered_buffer(void* data, std::size_t bytes) {
    error_code ec;
    *this = adopt(data, bytes, ec);
    check(ec);
  }

  /// As the constructor of that many bytes. Errors: not_enough_memory, errc::option_refused where huge pages are not
  /// free, invalid_argument for no bytes.
  static registered_buffer create(std::size_t bytes, memory_pages pages, error_code& ec) noexcept {
    registered_buffer result;
    ec = detail::to_asio_error(core::memory::allocate(bytes, pages == memory_pages::huge, result.memory_));
    return result;
  }
  /// The caller's memory. invalid_argument for null or no bytes.
  static registered_buffer adopt(void* data, std::size_t bytes, error_code& ec) noexcept {
    registered_buffer result;
    ec = detail::to_asio_error(core::memory::adopt(data, bytes, result.memory_));
    return result;
  }

  /// Whether there is memory.
  explicit operator bool() const noexcept { return static_cast<bool>(memory_); }
  /// Null if there is no memory.
  std::byte* data() const noexcept { return memory_ ? static_cast<std::byte*>(memory_.data()) : nullptr; }
  /// Bytes.
  std::size_t size() const noexcept { return memory_ ? memory_.size() : 0; }

  /// For an operation: all of it, or a piece; offset + bytes <= size().
  boost::asio::mutable_registered_buffer buffer() const noexcept { return buffer(0, size()); }
  /// A piece: offset + bytes <= size().
  boost::asio::mutable_registered_buffer buffer(std::size_t offset, std::size_t bytes) const noexcept {
    assert(offset <= size() && bytes <= size() - offset);
    return registered(boost::asio::mutable_buffer(data() + offset, bytes));
  }

private:
  static void check(const error_code& ec) {
    if (ec) throw boost::system::system_error(ec, "registered_buffer");
  }

  core::memory memory_;
};

}  // namespace v1
}  // namespace asio_rdma

#endif
