// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_LITTLE_ENDIAN_HPP
#define ASIO_RDMA_TRANSFER_LITTLE_ENDIAN_HPP

#include <cstddef>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

// Numbers lie in little-endian order in everything of ours that crosses the wire (only the immediate is turned into
// network order, by verbs' own convention). Compilers make one load or store of these loops.

template <typename Unsigned>
void store_little(unsigned char* to, Unsigned value) noexcept {
  for (std::size_t i = 0; i != sizeof(Unsigned); ++i) to[i] = static_cast<unsigned char>(value >> (8 * i));
}

template <typename Unsigned>
Unsigned load_little(const unsigned char* from) noexcept {
  Unsigned value = 0;
  for (std::size_t i = 0; i != sizeof(Unsigned); ++i) {
    value = static_cast<Unsigned>(value | static_cast<Unsigned>(static_cast<Unsigned>(from[i]) << (8 * i)));
  }
  return value;
}

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
