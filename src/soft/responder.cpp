// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/responder.hpp"

#include "soft/completion_queue.hpp"
#include "soft/context.hpp"
#include "soft/device.hpp"
#include "soft/marks.hpp"
#include "soft/memory.hpp"
#include "soft/receive_queue.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

bool is_receiving(std::uint32_t state) noexcept {
  return state == IBV_QPS_RTR || state == IBV_QPS_RTS || state == IBV_QPS_SQD || state == IBV_QPS_SQE;
}

/// Takes a buffer of a queue pair, from its own or its shared queue. False if there is none.
bool take_receive_for(peer& owner, queue_pair_entry& target, taken_receive& taken) {
  if (target.shared_queue == 0) return take_receive(owner, target.receives, taken);
  receive_queue_entry& queue = owner.header().srqs[target.shared_queue - 1];
  if (!take_receive(owner, queue, taken)) return false;
  // The limit is good for one event.
  const std::uint32_t limit = queue.limit.load();
  if (limit != 0 && taken.ring.size() < limit && queue.limit.exchange(0) != 0) {
    notify_process(owner, device_event::srq_limit, target.shared_queue - 1);
  }
  return true;
}

/// The protection domain of the memory that its buffers are in.
std::uint32_t receive_domain(const peer& owner, const queue_pair_entry& target) noexcept {
  return target.shared_queue == 0 ? target.domain : owner.header().srqs[target.shared_queue - 1].domain;
}

completion_entry completion_for(const queue_pair_entry& target, const taken_receive& taken, std::uint32_t from_qp,
                                std::uint64_t bytes) noexcept {
  completion_entry c{};
  c.qp = target.number.load();
  c.wc.wr_id = taken.entry().wr_id;
  c.wc.status = IBV_WC_SUCCESS;
  c.wc.opcode = IBV_WC_RECV;
  c.wc.qp_num = c.qp;
  c.wc.src_qp = from_qp;
  c.wc.byte_len = static_cast<std::uint32_t>(bytes);
  return c;
}

std::uint64_t room_in(const receive_entry& entry) noexcept {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < entry.count; ++i) sum += entry.pieces[i].length;
  return sum;
}

void put_into_error(queue_pair_entry& target) noexcept {
  std::uint32_t state = target.state.load();
  while (state != IBV_QPS_ERR && state != IBV_QPS_RESET && !target.state.compare_exchange_weak(state, IBV_QPS_ERR)) {
  }
}

/// One request under way.
class response {
public:
  response(const std::shared_ptr<peer>& owner, const remote_request& r, const iovec* local, unsigned locals) noexcept
      : owner_(*owner),
        request_(r),
        local_(local),
        locals_(locals),
        there_(owner->header(), device::instance()->slot()),
        target_(owner->header().qps[index_of(r.to_qp)]) {}

  result perform() {
    there_.set_qp(request_.to_qp);
    const bool is_connected = target_.number.load() == request_.to_qp && target_.type == IBV_QPT_RC &&
                              target_.peer.load() == request_.from_qp && is_receiving(target_.state.load());
    if (!is_connected) return {outcome::no_answer, IBV_WC_SUCCESS, 0};
    if (target_.state.load() == IBV_QPS_RTR && target_.established.exchange(1) == 0) {
      notify_process(owner_, device_event::qp_established, request_.to_qp);
    }
    switch (request_.opcode) {
      case IBV_WR_SEND:
      case IBV_WR_SEND_WITH_IMM:
      case IBV_WR_SEND_WITH_INV:
        return send();
      case IBV_WR_RDMA_WRITE:
      case IBV_WR_RDMA_WRITE_WITH_IMM:
        return write();
      case IBV_WR_RDMA_READ:
        return read();
      case IBV_WR_ATOMIC_CMP_AND_SWP:
      case IBV_WR_ATOMIC_FETCH_AND_ADD:
        return change();
      default:
        return refuse(device_event::qp_request_error, IBV_WC_REM_INV_REQ_ERR);
    }
  }

private:
  result send() {
    if (!take_receive_for(owner_, target_, taken_)) return {outcome::not_ready, IBV_WC_SUCCESS, 0};
    completion_ = completion_for(target_, taken_, request_.from_qp, request_.length);
    if (room_in(taken_.entry()) < request_.length) return fail_receive(IBV_WC_LOC_LEN_ERR, IBV_WC_REM_INV_REQ_ERR);
    std::array<iovec, max_sge> remote;
    const int remotes = gather(there_, taken_.entry().pieces, taken_.entry().count, receive_domain(owner_, target_),
                               IBV_ACCESS_LOCAL_WRITE, request_.length, remote.data());
    if (remotes < 0) return fail_receive(IBV_WC_LOC_PROT_ERR, IBV_WC_REM_OP_ERR);
    if (request_.length != 0 && !owner_.copy_to(local_, locals_, remote.data(), static_cast<unsigned>(remotes))) {
      return copy_failed(true);
    }
    if (request_.opcode == IBV_WR_SEND_WITH_INV) {
      completion_.wc.wc_flags = IBV_WC_WITH_INV;
      completion_.wc.invalidated_rkey = request_.rkey;
      if (!invalidate(owner_.header(), request_.to_qp, request_.rkey)) {
        return fail_receive(IBV_WC_LOC_PROT_ERR, IBV_WC_REM_ACCESS_ERR);
      }
    }
    return complete_receive();
  }

