// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_WORK_REQUEST_HPP
#define ASIO_RDMA_WORK_REQUEST_HPP

#include <asio_rdma/registered_memory.hpp>
#include <asio_rdma/span.hpp>

#include <endian.h>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {

/// Where a datagram goes to. The handle has to live until the send has completed.
struct datagram_address {
  ibv_ah* handle = nullptr;      ///< address handle, of this end's protection domain
  std::uint32_t queue_pair = 0;  ///< number of the peer's queue pair, 24 bits
  std::uint32_t qkey = 0;        ///< that the peer's queue pair takes
};

/// A send, a read, a write or an atomic: the request of verbs, ibv_send_wr, with functions to fill it and nothing
/// added.
///
/// It points to the buffers it was made with, which have to stay until it was posted; the memory they name, until its
/// completion was taken. It is signalled at first. A request that is not signalled raises no completion unless it
/// fails, and holds its place in the queue until a later one has completed: at least one in send_depth has to be
/// signalled.
class work_request : public ibv_send_wr {
public:
  /// Signalled, and nothing else: for programs that fill ibv_send_wr themselves.
  work_request() noexcept : ibv_send_wr{} { send_flags = IBV_SEND_SIGNALED; }

  /// A message for a receive that the peer has posted; without a buffer, an empty one.
  static work_request send() noexcept { return make(IBV_WR_SEND, {}); }
  /// Of one buffer.
  static work_request send(const local_buffer& from) noexcept { return make(IBV_WR_SEND, one(from)); }
  /// Of several, as many as limits().send_sge, gathered into one message.
  static work_request send(span<const local_buffer> from) noexcept { return make(IBV_WR_SEND, from); }

  /// Writes into the peer's memory, of which it learns nothing unless there is an immediate.
  static work_request write(const local_buffer& from, remote_address to) noexcept { return write(one(from), to); }
  /// Of several buffers, gathered.
  static work_request write(span<const local_buffer> from, remote_address to) noexcept {
    return make(IBV_WR_RDMA_WRITE, from).at(to);
  }

  /// Reads the peer's memory.
  static work_request read(const local_buffer& to, remote_address from) noexcept { return read(one(to), from); }
  /// Into several buffers, scattered.
  static work_request read(span<const local_buffer> to, remote_address from) noexcept {
    return make(IBV_WR_RDMA_READ, to).at(from);
  }

  /// Adds to 8 bytes of the peer's memory, at an address that is a multiple of 8; result, 8 bytes too, becomes what was
  /// there before, as a number of this host.
  static work_request fetch_and_add(const local_buffer& result, remote_address target, std::uint64_t add) noexcept {
    work_request r = make(IBV_WR_ATOMIC_FETCH_AND_ADD, one(result));
    return r.atomic(target, add, 0);
  }
  /// Writes desired there if it finds expected. As fetch_and_add().
  static work_request compare_and_swap(const local_buffer& result, remote_address target, std::uint64_t expected,
                                       std::uint64_t desired) noexcept {
    work_request r = make(IBV_WR_ATOMIC_CMP_AND_SWP, one(result));
    return r.atomic(target, expected, desired);
  }

  // A request keeps a pointer: a buffer that ends with the expression would be gone when it is posted.
  static work_request send(local_buffer&&) = delete;
  static work_request write(local_buffer&&, remote_address) = delete;
  static work_request read(local_buffer&&, remote_address) = delete;
  static work_request fetch_and_add(local_buffer&&, remote_address, std::uint64_t) = delete;
  static work_request compare_and_swap(local_buffer&&, remote_address, std::uint64_t, std::uint64_t) = delete;

  /// What its completion will say; any number.
  work_request& with_id(std::uint64_t id) noexcept {
    wr_id = id;
    return *this;
  }
  /// A number that the peer's completion says; a write takes one of the peer's receives then. Sends and writes only.
  work_request& with_immediate(std::uint32_t value) noexcept {
    if (opcode == IBV_WR_SEND) opcode = IBV_WR_SEND_WITH_IMM;
    if (opcode == IBV_WR_RDMA_WRITE) opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
    imm_data = htobe32(value);
    return *this;
  }
  /// Whether it raises a completion when it was done; it always does when it failed.
  work_request& signaled(bool on = true) noexcept { return flag(IBV_SEND_SIGNALED, on); }
  /// Copies the data into the request when it is posted: the memory is free at once, and need not be registered. Sends
  /// and writes of at most raw_connection::limits().inline_size bytes.
  work_request& inline_data(bool on = true) noexcept { return flag(IBV_SEND_INLINE, on); }
  /// Begins only when all reads and atomics posted before it have completed.
  work_request& fence(bool on = true) noexcept { return flag(IBV_SEND_FENCE, on); }
  /// Wakes a peer that waits for solicited completions only.
  work_request& solicited(bool on = true) noexcept { return flag(IBV_SEND_SOLICITED, on); }
  /// Datagrams: whom to.
  work_request& to(const datagram_address& peer) noexcept {
    wr.ud.ah = peer.handle;
    wr.ud.remote_qpn = peer.queue_pair;
    wr.ud.remote_qkey = peer.qkey;
    return *this;
  }

private:
  static span<const local_buffer> one(const local_buffer& b) noexcept { return {&b, 1}; }

  static work_request make(ibv_wr_opcode operation, span<const local_buffer> buffers) noexcept {
    work_request r;
    r.opcode = operation;
    r.sg_list = const_cast<local_buffer*>(buffers.data());  // verbs take them as non-const, and change none
    r.num_sge = static_cast<int>(buffers.size());
    return r;
  }
  work_request& at(remote_address a) noexcept {
    wr.rdma.remote_addr = a.address;
    wr.rdma.rkey = a.key;
    return *this;
  }
  work_request& atomic(remote_address a, std::uint64_t compare_or_add, std::uint64_t swap) noexcept {
    wr.atomic.remote_addr = a.address;
    wr.atomic.rkey = a.key;
    wr.atomic.compare_add = compare_or_add;
    wr.atomic.swap = swap;
    return *this;
  }
  work_request& flag(unsigned bit, bool on) noexcept {
    send_flags = on ? send_flags | bit : send_flags & ~bit;
    return *this;
  }
};
static_assert(sizeof(work_request) == sizeof(ibv_send_wr));

/// A receive: ibv_recv_wr with nothing added. As work_request.
class receive_request : public ibv_recv_wr {
public:
  /// For a message without data, or one whose data is written elsewhere.
  receive_request() noexcept : ibv_recv_wr{} {}
  /// Into one buffer, which has to have room for what comes.
  explicit receive_request(const local_buffer& to) noexcept : receive_request(span<const local_buffer>(&to, 1)) {}
  explicit receive_request(local_buffer&&) = delete;
  /// Into several buffers, filled in order.
  explicit receive_request(span<const local_buffer> to) noexcept : ibv_recv_wr{} {
    sg_list = const_cast<local_buffer*>(to.data());
    num_sge = static_cast<int>(to.size());
  }

  /// What its completion will say; any number.
  receive_request& with_id(std::uint64_t id) noexcept {
    wr_id = id;
    return *this;
  }
};
static_assert(sizeof(receive_request) == sizeof(ibv_recv_wr));

}  // namespace v1
}  // namespace asio_rdma

#endif
