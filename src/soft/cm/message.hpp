// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_CM_MESSAGE_HPP
#define ASIO_RDMA_SRC_SOFT_CM_MESSAGE_HPP

#include "soft/peer.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

/// What two connection managers say to each other. The names in brackets are those of the InfiniBand specification.
enum class message_type : std::uint32_t {
  request = 1,   // (REQ, SIDR_REQ) to a listener
  wait,          // (MRA) the receiver was told: an answer may take a while
  reply,         // (REP, SIDR_REP) accepted
  ready,         // (RTU) the reply has arrived
  reject,        // (REJ, SIDR_REP) no
  disconnect,    // (DREQ)
  disconnected,  // (DREP)
};

/// Why a request was refused (IBTA 12.6.7.2).
namespace reason {
constexpr std::uint32_t no_resources = 3;
constexpr std::uint32_t timeout = 4;
constexpr std::uint32_t invalid_id = 6;
constexpr std::uint32_t invalid_service = 8;  // nobody listens
constexpr std::uint32_t consumer = 28;
}  // namespace reason

/// The same for datagram ids (IBTA 12.11.2).
namespace datagram_status {
constexpr std::uint32_t unsupported = 1;  // nobody listens
constexpr std::uint32_t refused = 2;
constexpr std::uint32_t no_qp = 3;
}  // namespace datagram_status

struct wire_address {
  std::uint16_t family = 0;  // 4 or 6
  std::uint16_t port = 0;    // in host byte order
  std::uint32_t scope = 0;
  std::uint8_t bytes[16]{};
};

constexpr std::size_t max_private_data = 196;

/// What rdma_connect(3), rdma_accept(3) and rdma_reject(3) can carry.
constexpr std::size_t private_data_limit(message_type type, rdma_port_space space) noexcept {
  const bool datagram = space == RDMA_PS_UDP;
  switch (type) {
    case message_type::request:
      return datagram ? 180 : 56;
    case message_type::reply:
      return datagram ? 136 : 196;
    case message_type::reject:
      return datagram ? 136 : 148;
    default:
      return 0;
  }
}

/// A message of any type; members that its type has no use for are 0. It never leaves the host: it is sent as it lies
/// in memory, without the unused rest of the private data.
struct message {
  message_type type{};
  std::uint32_t space = 0;     // rdma_port_space
  std::uint64_t instance = 0;  // the receiving process's
  std::uint64_t from = 0;      // ids: the sender's
  std::uint64_t to = 0;        // and the receiver's
  std::uint32_t reason = 0;
  std::uint32_t qp_num = 0;
  std::uint32_t psn = 0;  // that the sender's queue pair starts with
  std::uint32_t qkey = 0;
  std::uint8_t responder_resources = 0;
  std::uint8_t initiator_depth = 0;
  std::uint8_t flow_control = 0;
  std::uint8_t retry_count = 0;
  std::uint8_t rnr_retry_count = 0;
  std::uint8_t srq = 0;
  std::uint16_t private_size = 0;
  wire_address source;
  wire_address destination;
  std::uint8_t private_data[max_private_data]{};
};
static_assert(std::is_trivially_copyable<message>::value, "it is copied as bytes");
static_assert(sizeof(message) + sizeof(message_kind) <= max_message_size, "it fits into a packet");

/// How many of a message's bytes are sent.
std::size_t size_of(const message& m) noexcept;
/// False for what is not a message that a connection manager sends.
bool decode(const unsigned char* data, std::size_t size, message& result) noexcept;

/// What a listener's process answers to those who connect to its port's name: whom to send the request to.
struct whereabouts {
  static constexpr std::uint64_t right_magic = 0x6d63306f736f6961;  // "aioso0cm"
  std::uint64_t magic = right_magic;
  std::uint64_t instance = 0;
  std::uint64_t id = 0;
  std::uint32_t slot = 0;
  std::uint32_t unused = 0;
};

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
