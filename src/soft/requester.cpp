// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The posting thread plays the card: it does what its requests ask for, in order, in the memory of both processes.

#include "soft/device.hpp"
#include "soft/queue_pair.hpp"
#include "soft/responder.hpp"

#include <algorithm>
#include <array>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

/// RNR NAK timer field to time, in units of 10 us (IBTA table 46).
constexpr unsigned rnr_times[] = {65536, 1,   2,   3,   4,    6,    8,    12,   16,   24,   32,    48,   64,   96,   128,  192,
                                  256,   384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192,  12288, 16384, 24576, 32768, 49152};

loop::clock::duration rnr_time(unsigned timer) noexcept {
  return std::chrono::microseconds(rnr_times[timer & 31] * 10ul);
}

/// Local ACK timeout field to time: 4.096 us times 2 to that; 0 waits without end.
loop::clock::duration ack_time(unsigned timeout) noexcept {
  if (timeout == 0) return std::chrono::seconds(1);
  return std::chrono::nanoseconds(4096ull << (timeout & 31));
}

bool is_receiving(const queue_pair_entry& q) noexcept {
  const auto state = q.state.load();
  return state == IBV_QPS_RTR || state == IBV_QPS_RTS || state == IBV_QPS_SQD;
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

/// The region or window of a remote key, if it allows the access on this queue pair.
const key_entry* remote_memory(held_mark& there, const queue_pair_entry& target, std::uint32_t rkey, unsigned access,
                               std::uint64_t address, std::uint64_t length) noexcept {
  const key_entry* const entry = there.add_key(rkey);
  if (!entry || (target.access.load() & access) != access || !allows(*entry, target.domain, access, address, length)) {
    return nullptr;
  }
  if (!entry->is_window) return entry;
  const bool region_lives = entry->qp == target.number.load() && there.add_key(entry->region) != nullptr;
  return region_lives ? entry : nullptr;
}

/// The peer has done something that puts the queue pair at the other end into the error state.
void put_into_error(peer& p, queue_pair_entry& target, device_event why) {
  std::uint32_t state = target.state.load();
  while (state != IBV_QPS_ERR && state != IBV_QPS_RESET && !target.state.compare_exchange_weak(state, IBV_QPS_ERR)) {
  }
  notify_process(p, why, target.number.load());
}

}  // namespace

