// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Polling one completion after the other and asking for its parts (ibv_create_cq_ex(3)).

#include "soft/calls.hpp"
#include "soft/completion_queue.hpp"

#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

completion_queue& to_queue(ibv_cq_ex* cq) noexcept {
  return static_cast<completion_queue&>(*cq);
}

/// 0, or an errno value: ENOENT if there is no completion.
int take_one(completion_queue& q) noexcept {
  const int taken = take_completions(q, 1, &q.current);
  if (taken == 0) return ENOENT;
  if (taken < 0) return -taken;
  q.status = q.current.status;
  q.wr_id = q.current.wr_id;
  return 0;
}

// The mutex is held from a start that succeeds to the end.
int start_poll(ibv_cq_ex* cq, ibv_poll_cq_attr* attributes) {
  if (attributes != nullptr && attributes->comp_mask != 0) return EINVAL;
  completion_queue& q = to_queue(cq);
  q.poll_mutex.lock();
  const int e = take_one(q);
  if (e != 0) q.poll_mutex.unlock();
  return e;
}

int next_poll(ibv_cq_ex* cq) {
  return take_one(to_queue(cq));
}

void end_poll(ibv_cq_ex* cq) {
  tell_of_rest(to_queue(cq));
  to_queue(cq).poll_mutex.unlock();
}

}  // namespace

ibv_cq_ex* create_cq_ex(ibv_context* c, ibv_cq_init_attr_ex* a) {
  constexpr std::uint64_t known_parts = IBV_WC_STANDARD_FLAGS;
  const std::uint32_t flags = (a->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) != 0 ? a->flags : 0;
  const bool is_known = (a->comp_mask & ~std::uint32_t{IBV_CQ_INIT_ATTR_MASK_FLAGS}) == 0 &&
                        (a->wc_flags & ~known_parts) == 0 &&
                        (flags & ~std::uint32_t{IBV_CREATE_CQ_ATTR_SINGLE_THREADED}) == 0;
  if (!is_known) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  if (a->cqe > max_cqe || a->comp_vector >= static_cast<std::uint32_t>(c->num_comp_vectors)) {
    errno = EINVAL;
    return nullptr;
  }
  ibv_cq* const made =
      create_cq(c, static_cast<int>(a->cqe), a->cq_context, a->channel, static_cast<int>(a->comp_vector));
  if (made == nullptr) return nullptr;
  completion_queue& q = *own(made);
  q.is_extended = true;
  q.start_poll = start_poll;
  q.next_poll = next_poll;
  q.end_poll = end_poll;
  q.read_opcode = [](ibv_cq_ex* cq) { return to_queue(cq).current.opcode; };
  q.read_vendor_err = [](ibv_cq_ex* cq) { return to_queue(cq).current.vendor_err; };
  q.read_byte_len = [](ibv_cq_ex* cq) { return to_queue(cq).current.byte_len; };
  q.read_imm_data = [](ibv_cq_ex* cq) { return to_queue(cq).current.imm_data; };
  q.read_qp_num = [](ibv_cq_ex* cq) { return to_queue(cq).current.qp_num; };
  q.read_src_qp = [](ibv_cq_ex* cq) { return to_queue(cq).current.src_qp; };
  q.read_wc_flags = [](ibv_cq_ex* cq) { return to_queue(cq).current.wc_flags; };
  q.read_slid = [](ibv_cq_ex* cq) { return std::uint32_t{to_queue(cq).current.slid}; };
  q.read_sl = [](ibv_cq_ex* cq) { return to_queue(cq).current.sl; };
  q.read_dlid_path_bits = [](ibv_cq_ex* cq) { return to_queue(cq).current.dlid_path_bits; };
  return &q;
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
