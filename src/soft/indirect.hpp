// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_INDIRECT_HPP
#define ASIO_RDMA_SRC_SOFT_INDIRECT_HPP

#include "soft/peer.hpp"
#include "soft/responder.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Where the kernel forbids to copy between processes (seccomp(2), Yama's ptrace_scope, another PID namespace), the
// bytes go through the requester's segment, and the other process's helper thread does its card's part.
namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// A request, on its way to the process that does it.
struct indirect_request {
  remote_request what;
  std::uint64_t number;  // of the waiting queue pair, for the answer
  std::uint64_t buffer;  // in the requester's segment
};

struct indirect_answer {
  std::uint64_t number;
  std::uint64_t buffer;
  std::uint32_t qp;
  result outcome;
};

// What lies between members would tell the other process what was in this one's memory before.
static_assert(std::has_unique_object_representations_v<indirect_request>);
static_assert(std::has_unique_object_representations_v<indirect_answer>);
static_assert(std::has_unique_object_representations_v<datagram_header>);

/// On the helper thread: does what another process asks for, and answers.
void do_request(const std::shared_ptr<peer>& from, const indirect_request& r);

void pass_datagram(peer& to, const datagram_header& d, const iovec* local, unsigned locals);
/// On the helper thread: a datagram that another process passed.
void take_datagram(const unsigned char* data, std::size_t size);

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