  result write() {
    // Without bytes the key is not looked at (IBTA 9.7.4.1.5).
    if (request_.length != 0 && !remote_memory(IBV_ACCESS_REMOTE_WRITE)) return refuse_access();
    const bool tells = request_.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
    if (tells) {
      if (!take_receive_for(owner_, target_, taken_)) return {outcome::not_ready, IBV_WC_SUCCESS, 0};
      completion_ = completion_for(target_, taken_, request_.from_qp, request_.length);
      completion_.wc.opcode = IBV_WC_RECV_RDMA_WITH_IMM;
    }
    const iovec remote = remote_bytes();
    if (request_.length != 0 && !owner_.copy_to(local_, locals_, &remote, 1)) return copy_failed(tells);
    return tells ? complete_receive() : success();
  }

  result read() {
    if (target_.max_dest_rd_atomic.load() == 0) return refuse(device_event::qp_request_error, IBV_WC_REM_INV_REQ_ERR);
    if (request_.length != 0 && !remote_memory(IBV_ACCESS_REMOTE_READ)) return refuse_access();
    const iovec remote = remote_bytes();
    if (request_.length != 0 && !owner_.copy_from(local_, locals_, &remote, 1)) return copy_failed(false);
    return success();
  }

  result change() {
    constexpr std::uint64_t size = sizeof(std::uint64_t);
    if (target_.max_dest_rd_atomic.load() == 0 || request_.address % size != 0) {
      return refuse(device_event::qp_request_error, IBV_WC_REM_INV_REQ_ERR);
    }
    if (!remote_memory(IBV_ACCESS_REMOTE_ATOMIC)) return refuse_access();
    // One at a time in the owner's process, whoever asks (IBV_ATOMIC_HCA). Nobody waits for a process that may have
    // been stopped: the request is tried again.
    std::atomic<std::uint32_t>& holder = owner_.header().atomics[(request_.address + shift_) / size % 64];
    std::uint32_t nobody = 0;
    for (unsigned i = 0; !holder.compare_exchange_strong(nobody, device::instance()->slot() + 1); ++i, nobody = 0) {
      if (i == 1000) return {outcome::busy, IBV_WC_SUCCESS, 0};
    }
    std::uint64_t before = 0;
    const iovec old_word{&before, size}, word = remote_bytes();
    bool is_done = owner_.copy_from(&old_word, 1, &word, 1);
    const bool adds = request_.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
    if (is_done && (adds || before == request_.compare_add)) {
      std::uint64_t after = adds ? before + request_.compare_add : request_.swap;
      const iovec new_word{&after, size};
      is_done = owner_.copy_to(&new_word, 1, &word, 1);
    }
    holder.store(0);
    if (!is_done) return copy_failed(false);
    (void)device::instance()->processes().self()->copy_to(&old_word, 1, local_, locals_);
    return success();
  }

  result success() const noexcept {
    return {outcome::done, IBV_WC_SUCCESS, static_cast<std::uint32_t>(request_.length)};
  }

  result complete_receive() {
    if (request_.opcode == IBV_WR_SEND_WITH_IMM || request_.opcode == IBV_WR_RDMA_WRITE_WITH_IMM) {
      completion_.wc.wc_flags = IBV_WC_WITH_IMM;
      completion_.wc.imm_data = request_.imm;
    }
    push_completion(owner_, target_.receive_cq, completion_, (request_.flags & IBV_SEND_SOLICITED) != 0, &taken_);
    return success();
  }

  /// The receive request is at fault, or the message does not suit it.
  result fail_receive(ibv_wc_status receivers, ibv_wc_status senders) {
    completion_.wc.status = receivers;
    push_completion(owner_, target_.receive_cq, completion_, false, &taken_);
    return refuse(device_event::qp_receive_error, senders);
  }

