// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_RAW_GREETING_HPP
#define ASIO_RDMA_TRANSFER_RAW_GREETING_HPP

#include "transfer/handshake.hpp"

#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

/// What the ends of a raw connection tell each other in the handshake: in raw mode, the fields of ring and mirror mean
/// these (doc/wire.md).
struct raw_greeting {
  std::uint16_t receive_depth = 0;  ///< receives that this end can have posted; 65535 also for more
  std::uint64_t address = 0;        ///< of the memory that is offered
  std::uint64_t length = 0;         ///< bytes; 0: none is offered
  std::uint32_t key = 0;
  std::uint32_t queue_pair = 0;  ///< datagrams: the number to send to
  std::uint32_t qkey = 0;        ///< datagrams: and its key
};

inline handshake to_handshake(const raw_greeting& g) noexcept {
  handshake h;
  h.mode = mode::raw;
  h.queue_depth = g.receive_depth;
  h.max_chunk = g.queue_pair;
  h.ring_key = g.key;
  h.ring_address = g.address;
  h.mirror_address = g.length;
  h.mirror_key = g.qkey;
  return h;
}

/// Of a handshake in raw mode. A region that wraps around the address space is taken for none.
inline raw_greeting to_raw_greeting(const handshake& h) noexcept {
  raw_greeting g;
  g.receive_depth = h.queue_depth;
  g.queue_pair = h.max_chunk;
  g.qkey = h.mirror_key;
  if (h.ring_address + h.mirror_address < h.ring_address) return g;
  g.key = h.ring_key;
  g.address = h.ring_address;
  g.length = h.mirror_address;
  return g;
}

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
