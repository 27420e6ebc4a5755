// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_LAYOUT_HPP
#define ASIO_RDMA_SRC_SOFT_LAYOUT_HPP

#include "soft/limits.hpp"
#include "soft/ticket_ring.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <atomic>
#include <cstdint>

// What a process shows the others of its objects: the segment that they map. The posting process plays the card, so the
// queues that it fills and the tables that it looks into are here; what is a process's own affair (send queues, lists
// of objects, the connection manager) is not.
namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// What a process is about to touch in the segment's process: taken before the keys and states are checked, and given
/// back after the copy. Deregistering a region, and taking a queue pair out of service, first make it invalid and then
/// wait until no mark names it. The marks of a dead process are wiped.
struct alignas(64) mark {
  std::atomic<std::uint32_t> owner{0};  // slot + 1 of the process that copies
  std::atomic<std::uint32_t> qp{0};     // number of the queue pair that it works on
  std::atomic<std::uint32_t> keys[max_sge]{};
};
constexpr unsigned max_marks = 128;

/// A memory region or window. Its fields do not change while key is not 0.
struct key_entry {
  std::atomic<std::uint32_t> key{0};  // lkey and rkey; 0 for an unused entry
  std::uint32_t access = 0;
  std::uint32_t domain = 0;
  std::uint32_t qp = 0;      // a window's (they are of type 2)
  std::uint32_t region = 0;  // key of the region that a window is of
  std::atomic<std::uint32_t> windows{0};  // that are bound to a region
  std::uint64_t address = 0;  // as requests name it
  std::uint64_t length = 0;
  std::uint64_t shift = 0;  // added to that gives where it is in the process's memory
  bool is_window = false;
};

struct completion_entry {
  ibv_wc wc;
  std::uint32_t qp;       // whose completion it is
  std::uint64_t sq_done;  // of a send: so many requests of the queue are over
};

/// A completion in its ring. What a process that was killed has filled is completed for it, see filled_completion.
struct completion_slot {
  std::atomic<std::uint64_t> filled;  // ticket + 1, once the completion is all there
  completion_entry completion;
};

/// A completion queue grows by getting another ring, twice as large at least: whoever is filling the one before may go
/// on, and its owner empties the rings in their order.
struct completion_queue_entry {
  ring_header rings[21];
  std::atomic<std::uint32_t> ring_count{0};  // the last one is filled; 0 for an unused entry
  std::atomic<std::uint32_t> armed{0};   // 1: for solicited completions, 2: for any
  std::atomic<std::uint32_t> broken{0};  // it overran
  std::atomic<std::uint32_t> events{0};  // raised so far
  std::uint32_t channel = 0;             // its number, never used again; 0: none
  int channel_fd = -1;                   // the channel's descriptor, in the owner
};

/// Which completion uses a receive request up. Said before the completion is filled, and the request is given back
/// after that: where the process is killed in between, either both or none of them have happened.
struct filled_completion {
  std::uint32_t cq;    // index + 1; 0 for none
  std::uint32_t ring;
  std::uint64_t ticket;
};

struct receive_entry {
  std::uint64_t wr_id;
  filled_completion by;
  std::uint32_t count;
  ibv_sge pieces[1];  // as many as the queue was made for
};

struct receive_queue_entry {
  ring_header ring;
  std::atomic<std::uint32_t> limit{0};  // of a shared queue: raise an event below it
  std::atomic<std::uint32_t> live{0};
  std::uint32_t domain = 0;
};

struct queue_pair_entry {
  std::atomic<std::uint32_t> number{0};  // 0 for an unused entry
  std::atomic<std::uint32_t> state{0};   // ibv_qp_state
  std::uint32_t type = 0;
  std::uint32_t domain = 0;
  std::atomic<std::uint32_t> access{0};
  std::atomic<std::uint32_t> peer{0};  // number of the queue pair that it is connected with
  std::atomic<std::uint32_t> qkey{0};
  std::atomic<std::uint32_t> min_rnr_timer{0};
  std::atomic<std::uint32_t> max_dest_rd_atomic{0};
  std::atomic<std::uint32_t> established{0};  // it has received something
  std::uint32_t receive_cq = 0;
  std::uint32_t shared_queue = 0;  // index + 1 of the shared receive queue, if there is one
  receive_queue_entry receives;
};

struct multicast_entry {
  std::atomic<std::uint32_t> qp{0};  // number; 0 for an unused entry, ~0 for one that is being written
  ibv_gid group{};
};

/// What became of the process's datagrams: of those that it has sent, and of those that were sent to it.
struct datagram_counts {
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> delivered{0};
  std::atomic<std::uint64_t> without_receive{0};
  std::atomic<std::uint64_t> refused{0};
};

struct segment_header {
  static constexpr std::uint64_t right_magic = 0x3074666f736f6961;  // "aiosoft0"
  static constexpr std::uint32_t right_version = 4;

  std::uint64_t magic = 0;
  std::uint32_t version = 0;
  std::uint32_t slot = 0;
  std::uint64_t instance = 0;  // a random number that is this process's alone
  mark marks[max_marks];
  std::atomic<std::uint32_t> atomics[64]{};  // slot + 1 of who works on the words that fall to it
  datagram_counts datagrams;
  multicast_entry multicast[max_multicast_attachments];
  queue_pair_entry qps[max_qps];
  completion_queue_entry cqs[max_cqs];
  receive_queue_entry srqs[max_srqs];
  key_entry keys[max_keys];
};

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
