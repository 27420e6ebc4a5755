// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/receive_queue.hpp"

#include "soft/device.hpp"
#include "soft/power_of_two.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

bool receive_queue::create(receive_queue_entry& entry, std::uint32_t& count, std::uint32_t pieces) {
  capacity_ = count = power_of_two(count);
  max_pieces_ = pieces;
  // Twice as much: a process that has taken a buffer may be slow to give its entry back, in whose place on the next lap
  // one would be posted for a later buffer that is used up.
  const std::uint32_t entries = capacity_ * 2;
  entry.ring.capacity = entries;
  entry.ring.stride = static_cast<std::uint32_t>(sizeof(std::uint64_t) + offsetof(receive_entry, pieces) +
                                                 std::max(pieces, 1u) * sizeof(ibv_sge));
  entry.ring.stride = (entry.ring.stride + 7) / 8 * 8;
  bytes_ = std::size_t{entries} * entry.ring.stride;
  entry.ring.entries = device::instance()->heap().allocate(bytes_);
  if (entry.ring.entries == 0) return false;
  entry_ = &entry;
  clear();
  return true;
}

void receive_queue::destroy() noexcept {
  if (entry_) device::instance()->heap().free(entry_->ring.entries, bytes_);
  entry_ = nullptr;
}

void receive_queue::clear() noexcept {
  ring().clear();
}

ticket_ring receive_queue::ring() const noexcept {
  return ticket_ring(entry_->ring, device::instance()->memory().base());
}

int receive_queue::post(ibv_recv_wr* list, ibv_recv_wr** bad) noexcept {
  ticket_ring r = ring();
  for (; list != nullptr; list = list->next) {
    std::uint64_t ticket = 0;
    int e = 0;
    if (list->num_sge < 0 || static_cast<std::uint32_t>(list->num_sge) > max_pieces_) {
      e = EINVAL;
    } else if (!r.has_fewer_than(capacity_) || !r.claim_free(device::instance()->slot() + 1, ticket)) {
      e = ENOMEM;
    }
    if (e != 0) {
      *bad = list;
      return e;
    }
    auto& entry = r.payload<receive_entry>(ticket);
    entry.wr_id = list->wr_id;
    entry.by.cq = 0;
    entry.count = static_cast<std::uint32_t>(list->num_sge);
    std::copy_n(list->sg_list, entry.count, entry.pieces);
    r.publish(ticket);
  }
  return 0;
}

namespace {

bool is_used_up(const receive_entry& entry) noexcept {
  if (entry.by.cq == 0) return false;
  device& d = *device::instance();
  ticket_ring ring(d.memory().header().cqs[entry.by.cq - 1].rings[entry.by.ring], d.memory().base());
  return !ring.is_filling(entry.by.ticket) ||
         ring.payload<completion_slot>(entry.by.ticket).filled.load() == entry.by.ticket + 1;
}

}  // namespace

void receive_queue::repair(unsigned dead_slot) noexcept {
  ticket_ring r = ring();
  r.for_each_claimed(dead_slot + 1, [&](std::uint64_t ticket, ticket_ring::stage) {
    const auto& lost = r.payload<receive_entry>(ticket);
    if (is_used_up(lost)) return r.release(ticket);
    const std::vector<ibv_sge> pieces(lost.pieces, lost.pieces + lost.count);
    const std::uint64_t wr_id = lost.wr_id;
    r.release(ticket);
    std::uint64_t again = 0;
    if (!r.claim_free(device::instance()->slot() + 1, again)) return;  // filled meanwhile by its owner
    auto& entry = r.payload<receive_entry>(again);
    entry.wr_id = wr_id;
    entry.by.cq = 0;
    entry.count = static_cast<std::uint32_t>(pieces.size());
    std::copy(pieces.begin(), pieces.end(), entry.pieces);
    r.publish(again);
  });
}

bool take_receive(const peer& owner, receive_queue_entry& queue, taken_receive& result) noexcept {
  result.ring = ticket_ring(queue.ring, owner.base());
  return result.ring.claim_ready(device::instance()->slot() + 1, result.ticket);
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
