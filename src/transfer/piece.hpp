// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_PIECE_HPP
#define ASIO_RDMA_TRANSFER_PIECE_HPP

#include "transfer/extent.hpp"
#include "transfer/message_ends.hpp"
#include "transfer/staging.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

/// Staged bytes that may go together: they lie in one run, and are of one message.
struct piece {
  extent bytes;
  bool reaches_end = false;  ///< the message ends with the last of them, or there, if there are none

  bool exists() const noexcept { return bytes.length != 0 || reaches_end; }
  /// Whether to send the first length bytes as an end.
  bool ends_with(std::size_t length) const noexcept { return reaches_end && length == bytes.length; }
};

/// What is next to be posted; ends are those of messages not yet posted.
inline piece next_piece(const staging& s, const message_ends& ends) noexcept {
  piece p{s.unposted_extent(), false};
  if (!ends.empty() && ends.front() - s.posted() <= p.bytes.length) {
    p.bytes.length = static_cast<std::size_t>(ends.front() - s.posted());
    p.reaches_end = true;
  }
  return p;
}

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
