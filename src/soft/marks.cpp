// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/marks.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

/// Waits while a mark names something, which takes microseconds, unless its owner is stopped or was killed.
template <class Names>
void wait_while(const mark& m, Names names, gone_function is_gone) noexcept {
  for (unsigned i = 0; names(m); ++i) {
    if (i < 100) {
      std::this_thread::yield();
      continue;
    }
    const std::uint32_t owner = m.owner.load();
    if (is_gone && owner != 0 && is_gone(owner - 1)) return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

bool names_key(const mark& m, std::uint32_t key) noexcept {
  return m.owner.load() != 0 &&
         std::any_of(m.keys, m.keys + max_sge, [key](const auto& named) { return named.load() == key; });
}

bool names_qp(const mark& m, std::uint32_t number) noexcept {
  return m.owner.load() != 0 && m.qp.load() == number;
}

}  // namespace

held_mark::held_mark(segment_header& target, unsigned own_slot) noexcept : target_(target) {
  thread_local unsigned next = static_cast<unsigned>(std::hash<std::thread::id>()(std::this_thread::get_id()));
  for (unsigned i = 0;; ++i) {
    mark& candidate = target.marks[(next + i) % max_marks];
    std::uint32_t nobody = 0;
    if (candidate.owner.load(std::memory_order_relaxed) == 0 &&
        candidate.owner.compare_exchange_strong(nobody, own_slot + 1)) {
      mark_ = &candidate;
      next = (next + i) % max_marks;
      return;
    }
    if (i % max_marks == max_marks - 1) std::this_thread::yield();
  }
}

const key_entry* held_mark::add_key(std::uint32_t key) noexcept {
  if (key == 0 || keys_ == max_sge || key >> 8 >= max_keys) return nullptr;
  mark_->keys[keys_++].store(key);
  const key_entry& entry = target_.keys[key >> 8];
  return entry.key.load() == key ? &entry : nullptr;
}

void held_mark::release() noexcept {
  if (!mark_) return;
  for (unsigned i = 0; i < keys_; ++i) mark_->keys[i].store(0, std::memory_order_release);
  mark_->qp.store(0, std::memory_order_release);
  mark_->owner.store(0, std::memory_order_release);
  mark_ = nullptr;
}

bool is_key_marked(const segment_header& own, std::uint32_t key) noexcept {
  return std::any_of(own.marks, own.marks + max_marks, [key](const mark& m) { return names_key(m, key); });
}

bool is_qp_marked(const segment_header& own, std::uint32_t number) noexcept {
  return std::any_of(own.marks, own.marks + max_marks, [number](const mark& m) { return names_qp(m, number); });
}

void wait_for_key(const segment_header& own, std::uint32_t key, gone_function is_gone) noexcept {
  for (const mark& m : own.marks) wait_while(m, [key](const mark& x) { return names_key(x, key); }, is_gone);
}

void wait_for_qp(const segment_header& own, std::uint32_t number, gone_function is_gone) noexcept {
  for (const mark& m : own.marks) wait_while(m, [number](const mark& x) { return names_qp(x, number); }, is_gone);
}

void wipe_marks(segment_header& own, unsigned dead_slot) noexcept {
  for (mark& m : own.marks) {
    if (m.owner.load() != dead_slot + 1) continue;
    for (auto& key : m.keys) key.store(0);
    m.qp.store(0);
    m.owner.store(0);
  }
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
