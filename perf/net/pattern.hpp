// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_NET_PATTERN_HPP
#define ASIO_RDMA_PERF_NET_PATTERN_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace perf::net {

/// The first byte of every message says whether it is the last of a phase, so that a receiver needs nothing but its
/// data to know; the others are there for --data_validation.
constexpr unsigned char more_follow = 0;
constexpr unsigned char is_last = 1;

inline unsigned char pattern_byte(std::uint64_t message, std::size_t offset) noexcept {
  return static_cast<unsigned char>(message * 131 + offset * 7 + (offset >> 8));
}

/// Fills all but the first byte.
inline void fill_pattern(unsigned char* data, std::size_t size, std::uint64_t message) noexcept {
  for (std::size_t i = 1; i < size; ++i) data[i] = pattern_byte(message, i);
}

/// Looks at a part of a message that begins at @p offset. Throws std::runtime_error.
inline void check_pattern(const unsigned char* data, std::size_t size, std::uint64_t message, std::size_t offset) {
  for (std::size_t i = offset == 0 ? 1 : 0; i < size; ++i) {
    if (data[i] == pattern_byte(message, offset + i)) continue;
    throw std::runtime_error("--data_validation: byte " + std::to_string(offset + i) + " of message " +
                             std::to_string(message) + " is " + std::to_string(data[i]) + ", not " +
                             std::to_string(pattern_byte(message, offset + i)));
  }
}

}  // namespace perf::net

#endif
