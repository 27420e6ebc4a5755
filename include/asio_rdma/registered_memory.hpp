// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_REGISTERED_MEMORY_HPP
#define ASIO_RDMA_REGISTERED_MEMORY_HPP

#include <asio_rdma/detail/core/raw.hpp>
#include <asio_rdma/verbs/api.hpp>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace asio_rdma {
inline namespace v1 {

/// A piece of registered memory of this end: a scatter/gather entry of verbs, with nothing added.
struct local_buffer : ibv_sge {
  /// Nothing.
  local_buffer() noexcept : ibv_sge{} {}
  /// A piece: its address to the device, and the local key of its memory.
  local_buffer(std::uint64_t device_address, std::uint32_t bytes, std::uint32_t key) noexcept
      : ibv_sge{device_address, bytes, key} {}
  /// Memory that is not registered, for a request that is sent inline.
  static local_buffer unregistered(const void* data, std::uint32_t bytes) noexcept {
    return local_buffer(reinterpret_cast<std::uintptr_t>(data), bytes, 0);
  }
};
static_assert(sizeof(local_buffer) == sizeof(ibv_sge));

/// A place in the peer's memory.
struct remote_address {
  std::uint64_t address = 0;  ///< to the peer's device
  std::uint32_t key = 0;      ///< the peer's remote key
};

/// A piece of the peer's memory that it has offered.
struct remote_memory {
  std::uint64_t address = 0;  ///< to the peer's device
  std::uint64_t length = 0;   ///< bytes; 0: none
  std::uint32_t key = 0;      ///< the peer's remote key

  /// None.
  remote_memory() noexcept = default;
  /// As members.
  remote_memory(std::uint64_t a, std::uint64_t bytes, std::uint32_t k) noexcept : address(a), length(bytes), key(k) {}

  /// Whether anything was offered.
  explicit operator bool() const noexcept { return length != 0; }
  /// offset < length. A debug build of the connection checks what is done there.
  remote_address at(std::uint64_t offset) const noexcept { return {address + offset, key}; }
  /// Its beginning.
  operator remote_address() const noexcept { return at(0); }

  /// An offer as it goes into a message, in little-endian.
  static constexpr std::size_t encoded_size = 20;
  /// Writes encoded_size bytes.
  void encode(void* to) const noexcept {
    put(to, 0, address, 8);
    put(to, 8, length, 8);
    put(to, 16, key, 4);
  }
  /// What the peer says is its own affair: accesses outside its memory fail there. An offer that wraps around the
  /// address space is read as none.
  static remote_memory decode(const void* from) noexcept {
    const remote_memory m(get(from, 0, 8), get(from, 8, 8), static_cast<std::uint32_t>(get(from, 16, 4)));
    return m.address + m.length < m.address ? remote_memory() : m;
  }

private:
  static void put(void* to, std::size_t at, std::uint64_t value, std::size_t bytes) noexcept {
    for (std::size_t i = 0; i < bytes; ++i) static_cast<unsigned char*>(to)[at + i] = (value >> (8 * i)) & 0xff;
  }
  static std::uint64_t get(const void* from, std::size_t at, std::size_t bytes) noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<const unsigned char*>(from)[at + i];
    return value;
  }
};

/// What may be done with registered memory; the values are those of IBV_ACCESS_*. This end's device may always read.
enum class memory_access : int {
  local_write = IBV_ACCESS_LOCAL_WRITE,  ///< receives, and results of reads and atomics
  remote_write = IBV_ACCESS_REMOTE_WRITE,
  remote_read = IBV_ACCESS_REMOTE_READ,
  remote_atomic = IBV_ACCESS_REMOTE_ATOMIC,
  local = IBV_ACCESS_LOCAL_WRITE,
  /// All of the above that the device can do.
  all = -1,
};
/// Both.
constexpr memory_access operator|(memory_access a, memory_access b) noexcept {
  return static_cast<memory_access>(static_cast<int>(a) | static_cast<int>(b));
}

/// Memory that a device may access, from raw_connection::register_memory(). It belongs to the device and to the
/// process's protection domain there: every raw connection that is set up the same way on that device can use it, and
/// it may outlive the connection that made it. It has to outlive every request that uses it. Move-only.
class registered_memory {
public:
  /// None.
  registered_memory() noexcept = default;
  /// Takes over what the library has registered.
  explicit registered_memory(core::raw_region&& region) noexcept
      : region_(std::move(region)),
        data_(static_cast<std::byte*>(region_.address())),
        size_(region_.length()),
        device_address_(region_.device_address()),
        local_key_(region_.local_key()),
        remote_key_(region_.remote_key()) {}

  /// Whether there is any.
  explicit operator bool() const noexcept { return static_cast<bool>(region_); }
  /// Null for a dmabuf, which this process need not see.
  std::byte* data() const noexcept { return data_; }
  /// Bytes.
  std::size_t size() const noexcept { return size_; }
  /// The memory from offset (bytes) on as objects of a type. It has to be aligned for them; nothing is checked.
  template <class T>
  T* as(std::size_t offset = 0) const noexcept {
    return reinterpret_cast<T*>(data_ + offset);
  }

  /// Names the memory in requests of this end.
  std::uint32_t local_key() const noexcept { return local_key_; }
  /// Names the memory in requests of the peer.
  std::uint32_t remote_key() const noexcept { return remote_key_; }
  /// What data() is to the device, which differs for a dmabuf only.
  std::uint64_t device_address() const noexcept { return device_address_; }

  /// offset + length <= size(), length < 2^32.
  local_buffer slice(std::size_t offset, std::size_t length) const noexcept {
    assert(offset <= size_ && length <= size_ - offset && length <= UINT32_MAX);
    return local_buffer(device_address_ + offset, static_cast<std::uint32_t>(length), local_key_);
  }

  /// What the peer has to know about a piece; about all of it if nothing is said.
  remote_memory offer() const noexcept { return offer(0, size_); }
  /// Of a piece: offset + length <= size().
  remote_memory offer(std::size_t offset, std::size_t length) const noexcept {
    assert(offset <= size_ && length <= size_ - offset);
    return remote_memory(device_address_ + offset, length, remote_key_);
  }

private:
  core::raw_region region_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t device_address_ = 0;
  std::uint32_t local_key_ = 0;
  std::uint32_t remote_key_ = 0;
};

}  // namespace v1
}  // namespace asio_rdma

#endif
