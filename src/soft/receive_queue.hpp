// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_RECEIVE_QUEUE_HPP
#define ASIO_RDMA_SRC_SOFT_RECEIVE_QUEUE_HPP

#include "soft/peer.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// Buffers that wait for messages, in the own segment: those of one queue pair, or shared.
class receive_queue {
public:
  /// Makes room for count requests of up to pieces scatter entries each, and says how many there are.
  bool create(receive_queue_entry& entry, std::uint32_t& count, std::uint32_t pieces);
  void destroy() noexcept;
  /// Nobody else may use it meanwhile.
  void clear() noexcept;

  /// Posts a list, as ibv_post_recv does. The caller serialises it with itself.
  int post(ibv_recv_wr* list, ibv_recv_wr** bad) noexcept;

  ticket_ring ring() const noexcept;
  receive_queue_entry& shared() const noexcept { return *entry_; }
  explicit operator bool() const noexcept { return entry_ != nullptr; }
  std::uint32_t max_pieces() const noexcept { return max_pieces_; }
  /// Requests that may wait.
  std::uint32_t capacity() const noexcept { return capacity_; }

  /// Puts right what a process that ended had taken: it is there for the others again, unless it is used up. Before the
  /// completion queues are put right.
  void repair(unsigned dead_slot) noexcept;

private:
  receive_queue_entry* entry_ = nullptr;
  std::uint32_t max_pieces_ = 0;
  std::uint32_t capacity_ = 0;
  std::size_t bytes_ = 0;
};

/// A buffer taken out of a queue of this or another process.
struct taken_receive {
  ticket_ring ring;
  std::uint64_t ticket = 0;

  receive_entry& entry() const noexcept { return ring.payload<receive_entry>(ticket); }
  void release() noexcept { ring.release(ticket); }
};

/// Takes the oldest buffer of a queue; false if there is none.
bool take_receive(const peer& owner, receive_queue_entry& queue, taken_receive& result) noexcept;

struct shared_receive_queue final : ibv_srq {
  receive_queue queue;
  unsigned index = 0;
  std::mutex post_mutex;
  std::atomic<unsigned> users{0};  // queue pairs
  std::uint32_t events_taken = 0;  // under ibv_srq's mutex
};

inline shared_receive_queue* own(ibv_srq* srq) noexcept {
  return static_cast<shared_receive_queue*>(srq);
}

int post_srq_recv(ibv_srq* srq, ibv_recv_wr* list, ibv_recv_wr** bad);

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