void queue_pair::run() {
  while (executed < posted) {
    const ibv_qp_state now = current();
    if (now == IBV_QPS_ERR) return enter_error();
    if (now == IBV_QPS_SQE) return flush_sends();
    if (waiting || now != IBV_QPS_RTS) break;
    const send_request r = requests[executed & (send_depth - 1)];
    const result x = execute(r);
    if (x.how == outcome::done) {
      finish(r, x.status, x.bytes);
    } else {
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
  if (qp_type == IBV_QPT_RC) return enter_error();
  // Of an unreliable queue pair only the sending side stops.
  shared().state = IBV_QPS_SQE;
  ibv_qp::state = IBV_QPS_SQE;
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
  completion.wc.qp_num = qp_num;
  completion.qp = qp_num;
  completion.sq_done = executed;
  push_completion(*device::instance()->processes().self(), own(send_cq)->index, completion, false);
}

void queue_pair::retry_later(outcome why, const send_request& r) {
  if (why == outcome::busy) return wait_for(std::chrono::microseconds(50));
  if (why == outcome::not_ready) {
    if (rnr_retries_left == 0) return finish(r, IBV_WC_RNR_RETRY_EXC_ERR, 0);
    if (rnr_retries_left != 7) --rnr_retries_left;
    const peer& p = *other;
    return wait_for(rnr_time(p.header().qps[index_of(attributes.dest_qp_num)].min_rnr_timer.load()));
  }
  if (qp_type == IBV_QPT_RC && attributes.timeout != 0) {
    if (retries_left == 0) return finish(r, IBV_WC_RETRY_EXC_ERR, 0);
    --retries_left;
  }
  wait_for(ack_time(attributes.timeout));
}

void queue_pair::wait_for(loop::clock::duration time) {
  waiting = true;
  device::instance()->helper().after(time, [self = shared_from_this(), number = ++wait_number] {
    const std::lock_guard<std::mutex> lock(self->send_mutex);
    if (self->wait_number != number) return;
    self->waiting = false;
    self->run();
  });
}

void queue_pair::other_process_is_up(unsigned slot) {
  const std::lock_guard<std::mutex> lock(send_mutex);
  if (!waiting || (qp_type == IBV_QPT_RC && slot_of(attributes.dest_qp_num) != slot)) return;
  waiting = false;
  ++wait_number;
  run();
}

int queue_pair::local_pieces(const send_request& r, held_mark& here, unsigned access, iovec* list) noexcept {
  const ibv_sge* const given = pieces_of(executed);
  if ((r.flags & IBV_SEND_INLINE) == 0) return gather(here, given, r.count, pd->handle, access, r.length, list);
  if (r.count != 0) list[0] = {reinterpret_cast<void*>(static_cast<std::uintptr_t>(given->addr)), given->length};
  return static_cast<int>(r.count);
}

queue_pair::result queue_pair::execute(const send_request& r) {
  switch (r.opcode) {
    case IBV_WR_LOCAL_INV: {
      segment_header& h = device::instance()->memory().header();
      return {outcome::done, invalidate(h, qp_num, r.rkey) ? IBV_WC_SUCCESS : IBV_WC_MW_BIND_ERR, 0};
    }
    case IBV_WR_BIND_MW:
      return {outcome::done, bind_window(qp_num, pd->handle, r.window, r.rkey, r.bind), 0};
    default:
      return qp_type == IBV_QPT_RC ? execute_connected(r) : execute_datagram(r);
  }
}

queue_pair::result queue_pair::execute_connected(const send_request& r) {
  if (r.length > max_message) return {outcome::done, IBV_WC_LOC_LEN_ERR, 0};
  if (!other || other->is_down()) other = device::instance()->processes().reach(slot_of(attributes.dest_qp_num));
  if (!other || !other->is_up()) return {outcome::no_answer, IBV_WC_SUCCESS, 0};

  held_mark there(other->header(), device::instance()->slot());
  there.set_qp(attributes.dest_qp_num);
  queue_pair_entry& target = other->header().qps[index_of(attributes.dest_qp_num)];
  const bool is_connected = target.number.load() == attributes.dest_qp_num && target.type == IBV_QPT_RC &&
                            target.peer.load() == qp_num && is_receiving(target);
  if (!is_connected) return {outcome::no_answer, IBV_WC_SUCCESS, 0};
  if (target.state.load() == IBV_QPS_RTR && target.established.exchange(1) == 0) {
    notify_process(*other, device_event::qp_established, attributes.dest_qp_num);
  }
  switch (r.opcode) {
    case IBV_WR_SEND:
    case IBV_WR_SEND_WITH_IMM:
    case IBV_WR_SEND_WITH_INV:
      return send_to(r, there, target);
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM:
      return write_to(r, there, target);
    case IBV_WR_RDMA_READ:
      return read_from(r, there, target);
    default:
      return change_atomically(r, there, target);
  }
}

queue_pair::result queue_pair::reject_access(queue_pair_entry& target) {
  put_into_error(*other, target, device_event::qp_access_error);
  return {outcome::done, IBV_WC_REM_ACCESS_ERR, 0};
}

queue_pair::result queue_pair::reject_request(queue_pair_entry& target) {
  put_into_error(*other, target, device_event::qp_request_error);
  return {outcome::done, IBV_WC_REM_INV_REQ_ERR, 0};
}

queue_pair::result queue_pair::send_to(const send_request& r, held_mark& there, queue_pair_entry& target) {
  held_mark here(device::instance()->memory().header(), device::instance()->slot());
  std::array<iovec, max_sge> local, remote;
  const int locals = local_pieces(r, here, 0, local.data());
  if (locals < 0) return {outcome::done, IBV_WC_LOC_PROT_ERR, 0};

  taken_receive receive;
  if (!take_receive_for(*other, target, receive)) return {outcome::not_ready, IBV_WC_SUCCESS, 0};
  completion_entry completion = receive_completion(target, receive, r, qp_num);
  completion.wc.byte_len = static_cast<std::uint32_t>(r.length);
  std::uint64_t room = 0;
  const receive_entry& into = receive.entry();
  for (std::uint32_t i = 0; i < into.count; ++i) room += into.pieces[i].length;
  const int remotes = room < r.length ? 0
                                      : gather(there, into.pieces, into.count, receive_domain(*other, target),
                                               IBV_ACCESS_LOCAL_WRITE, r.length, remote.data());
  if (room < r.length || remotes < 0) {
    completion.wc.status = room < r.length ? IBV_WC_LOC_LEN_ERR : IBV_WC_LOC_PROT_ERR;
    receive.release();
    push_completion(*other, target.receive_cq, completion, false);
    put_into_error(*other, target, device_event::qp_receive_error);
    return {outcome::done, room < r.length ? IBV_WC_REM_INV_REQ_ERR : IBV_WC_REM_OP_ERR, 0};
  }
  if (r.length != 0 && !other->copy_to(local.data(), static_cast<unsigned>(locals), remote.data(),
                                       static_cast<unsigned>(remotes))) {
    return copy_failed(target, &receive, &completion);
  }
  if (r.opcode == IBV_WR_SEND_WITH_INV && !invalidate(other->header(), target.number.load(), r.rkey)) {
    completion.wc.status = IBV_WC_LOC_PROT_ERR;
    receive.release();
    push_completion(*other, target.receive_cq, completion, false);
    put_into_error(*other, target, device_event::qp_access_error);
    return {outcome::done, IBV_WC_REM_ACCESS_ERR, 0};
  }
  receive.release();
  push_completion(*other, target.receive_cq, completion, (r.flags & IBV_SEND_SOLICITED) != 0);
  return {outcome::done, IBV_WC_SUCCESS, static_cast<std::uint32_t>(r.length)};
}

queue_pair::result queue_pair::write_to(const send_request& r, held_mark& there, queue_pair_entry& target) {
  held_mark here(device::instance()->memory().header(), device::instance()->slot());
  std::array<iovec, max_sge> local;
  const int locals = local_pieces(r, here, 0, local.data());
  if (locals < 0) return {outcome::done, IBV_WC_LOC_PROT_ERR, 0};
  // Without bytes the key is not looked at (IBTA 9.7.4.1.5).
  if (r.length != 0 &&
      !remote_memory(there, target, r.rkey, IBV_ACCESS_REMOTE_WRITE, r.remote_address, r.length)) {
    return reject_access(target);
  }
  taken_receive receive;
  const bool tells = r.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
  if (tells && !take_receive_for(*other, target, receive)) return {outcome::not_ready, IBV_WC_SUCCESS, 0};
  completion_entry completion{};
  if (tells) {
    completion = receive_completion(target, receive, r, qp_num);
    completion.wc.byte_len = static_cast<std::uint32_t>(r.length);
  }
  const iovec remote{reinterpret_cast<void*>(static_cast<std::uintptr_t>(r.remote_address)), r.length};
  if (r.length != 0 && !other->copy_to(local.data(), static_cast<unsigned>(locals), &remote, 1)) {
    return copy_failed(target, tells ? &receive : nullptr, &completion);
  }
  if (tells) {
    receive.release();
    push_completion(*other, target.receive_cq, completion, (r.flags & IBV_SEND_SOLICITED) != 0);
  }
  return {outcome::done, IBV_WC_SUCCESS, static_cast<std::uint32_t>(r.length)};
}

queue_pair::result queue_pair::read_from(const send_request& r, held_mark& there, queue_pair_entry& target) {
  if (attributes.max_rd_atomic == 0) return {outcome::done, IBV_WC_LOC_QP_OP_ERR, 0};
  held_mark here(device::instance()->memory().header(), device::instance()->slot());
  std::array<iovec, max_sge> local;
  const int locals = local_pieces(r, here, IBV_ACCESS_LOCAL_WRITE, local.data());
  if (locals < 0) return {outcome::done, IBV_WC_LOC_PROT_ERR, 0};
  if (target.max_dest_rd_atomic.load() == 0) return reject_request(target);
  if (r.length != 0 && !remote_memory(there, target, r.rkey, IBV_ACCESS_REMOTE_READ, r.remote_address, r.length)) {
    return reject_access(target);
  }
  const iovec remote{reinterpret_cast<void*>(static_cast<std::uintptr_t>(r.remote_address)), r.length};
  if (r.length != 0 && !other->copy_from(local.data(), static_cast<unsigned>(locals), &remote, 1)) {
    return copy_failed(target, nullptr, nullptr);
  }
  return {outcome::done, IBV_WC_SUCCESS, static_cast<std::uint32_t>(r.length)};
}

queue_pair::result queue_pair::change_atomically(const send_request& r, held_mark& there, queue_pair_entry& target) {
  if (attributes.max_rd_atomic == 0) return {outcome::done, IBV_WC_LOC_QP_OP_ERR, 0};
  constexpr std::uint64_t size = sizeof(std::uint64_t);
  held_mark here(device::instance()->memory().header(), device::instance()->slot());
  std::array<iovec, max_sge> local;
  if (r.length != size) return {outcome::done, IBV_WC_LOC_LEN_ERR, 0};
  const int locals = local_pieces(r, here, IBV_ACCESS_LOCAL_WRITE, local.data());
  if (locals < 0) return {outcome::done, IBV_WC_LOC_PROT_ERR, 0};
  if (target.max_dest_rd_atomic.load() == 0 || r.remote_address % size != 0) return reject_request(target);
  if (!remote_memory(there, target, r.rkey, IBV_ACCESS_REMOTE_ATOMIC, r.remote_address, size)) {
    return reject_access(target);
  }
  // One at a time in the target's process, whoever asks (IBV_ATOMIC_HCA). Nobody waits for a process that may have been
  // stopped: the request is tried again.
  std::atomic<std::uint32_t>& holder = other->header().atomics[r.remote_address / size % 64];
  std::uint32_t nobody = 0;
  for (unsigned i = 0; !holder.compare_exchange_strong(nobody, device::instance()->slot() + 1); ++i, nobody = 0) {
    if (i == 1000) return {outcome::busy, IBV_WC_SUCCESS, 0};
  }
  std::uint64_t before = 0;
  const iovec old_word{&before, size};
  const iovec word{reinterpret_cast<void*>(static_cast<std::uintptr_t>(r.remote_address)), size};
  bool is_done = other->copy_from(&old_word, 1, &word, 1);
  std::uint64_t after = r.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? before + r.compare_add : r.swap;
  if (is_done && (r.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || before == r.compare_add)) {
    const iovec new_word{&after, size};
    is_done = other->copy_to(&new_word, 1, &word, 1);
  }
  holder.store(0);
  if (!is_done) return copy_failed(target, nullptr, nullptr);
  (void)device::instance()->processes().self()->copy_to(&old_word, 1, local.data(), static_cast<unsigned>(locals));
  return {outcome::done, IBV_WC_SUCCESS, static_cast<std::uint32_t>(size)};
}

queue_pair::result queue_pair::copy_failed(queue_pair_entry& target, taken_receive* receive,
                                           completion_entry* completion) {
  // The process has ended, which its socket tells soon; or the memory was taken away under the region's feet.
  if (!other->is_alive()) return {outcome::no_answer, IBV_WC_SUCCESS, 0};
  if (receive) {
    completion->wc.status = IBV_WC_LOC_PROT_ERR;
    receive->release();
    push_completion(*other, target.receive_cq, *completion, false);
  }
  put_into_error(*other, target, device_event::qp_receive_error);
  return {outcome::done, IBV_WC_REM_OP_ERR, 0};
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
