// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_WORK_COMPLETION_HPP
#define ASIO_RDMA_WORK_COMPLETION_HPP

#include <asio_rdma/error.hpp>
#include <asio_rdma/verbs/api.hpp>

#include <boost/system/error_code.hpp>

#include <endian.h>
#include <cstddef>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {

/// How a request ended: the completion of verbs, ibv_wc, with functions to read it and nothing added. Of one that
/// failed only id(), error() and vendor_error() mean anything.
class work_completion : public ibv_wc {
public:
  /// The bytes in front of every datagram's data in its receive buffer, in which the network's header stands.
  static constexpr std::size_t datagram_header = 40;

  /// For poll() to fill in.
  work_completion() noexcept : ibv_wc{} {}

  /// Of the request.
  std::uint64_t id() const noexcept { return wr_id; }
  /// Whether the request was done.
  bool ok() const noexcept { return status == IBV_WC_SUCCESS; }
  /// Why it failed, in completion_category(). After the first failure everything else that is outstanding completes
  /// with IBV_WC_WR_FLUSH_ERR.
  boost::system::error_code error() const noexcept {
    return to_error_code(core::error(static_cast<int>(status), core::error_domain::completion));
  }
  /// The device's own number for the failure.
  std::uint32_t vendor_error() const noexcept { return vendor_err; }

  /// Whether it was a receive.
  bool is_receive() const noexcept { return (opcode & IBV_WC_RECV) != 0; }
  /// Bytes received, or read; of a datagram with its header. Means nothing for sends and writes.
  std::size_t bytes() const noexcept { return byte_len; }
  /// Whether the peer has sent an immediate.
  bool has_immediate() const noexcept { return (wc_flags & IBV_WC_WITH_IMM) != 0; }
  /// The number of work_request::with_immediate(), in the order of bytes of this host.
  std::uint32_t immediate() const noexcept { return be32toh(imm_data); }
};
static_assert(sizeof(work_completion) == sizeof(ibv_wc));

}  // namespace v1
}  // namespace asio_rdma

#endif
