// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_RESPONDER_HPP
#define ASIO_RDMA_SRC_SOFT_RESPONDER_HPP

#include "soft/peer.hpp"
#include "soft/queue_pair.hpp"
#include "soft/receive_queue.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// Takes a buffer of a queue pair of this or another process, from its own or its shared queue. False if there is none.
bool take_receive_for(peer& owner, queue_pair_entry& target, taken_receive& result);

/// The protection domain of the memory that its buffers are in.
std::uint32_t receive_domain(const peer& owner, const queue_pair_entry& target) noexcept;

/// The completion of a buffer that a request filled, but for the number of bytes.
completion_entry receive_completion(const queue_pair_entry& target, const taken_receive& receive, const send_request& r,
                                    std::uint32_t from_qp) noexcept;

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
