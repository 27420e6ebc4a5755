// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_RESPONDER_HPP
#define ASIO_RDMA_SRC_SOFT_RESPONDER_HPP

#include "soft/peer.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <sys/uio.h>
#include <cstdint>
#include <memory>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

enum class outcome : std::uint32_t {
  done,
  not_ready,  // the receiver has no buffer
  no_answer,  // nor would there be one of a card
  busy,       // try again soon
  asked,      // the other process does it and will answer
};

struct result {
  outcome how;
  ibv_wc_status status;
  std::uint32_t bytes;
};

/// What a request asks of the other side.
struct remote_request {
  ibv_wr_opcode opcode;
  unsigned flags;
  __be32 imm;
  std::uint32_t rkey;  // or the key to invalidate
  std::uint32_t from_qp;
  std::uint32_t to_qp;
  std::uint64_t address;
  std::uint64_t length;
  std::uint64_t compare_add;
  std::uint64_t swap;
};

inline bool is_atomic(ibv_wr_opcode opcode) noexcept {
  return opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/// Does what the receiving card would do for a request on a reliable connection: in the memory of the owner of the
/// queue pair that it goes to, this process or one whose memory can be reached. local is where its data are, or go to.
result respond(const std::shared_ptr<peer>& owner, const remote_request& r, const iovec* local, unsigned locals);

/// A datagram without its bytes.
struct datagram_header {
  std::uint32_t from_qp;
  std::uint32_t to_qp;
  std::uint32_t qkey;
  std::uint32_t length;
  __be32 imm;
  std::uint8_t has_imm;
  std::uint8_t is_solicited;
  std::uint16_t unused;
  ibv_grh grh;
};

/// Puts a datagram into a buffer of the queue pair that it goes to, or drops it.
void deliver(const std::shared_ptr<peer>& owner, const datagram_header& d, const iovec* local, unsigned locals);

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
