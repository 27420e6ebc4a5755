// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_PATTERN_HPP
#define ASIO_RDMA_PERF_COMMON_PATTERN_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace perf {

// What messages hold for --data_validation.

inline unsigned char pattern_byte(std::uint64_t message, std::size_t offset) noexcept {
  return static_cast<unsigned char>(message * 131 + offset * 7 + (offset >> 8));
}

/// Makes a part of a message that begins at @p offset of it.
inline void fill_pattern(unsigned char* data, std::size_t size, std::uint64_t message,
                         std::size_t offset = 0) noexcept {
  for (std::size_t i = 0; i < size; ++i) data[i] = pattern_byte(message, offset + i);
}

/// Looks at a part of a message that begins at @p offset of it. Throws std::runtime_error.
inline void check_pattern(const unsigned char* data, std::size_t size, std::uint64_t message, std::size_t offset = 0) {
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == pattern_byte(message, offset + i)) continue;
    throw std::runtime_error("--data_validation: byte " + std::to_string(offset + i) + " of message " +
                             std::to_string(message) + " is " + std::to_string(data[i]) + ", not " +
                             std::to_string(pattern_byte(message, offset + i)));
  }
}

}  // namespace perf

#endif
