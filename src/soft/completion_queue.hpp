// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_COMPLETION_QUEUE_HPP
#define ASIO_RDMA_SRC_SOFT_COMPLETION_QUEUE_HPP

#include "soft/completion_channel.hpp"
#include "soft/peer.hpp"
#include "soft/segment.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

struct taken_receive;

/// What it shares with ibv_cq is at the same places in ibv_cq_ex.
struct completion_queue final : ibv_cq_ex {
  completion_queue() noexcept : ibv_cq_ex() {}

  ibv_cq* base() noexcept { return ibv_cq_ex_to_cq(this); }
  completion_queue_entry& shared() const noexcept;
  ticket_ring ring(unsigned number) const noexcept;
  /// Adds a ring. False if the segment is full.
  bool grow(std::uint32_t capacity);

  unsigned index = 0;
  std::mutex poll_mutex;
  std::atomic<unsigned> users{0};  // queue pairs
  std::uint32_t events_taken = 0;  // under the channel's mutex
  std::uint32_t events_acknowledged = 0;
  std::uint32_t async_events_taken = 0;  // under ibv_cq's mutex
  bool is_extended = false;  // made by ibv_create_cq_ex
  ibv_wc current{};          // that ibv_start_poll or ibv_next_poll has come to; under poll_mutex
};

inline completion_queue* own(ibv_cq* cq) noexcept {
  return static_cast<completion_queue*>(reinterpret_cast<ibv_cq_ex*>(cq));
}

/// Puts a completion into a queue of this or another process, gives the receive request back that it uses up, and wakes
/// who waits for it. False if the queue overran.
bool push_completion(peer& owner, unsigned cq, const completion_entry& completion, bool solicited,
                     taken_receive* used_up = nullptr);

/// Drops the completions of a queue pair that is reset or destroyed.
void purge_completions(completion_queue& cq, std::uint32_t qp_number) noexcept;

/// Puts right what a process that ended was filling, and wakes who it was about to wake.
void repair_completion_queue(completion_queue& cq, unsigned dead_slot) noexcept;

int poll_cq(ibv_cq* cq, int count, ibv_wc* completions);
/// The same, for who holds poll_mutex.
int take_completions(completion_queue& q, int count, ibv_wc* completions) noexcept;
/// For who has taken some, and holds poll_mutex: if the queue is armed and has more, its event is raised. By IBTA
/// (11.4.2.2) no event tells of what was there before arming; but cards do tell of it, and programs that poll a few
/// after each event, such as perftest, wait for ever where a device is so fast that all are there.
void tell_of_rest(completion_queue& q) noexcept;
int req_notify_cq(ibv_cq* cq, int solicited_only);

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
