// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_PROGRAM_MEMORY_HPP
#define ASIO_RDMA_SRC_IO_PROGRAM_MEMORY_HPP

#include "io/device_domain.hpp"
#include "io/memory_block.hpp"

#include <asio_rdma/verbs/memory_region.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// A piece of the program's memory that sockets may hand to their devices as it is. While it lives, it is found by
/// addresses that lie in it. A device learns of it when a socket first needs it there: until then it is known to none,
/// so that it can be made before there is any connection.
///
/// Thread-safe. It has to outlive all requests that use it.
class program_memory {
public:
  /// May throw std::bad_alloc.
  program_memory(void* data, std::size_t size);
  /// The same for memory of ours, which goes to the NUMA node of the first device that learns of it. It has to live
  /// longer.
  explicit program_memory(const memory_block& own);
  program_memory(const program_memory&) = delete;
  program_memory& operator=(const program_memory&) = delete;
  ~program_memory();

  /// It is registered there already, by somebody else and as long as it lives.
  void add(std::shared_ptr<device_domain> device, std::uint32_t local_key);

  /// What the device knows of memory.
  struct known {
    std::uint32_t local_key = 0;
    ibv_mr* region = nullptr;  ///< which windows can be bound to; null if it is somebody else's, or the device has none
  };
  /// The same for the memory from data on: registered now, if no socket of the device has used it before. ENOENT if no
  /// such memory holds all of it; or why the device cannot have it, such as library_error::memlock_limit: it is tried
  /// once, and the log is told.
  static core::error find(const std::shared_ptr<device_domain>& device, const void* data, std::size_t size,
                          known& result) noexcept;

  /// The domain is about to go, and with it what was registered in it for find().
  static void forget(const std::shared_ptr<device_domain>& device) noexcept;

private:
  struct registration {
    std::shared_ptr<device_domain> device;
    verbs::memory_region region;  // empty if it is somebody else's
    known what;
    core::error failure;
  };
  program_memory(void* data, std::size_t size, const memory_block* own);

  using index = std::multimap<std::uintptr_t, program_memory*>;
  struct all;

  core::error find_for(const std::shared_ptr<device_domain>& device, known& result);

  void* const data_;
  const std::size_t size_;
  const memory_block* const own_;  // null if it is the program's
  std::vector<registration> registrations_;  // one for each device, of which there are few
  index::iterator place_;
};

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