  result refuse_access() { return refuse(device_event::qp_access_error, IBV_WC_REM_ACCESS_ERR); }

  /// Puts the queue pair that the request goes to into the error state; its process does the rest.
  result refuse(device_event why, ibv_wc_status senders) {
    put_into_error(target_);
    notify_process(owner_, why, request_.to_qp);
    return {outcome::done, senders, 0};
  }

  /// The process has ended, which its socket tells soon; or the memory was taken away under the region's feet.
  result copy_failed(bool has_receive) {
    // A process that is ending has no memory any more, a while before it is gone.
    if (errno == ESRCH || !owner_.is_alive()) return {outcome::no_answer, IBV_WC_SUCCESS, 0};
    if (has_receive) return fail_receive(IBV_WC_LOC_PROT_ERR, IBV_WC_REM_OP_ERR);
    return refuse(device_event::qp_receive_error, IBV_WC_REM_OP_ERR);
  }

  iovec remote_bytes() const noexcept {
    return {reinterpret_cast<void*>(static_cast<std::uintptr_t>(request_.address + shift_)), request_.length};
  }

  /// Whether the remote key is that of a region or window which allows the access on this queue pair.
  bool remote_memory(unsigned access) noexcept {
    const key_entry* const entry = there_.add_key(request_.rkey);
    if (!entry || (target_.access.load() & access) != access ||
        !allows(*entry, target_.domain, access, request_.address, request_.length)) {
      return false;
    }
    shift_ = entry->shift;
    if (!entry->is_window) return true;
    // The region may have been registered anew since the window was bound.
    const key_entry* const region = there_.add_key(entry->region);
    return entry->qp == request_.to_qp && region && allows(*region, entry->domain, 0, entry->address, entry->length);
  }

  peer& owner_;
  const remote_request& request_;
  const iovec* local_;
  unsigned locals_;
  held_mark there_;
  queue_pair_entry& target_;
  std::uint64_t shift_ = 0;  // from the request's address to the memory's
  taken_receive taken_;
  completion_entry completion_{};
};

}  // namespace

result respond(const std::shared_ptr<peer>& owner, const remote_request& r, const iovec* local, unsigned locals) {
  return response(owner, r, local, locals).perform();
}

void deliver(const std::shared_ptr<peer>& owner, const datagram_header& d, const iovec* local, unsigned locals) {
  held_mark there(owner->header(), device::instance()->slot());
  there.set_qp(d.to_qp);
  queue_pair_entry& target = owner->header().qps[index_of(d.to_qp)];
  datagram_counts& counts = owner->header().datagrams;
  if (target.number.load() != d.to_qp || target.type != IBV_QPT_UD || target.qkey.load() != d.qkey ||
      !is_receiving(target.state.load())) {
    ++counts.refused;
    return;
  }
  taken_receive taken;
  if (!take_receive_for(*owner, target, taken)) {
    ++counts.without_receive;
    return;
  }
  const std::uint64_t size = grh_bytes + std::uint64_t{d.length};
  completion_entry completion = completion_for(target, taken, d.from_qp, size);
  completion.wc.wc_flags = IBV_WC_GRH;
  if (d.has_imm != 0) {
    completion.wc.wc_flags |= IBV_WC_WITH_IMM;
    completion.wc.imm_data = d.imm;
  }

  ibv_grh grh = d.grh;
  std::array<iovec, max_sge + 1> from;
  from[0] = {&grh, sizeof grh};
  std::copy_n(local, locals, from.begin() + 1);
  std::array<iovec, max_sge> to;
  if (room_in(taken.entry()) < size) {
    completion.wc.status = IBV_WC_LOC_LEN_ERR;
  } else {
    const int count = gather(there, taken.entry().pieces, taken.entry().count, receive_domain(*owner, target),
                             IBV_ACCESS_LOCAL_WRITE, size, to.data());
    if (count < 0 || !owner->copy_to(from.data(), locals + 1, to.data(), static_cast<unsigned>(count))) {
      completion.wc.status = IBV_WC_LOC_PROT_ERR;
    }
  }
  // Before anybody can see the completion, who may compare.
  if (completion.wc.status == IBV_WC_SUCCESS) ++counts.delivered;
  push_completion(*owner, target.receive_cq, completion, d.is_solicited != 0, &taken);
  if (completion.wc.status == IBV_WC_SUCCESS) return;
  put_into_error(target);
  notify_process(*owner, device_event::qp_receive_error, d.to_qp);
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
