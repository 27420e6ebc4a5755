// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_QUEUE_PAIR_HPP
#define ASIO_RDMA_SRC_SOFT_QUEUE_PAIR_HPP

#include "soft/address_handle.hpp"
#include "soft/completion_queue.hpp"
#include "soft/context.hpp"
#include "soft/indirect.hpp"
#include "soft/loop.hpp"
#include "soft/marks.hpp"
#include "soft/memory.hpp"
#include "soft/peer.hpp"
#include "soft/receive_queue.hpp"
#include "soft/responder.hpp"
#include "soft/send_builder.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// A send request as it waits in its queue; its pieces and inline bytes are in arrays of the queue.
struct send_request {
  std::uint64_t wr_id;
  ibv_wr_opcode opcode;
  unsigned flags;
  __be32 imm;            // or the key to invalidate
  std::uint32_t count;   // pieces; 1 if inline
  std::uint64_t length;  // of all pieces together
  std::uint64_t remote_address;
  std::uint32_t rkey;
  std::uint64_t compare_add;
  std::uint64_t swap;
  ibv_ah_attr to;  // of a datagram
  ibv_gid from;
  std::uint32_t to_domain;
  std::uint32_t to_qp;
  std::uint32_t to_qkey;
  std::uint32_t window;  // key of the window to bind
  std::uint32_t window_domain;
  ibv_mw_bind_info bind;
};

struct queue_pair final : ibv_qp_ex, std::enable_shared_from_this<queue_pair> {
  queue_pair() noexcept : ibv_qp_ex() {}

  queue_pair_entry& shared() const noexcept;
  ibv_qp_state current() const noexcept { return static_cast<ibv_qp_state>(shared().state.load()); }

  bool can_post() const noexcept;
  /// Puts a request into the queue. 0 or an errno value. Under send_mutex.
  int enqueue(const ibv_send_wr& wr);
  /// The same with what the builder has, if it has a request.
  void finish_request();
  /// Runs what was posted, as far as it goes. Under send_mutex.
  void run();
  /// The other process has done what it was asked for.
  void answered(const indirect_answer& a);
  /// A process has ended.
  void other_process_is_down(unsigned slot);
  /// A process has become known that it may have been waiting for.
  void other_process_is_up(unsigned slot);
  /// Goes to the error state because of what somebody else did or found, and says so.
  void fail(ibv_event_type why);
  /// Another process has put the shared state to error: does the rest. The news may be late: of a queue pair that was
  /// reset since then it says nothing.
  void confirm_failure(ibv_event_type why);
  void raise(ibv_event_type type);

  /// Every outstanding request completes with IBV_WC_WR_FLUSH_ERR, now or, where somebody is still copying, when that
  /// is over. Under send_mutex, and with no mark held.
  void enter_error();
  void flush_sends();
  void flush_receives();
  /// Forgets every outstanding request. Under send_mutex, when nobody is copying.
  void reset();
  /// Goes to a state in which nothing comes in, and waits for who is still copying.
  void stop(ibv_qp_state to, std::unique_lock<std::mutex>& lock);

  unsigned index = 0;
  ibv_qp_init_attr init{};
  ibv_qp_attr attributes{};  // as they were set
  std::uint32_t events_taken = 0;  // under qp_base's mutex

  // Receiving.
  std::mutex receive_mutex;
  receive_queue receives;

  // Sending, under send_mutex except where atomic.
  std::mutex send_mutex;
  bool signal_all = false;
  std::uint32_t send_depth = 0;  // a power of two
  std::uint32_t max_pieces = 0;
  std::uint32_t max_inline_bytes = 0;
  std::vector<send_request> requests;
  std::vector<ibv_sge> pieces;
  std::vector<unsigned char> inline_bytes;
  std::uint64_t posted = 0;
  std::uint64_t executed = 0;
  std::atomic<std::uint64_t> released{0};  // places given free by polled completions
  std::shared_ptr<peer> other;             // the process of the queue pair that this one is connected with
  bool waiting = false;                    // for a time or for the other process
  bool unanswered = false;                 // it is for an answer
  std::uint64_t wait_number = 0;           // tells a timer that it is late
  bool invalidating = false;               // the oldest request is, and waits for who is still copying
  bool asked = false;                      // the other process works on the oldest request
  unsigned retries_left = 0;
  unsigned rnr_retries_left = 0;
  send_builder builder;
  bool announce_drained = false;
  bool in_error = false;   // flushed; the shared state may say so before
  bool has_failed = false;

private:
  result execute(const send_request& r);
  result execute_connected(const send_request& r);
  result execute_datagram(const send_request& r);
  /// Lets the other process do it.
  result ask(const remote_request& r, const iovec* local, unsigned locals);
  int local_pieces(const send_request& r, held_mark& here, unsigned access, iovec* list) noexcept;
  void finish(const send_request& r, ibv_wc_status status, std::uint32_t bytes);
  void complete(const send_request& r, ibv_wc_status status, std::uint32_t bytes);
  void fail_locked(ibv_event_type why);
  void wait_for(loop::clock::duration time);
  void time_is_over();
  void retry_later(outcome why, const send_request& r);
  ibv_sge* pieces_of(std::uint64_t position) noexcept {
    return pieces.data() + (position & (send_depth - 1)) * max_pieces;
  }
  unsigned char* inline_of(std::uint64_t position) noexcept {
    return inline_bytes.data() + (position & (send_depth - 1)) * max_inline_bytes;
  }
};

inline queue_pair* own(ibv_qp* qp) noexcept {
  // ibv_qp_ex begins with it.
  return static_cast<queue_pair*>(reinterpret_cast<ibv_qp_ex*>(qp));
}

int post_send(ibv_qp* qp, ibv_send_wr* list, ibv_send_wr** bad);
int post_recv(ibv_qp* qp, ibv_recv_wr* list, ibv_recv_wr** bad);

/// Ends the queue pair's membership in all groups.
void detach_all(std::uint32_t qp_number) noexcept;

/// A completion of the queue pair was polled: its requests before that position have given their places free.
void release_sends(std::uint32_t qp_number, std::uint64_t position) noexcept;

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
