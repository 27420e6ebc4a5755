// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The other way to post (ibv_wr_post(3)): a request is put together by calls, and posted with others at the end.

#include "soft/send_builder.hpp"

#include "soft/queue_pair.hpp"

#include <cerrno>
#include <cstddef>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

queue_pair& to_queue_pair(ibv_qp_ex* qp) noexcept {
  return static_cast<queue_pair&>(*qp);
}

/// Begins a request of an operation.
ibv_send_wr& begin(ibv_qp_ex* qp, ibv_wr_opcode opcode, std::uint64_t operation) {
  queue_pair& q = to_queue_pair(qp);
  send_builder& b = q.builder;
  q.finish_request();
  if ((b.operations & operation) == 0) b.error = EINVAL;
  b.is_open = true;
  b.pieces.clear();
  b.inline_bytes.clear();
  b.request = ibv_send_wr();
  b.request.wr_id = qp->wr_id;
  b.request.send_flags = qp->wr_flags & ~static_cast<unsigned>(IBV_SEND_INLINE);
  b.request.opcode = opcode;
  return b.request;
}

void write(ibv_qp_ex* qp, ibv_wr_opcode opcode, std::uint64_t operation, std::uint32_t rkey, std::uint64_t address,
           __be32 imm) {
  ibv_send_wr& r = begin(qp, opcode, operation);
  r.imm_data = imm;
  r.wr.rdma.remote_addr = address;
  r.wr.rdma.rkey = rkey;
}

void change(ibv_qp_ex* qp, ibv_wr_opcode opcode, std::uint64_t operation, std::uint32_t rkey, std::uint64_t address,
            std::uint64_t compare_add, std::uint64_t swap) {
  ibv_send_wr& r = begin(qp, opcode, operation);
  r.wr.atomic.remote_addr = address;
  r.wr.atomic.rkey = rkey;
  r.wr.atomic.compare_add = compare_add;
  r.wr.atomic.swap = swap;
}

void add_inline(ibv_qp_ex* qp, const void* address, std::size_t length) {
  send_builder& b = to_queue_pair(qp).builder;
  const auto* const bytes = static_cast<const unsigned char*>(address);
  b.request.send_flags |= IBV_SEND_INLINE;
  // More than it may be is refused when it is posted, and not copied.
  if (b.inline_bytes.size() + length > to_queue_pair(qp).max_inline_bytes) b.error = ENOMEM;
  if (b.error == 0) b.inline_bytes.insert(b.inline_bytes.end(), bytes, bytes + length);
}

void start(ibv_qp_ex* qp) {
  queue_pair& q = to_queue_pair(qp);
  q.send_mutex.lock();
  q.builder.error = 0;
  q.builder.is_open = false;
  q.builder.first = q.posted;
}

int complete(ibv_qp_ex* qp) {
  queue_pair& q = to_queue_pair(qp);
  q.finish_request();
  const int e = q.builder.error;
  // All of them or none.
  if (e != 0) q.posted = q.builder.first;
  q.run();
  q.send_mutex.unlock();
  return e;
}

void abort(ibv_qp_ex* qp) {
  queue_pair& q = to_queue_pair(qp);
  q.posted = q.builder.first;
  q.send_mutex.unlock();
}

}  // namespace

void queue_pair::finish_request() {
  if (!builder.is_open) return;
  builder.is_open = false;
  if (builder.error != 0) return;
  if ((builder.request.send_flags & IBV_SEND_INLINE) != 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(builder.inline_bytes.data());
    builder.pieces.assign(1, ibv_sge{address, static_cast<std::uint32_t>(builder.inline_bytes.size()), 0});
  }
  builder.request.sg_list = builder.pieces.data();
  builder.request.num_sge = static_cast<int>(builder.pieces.size());
  builder.error = can_post() ? enqueue(builder.request) : EINVAL;
}

