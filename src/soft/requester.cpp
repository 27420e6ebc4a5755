// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The posting thread plays the card: it does what its requests ask for, in order, in the memory of both processes.

#include "soft/device.hpp"
#include "soft/queue_pair.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

/// RNR NAK timer field to time, in units of 10 us (IBTA table 46).
constexpr unsigned rnr_times[] = {65536, 1,   2,   3,   4,    6,    8,    12,   16,   24,   32,
                                  48,    64,  96,  128, 192,  256,  384,  512,  768,  1024, 1536,
                                  2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

loop::clock::duration rnr_time(unsigned timer) noexcept {
  return std::chrono::microseconds(rnr_times[timer & 31] * 10ul);
}

/// Local ACK timeout field to time: 4.096 us times 2 to that; 0 waits without end.
loop::clock::duration ack_time(unsigned timeout) noexcept {
  if (timeout == 0) return std::chrono::seconds(1);
  return std::chrono::nanoseconds(4096ull << (timeout & 31));
}

ibv_wc_opcode completion_opcode(ibv_wr_opcode opcode) noexcept {
  switch (opcode) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM:
      return IBV_WC_RDMA_WRITE;
    case IBV_WR_RDMA_READ:
      return IBV_WC_RDMA_READ;
    case IBV_WR_ATOMIC_CMP_AND_SWP:
      return IBV_WC_COMP_SWAP;
    case IBV_WR_ATOMIC_FETCH_AND_ADD:
      return IBV_WC_FETCH_ADD;
    case IBV_WR_LOCAL_INV:
      return IBV_WC_LOCAL_INV;
    case IBV_WR_BIND_MW:
      return IBV_WC_BIND_MW;
    default:
      return IBV_WC_SEND;
  }
}

}  // namespace

void queue_pair::run() {
  while (executed < posted) {
    const ibv_qp_state now = current();
    if (now == IBV_QPS_ERR) return in_error ? flush_sends() : enter_error();
    if (now == IBV_QPS_SQE) return flush_sends();
    if (waiting || now != IBV_QPS_RTS) break;
    const send_request r = requests[executed & (send_depth - 1)];
    const result x = execute(r);
    if (x.how == outcome::done) {
      finish(r, x.status, x.bytes);
    } else if (x.how != outcome::asked) {
      retry_later(x.how, r);
    }
  }
  if (current() == IBV_QPS_SQD && announce_drained && !waiting) {
    announce_drained = false;
    raise(IBV_EVENT_SQ_DRAINED);
  }
}

void queue_pair::finish(const send_request& r, ibv_wc_status status, std::uint32_t bytes) {
  ++executed;
  retries_left = attributes.retry_cnt;
  rnr_retries_left = attributes.rnr_retry;
  if (status != IBV_WC_SUCCESS || signal_all || (r.flags & IBV_SEND_SIGNALED) != 0) complete(r, status, bytes);
  if (status == IBV_WC_SUCCESS) return;
  if (qp_base.qp_type == IBV_QPT_RC) return enter_error();
  // Of an unreliable queue pair only the sending side stops.
  shared().state = IBV_QPS_SQE;
  qp_base.state = IBV_QPS_SQE;
  flush_sends();
}

void queue_pair::flush_sends() {
  while (executed < posted) {
    const send_request r = requests[executed & (send_depth - 1)];
    ++executed;
    complete(r, IBV_WC_WR_FLUSH_ERR, 0);
  }
}

void queue_pair::complete(const send_request& r, ibv_wc_status status, std::uint32_t bytes) {
  completion_entry completion{};
  completion.wc.wr_id = r.wr_id;
  completion.wc.status = status;
  completion.wc.opcode = completion_opcode(r.opcode);
  completion.wc.byte_len = bytes;
  completion.wc.qp_num = qp_base.qp_num;
  completion.qp = qp_base.qp_num;
  completion.sq_done = executed;
  push_completion(*device::instance()->processes().self(), own(qp_base.send_cq)->index, completion, false);
}

void queue_pair::retry_later(outcome why, const send_request& r) {
  if (why == outcome::busy) return wait_for(std::chrono::microseconds(50));
  if (why == outcome::not_ready) {
    if (rnr_retries_left == 0) return finish(r, IBV_WC_RNR_RETRY_EXC_ERR, 0);
    if (rnr_retries_left != 7) --rnr_retries_left;
    const peer& p = *other;
    return wait_for(rnr_time(p.header().qps[index_of(attributes.dest_qp_num)].min_rnr_timer.load()));
  }
  unanswered = true;
  wait_for(ack_time(attributes.timeout));
}

