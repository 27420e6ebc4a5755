// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_RAW_EXCHANGE_GREETING_HPP
#define ASIO_RDMA_SRC_RAW_EXCHANGE_GREETING_HPP

#include "transfer/link_record.hpp"
#include "transfer/raw_greeting.hpp"

#include <array>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

/// What an end says where no connection manager tells the peer of its queue pair: a handshake, and a link record behind
/// it.
struct exchange_greeting {
  transfer::raw_greeting greeting;
  transfer::link_record link;
};

inline std::array<unsigned char, transfer::handshake_size + transfer::link_record_size> encode_exchange_greeting(
    const exchange_greeting& g) noexcept {
  const auto handshake = transfer::encode_handshake(transfer::to_handshake(g.greeting));
  const auto link = transfer::encode_link_record(g.link);
  std::array<unsigned char, handshake.size() + link.size()> result;
  std::memcpy(result.data(), handshake.data(), handshake.size());
  std::memcpy(result.data() + handshake.size(), link.data(), link.size());
  return result;
}

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma

#endif