bool enable_builder(queue_pair& q, std::uint64_t operations) {
  constexpr std::uint64_t of_datagrams = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
  constexpr std::uint64_t of_connections =
      of_datagrams | IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
      IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |
      IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW;
  if ((operations & ~(q.qp_base.qp_type == IBV_QPT_RC ? of_connections : of_datagrams)) != 0) return false;
  q.builder.operations = operations;

  q.wr_start = start;
  q.wr_complete = complete;
  q.wr_abort = abort;
  q.wr_send = [](ibv_qp_ex* qp) { begin(qp, IBV_WR_SEND, IBV_QP_EX_WITH_SEND); };
  q.wr_send_imm = [](ibv_qp_ex* qp, __be32 imm) {
    begin(qp, IBV_WR_SEND_WITH_IMM, IBV_QP_EX_WITH_SEND_WITH_IMM).imm_data = imm;
  };
  q.wr_send_inv = [](ibv_qp_ex* qp, std::uint32_t key) {
    begin(qp, IBV_WR_SEND_WITH_INV, IBV_QP_EX_WITH_SEND_WITH_INV).invalidate_rkey = key;
  };
  q.wr_local_inv = [](ibv_qp_ex* qp, std::uint32_t key) {
    begin(qp, IBV_WR_LOCAL_INV, IBV_QP_EX_WITH_LOCAL_INV).invalidate_rkey = key;
  };
  q.wr_bind_mw = [](ibv_qp_ex* qp, ibv_mw* mw, std::uint32_t key, const ibv_mw_bind_info* info) {
    ibv_send_wr& r = begin(qp, IBV_WR_BIND_MW, IBV_QP_EX_WITH_BIND_MW);
    r.bind_mw.mw = mw;
    r.bind_mw.rkey = key;
    r.bind_mw.bind_info = *info;
  };
  q.wr_rdma_read = [](ibv_qp_ex* qp, std::uint32_t key, std::uint64_t address) {
    write(qp, IBV_WR_RDMA_READ, IBV_QP_EX_WITH_RDMA_READ, key, address, 0);
  };
  q.wr_rdma_write = [](ibv_qp_ex* qp, std::uint32_t key, std::uint64_t address) {
    write(qp, IBV_WR_RDMA_WRITE, IBV_QP_EX_WITH_RDMA_WRITE, key, address, 0);
  };
  q.wr_rdma_write_imm = [](ibv_qp_ex* qp, std::uint32_t key, std::uint64_t address, __be32 imm) {
    write(qp, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, key, address, imm);
  };
  q.wr_atomic_cmp_swp = [](ibv_qp_ex* qp, std::uint32_t key, std::uint64_t address, std::uint64_t compare,
                           std::uint64_t swap) {
    change(qp, IBV_WR_ATOMIC_CMP_AND_SWP, IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, key, address, compare, swap);
  };
  q.wr_atomic_fetch_add = [](ibv_qp_ex* qp, std::uint32_t key, std::uint64_t address, std::uint64_t add) {
    change(qp, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, key, address, add, 0);
  };

  q.wr_set_ud_addr = [](ibv_qp_ex* qp, ibv_ah* ah, std::uint32_t number, std::uint32_t qkey) {
    auto& to = to_queue_pair(qp).builder.request.wr.ud;
    to.ah = ah;
    to.remote_qpn = number;
    to.remote_qkey = qkey;
  };
  q.wr_set_sge = [](ibv_qp_ex* qp, std::uint32_t key, std::uint64_t address, std::uint32_t length) {
    to_queue_pair(qp).builder.pieces.assign(1, ibv_sge{address, length, key});
  };
  q.wr_set_sge_list = [](ibv_qp_ex* qp, std::size_t count, const ibv_sge* list) {
    to_queue_pair(qp).builder.pieces.assign(list, list + count);
  };
  q.wr_set_inline_data = [](ibv_qp_ex* qp, void* address, std::size_t length) { add_inline(qp, address, length); };
  q.wr_set_inline_data_list = [](ibv_qp_ex* qp, std::size_t count, const ibv_data_buf* list) {
    for (std::size_t i = 0; i < count; ++i) add_inline(qp, list[i].addr, list[i].length);
  };
  return true;
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
