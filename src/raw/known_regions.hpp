// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_RAW_KNOWN_REGIONS_HPP
#define ASIO_RDMA_SRC_RAW_KNOWN_REGIONS_HPP

#include <asio_rdma/detail/rdma_core.hpp>

#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

/// Says, while it lives, that a key means this memory in a protection domain: checks of requests ask for it.
/// Thread-safe.
class known_region {
public:
  known_region() noexcept = default;
  known_region(const ibv_pd* domain, std::uint32_t key, std::uint64_t address, std::uint64_t length);
  known_region(known_region&& other) noexcept;
  known_region& operator=(known_region&& other) noexcept;
  ~known_region();

private:
  const ibv_pd* domain_ = nullptr;
  std::uint32_t key_ = 0;
};

/// What is known of a key.
struct key_meaning {
  bool here = false;       ///< it names memory in that domain
  bool elsewhere = false;  ///< it does not, but in another domain
  std::uint64_t address = 0;
  std::uint64_t length = 0;
};

/// Nothing, if it names memory that was registered without this library.
key_meaning find_key(const ibv_pd* domain, std::uint32_t key) noexcept;

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma

#endif
