// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_LIMITS_HPP
#define ASIO_RDMA_SRC_SOFT_LIMITS_HPP

#include <cstddef>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

// A queue pair's number has 24 bits: 10 for the process's slot, 14 for the queue pair's index there.
constexpr unsigned qp_index_bits = 14;
constexpr unsigned max_processes = 1u << 10;
constexpr unsigned max_qps = 1u << qp_index_bits;
constexpr unsigned first_qp = 2;  // numbers 0 and 1 are those of subnet management

constexpr unsigned max_cqs = 1u << 14;
constexpr unsigned max_srqs = 1u << 12;
constexpr unsigned max_keys = 1u << 16;  // memory regions and windows; a key is index << 8 | tag
constexpr unsigned max_multicast_attachments = 1024;

constexpr unsigned max_sge = 32;
constexpr unsigned max_inline = 1024;
constexpr unsigned max_wr = 1u << 14;
constexpr unsigned max_cqe = 1u << 20;
constexpr unsigned max_rd_atomic = 128;
constexpr std::uint32_t max_message = 1u << 26;  // all of it has to fit into a segment where copying is indirect
constexpr std::uint32_t mtu_bytes = 4096;
constexpr std::uint32_t grh_bytes = 40;

/// Of a process's segment, most of which is never touched and so takes no memory.
constexpr std::size_t segment_bytes = std::size_t{1} << 30;

constexpr std::uint32_t qp_number(unsigned slot, unsigned index) noexcept {
  return slot << qp_index_bits | index;
}
constexpr unsigned slot_of(std::uint32_t qp_number) noexcept {
  return qp_number >> qp_index_bits & (max_processes - 1);
}
constexpr unsigned index_of(std::uint32_t qp_number) noexcept {
  return qp_number & (max_qps - 1);
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