void queue_pair::wait_for(loop::clock::duration time) {
  waiting = true;
  device::instance()->helper().after(time, [self = shared_from_this(), number = ++wait_number] {
    const std::lock_guard<std::mutex> lock(self->send_mutex);
    if (self->wait_number == number) self->time_is_over();
  });
}

void queue_pair::time_is_over() {
  waiting = false;
  // A timeout of 0 has no end.
  if (std::exchange(unanswered, false) && attributes.timeout != 0) {
    if (retries_left == 0) {
      const send_request r = requests[executed & (send_depth - 1)];
      finish(r, IBV_WC_RETRY_EXC_ERR, 0);
    } else {
      --retries_left;
    }
  }
  run();
}

void queue_pair::other_process_is_up(unsigned slot) {
  const std::lock_guard<std::mutex> lock(send_mutex);
  if (!waiting || asked || (qp_base.qp_type == IBV_QPT_RC && slot_of(attributes.dest_qp_num) != slot)) return;
  waiting = unanswered = false;
  ++wait_number;
  run();
}

void queue_pair::other_process_is_down(unsigned slot) {
  const std::lock_guard<std::mutex> lock(send_mutex);
  if (in_error) flush_receives();  // what it had taken is there again
  if (current() == IBV_QPS_ERR && !in_error) {
    // It was killed before it could say why.
    enter_error();
    raise(IBV_EVENT_QP_FATAL);
  }
  // What it was asked for will not be answered.
  if (!asked || slot_of(attributes.dest_qp_num) != slot) return;
  waiting = asked = false;
  ++wait_number;
  run();
}

int queue_pair::local_pieces(const send_request& r, held_mark& here, unsigned access, iovec* list) noexcept {
  const ibv_sge* const given = pieces_of(executed);
  if ((r.flags & IBV_SEND_INLINE) == 0) return gather(here, given, r.count, qp_base.pd->handle, access, r.length, list);
  if (r.count != 0) list[0] = {reinterpret_cast<void*>(static_cast<std::uintptr_t>(given->addr)), given->length};
  return static_cast<int>(r.count);
}

result queue_pair::execute(const send_request& r) {
  switch (r.opcode) {
    case IBV_WR_LOCAL_INV: {
      segment_header& h = device::instance()->memory().header();
      if (!invalidating && !invalidate(h, qp_base.qp_num, r.rkey)) return {outcome::done, IBV_WC_MW_BIND_ERR, 0};
      invalidating = is_key_marked(h, r.rkey);
      return {invalidating ? outcome::busy : outcome::done, IBV_WC_SUCCESS, 0};
    }
    case IBV_WR_BIND_MW:
      if (r.window_domain != qp_base.pd->handle) return {outcome::done, IBV_WC_MW_BIND_ERR, 0};
      return {outcome::done, bind_window(qp_base.qp_num, qp_base.pd->handle, r.window, r.rkey, r.bind), 0};
    default:
      return qp_base.qp_type == IBV_QPT_RC ? execute_connected(r) : execute_datagram(r);
  }
}

result queue_pair::execute_connected(const send_request& r) {
  const bool fetches = r.opcode == IBV_WR_RDMA_READ || is_atomic(r.opcode);
  if (r.length > max_message || (is_atomic(r.opcode) && r.length != sizeof(std::uint64_t))) {
    return {outcome::done, IBV_WC_LOC_LEN_ERR, 0};
  }
  if (fetches && attributes.max_rd_atomic == 0) return {outcome::done, IBV_WC_LOC_QP_OP_ERR, 0};
  held_mark here(device::instance()->memory().header(), device::instance()->slot());
  std::array<iovec, max_sge> local;
  const int locals = local_pieces(r, here, fetches ? IBV_ACCESS_LOCAL_WRITE : 0, local.data());
  if (locals < 0) return {outcome::done, IBV_WC_LOC_PROT_ERR, 0};

  if (!other || other->is_down()) other = device::instance()->processes().reach(slot_of(attributes.dest_qp_num));
  if (!other || !other->is_up()) return {outcome::no_answer, IBV_WC_SUCCESS, 0};
  const remote_request what{r.opcode,         r.flags, r.imm,         r.rkey, qp_base.qp_num, attributes.dest_qp_num,
                             r.remote_address, r.length, r.compare_add, r.swap};
  if (other->is_direct()) return respond(other, what, local.data(), static_cast<unsigned>(locals));
  return ask(what, local.data(), static_cast<unsigned>(locals));
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
