// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_MARKS_HPP
#define ASIO_RDMA_SRC_SOFT_MARKS_HPP

#include "soft/layout.hpp"

#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// Holds a mark in a process's segment.
class held_mark {
public:
  /// Waits while all are taken, which takes as many copying threads.
  held_mark(segment_header& target, unsigned own_slot) noexcept;
  held_mark(const held_mark&) = delete;
  held_mark& operator=(const held_mark&) = delete;
  ~held_mark() { release(); }

  /// Names a queue pair; its state has to be looked at afterwards.
  void set_qp(std::uint32_t number) noexcept { mark_->qp.store(number); }
  /// Names a key and then looks it up: its entry, which stays as it is until release(), or null if it is not valid.
  const key_entry* add_key(std::uint32_t key) noexcept;
  void release() noexcept;

private:
  segment_header& target_;
  mark* mark_ = nullptr;
  unsigned keys_ = 0;
};

/// Whether the process in a slot has ended, so that its marks mean nothing.
using gone_function = bool (*)(unsigned slot) noexcept;

/// Whether a mark in the segment names the key, or the queue pair.
bool is_key_marked(const segment_header& own, std::uint32_t key) noexcept;
bool is_qp_marked(const segment_header& own, std::uint32_t number) noexcept;
/// Waits until no mark in the segment names the key, which has been made invalid. Not on the helper thread, nor with a
/// lock that it takes: it serves others while a process is stopped that holds a mark, and wipes the marks of the dead.
void wait_for_key(const segment_header& own, std::uint32_t key, gone_function is_gone = nullptr) noexcept;
/// Waits until no mark in the segment names the queue pair, whose state has been changed.
void wait_for_qp(const segment_header& own, std::uint32_t number, gone_function is_gone = nullptr) noexcept;
/// Wipes the marks of a process that has ended.
void wipe_marks(segment_header& own, unsigned dead_slot) noexcept;

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
