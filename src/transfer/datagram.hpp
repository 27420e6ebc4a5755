// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_TRANSFER_DATAGRAM_HPP
#define ASIO_RDMA_SRC_TRANSFER_DATAGRAM_HPP

#include "transfer/handshake.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

// What datagram sockets say to each other; doc/wire.md, sections 8 and 9, is the specification.

/// Stands before the payload of each datagram. The sender's address is the network's; its port is here.
struct datagram_header {
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  loopback asked_loopback = loopback::none;  ///< the sender meant a loopback address of its own host
  bool not_to_own_host = false;              ///< receivers on the sender's host drop it: multicast without loopback

  static constexpr std::size_t size = 8;
};

using datagram_header_text = std::array<unsigned char, datagram_header::size>;
datagram_header_text encode_datagram_header(const datagram_header& h) noexcept;
/// None if it is not ours, or of another version.
std::optional<datagram_header> decode_datagram_header(const unsigned char* bytes, std::size_t size) noexcept;

/// The private data of the question where a socket is, and of the answer.
struct datagram_greeting {
  loopback asked_loopback = loopback::none;  ///< in the question
  std::uint16_t largest_payload = 0;         ///< in the answer: bytes of a datagram that the socket takes
};

constexpr std::size_t datagram_greeting_size = 12;
using datagram_greeting_text = std::array<unsigned char, datagram_greeting_size>;
datagram_greeting_text encode_datagram_greeting(const datagram_greeting& g) noexcept;

struct datagram_greeting_result {
  datagram_greeting value;
  handshake_error error = handshake_error::none;
  explicit operator bool() const noexcept { return error == handshake_error::none; }
};
datagram_greeting_result decode_datagram_greeting(const unsigned char* bytes, std::size_t size) noexcept;

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
