// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "support/late_posts.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

namespace test_support {

namespace {

using clock = std::chrono::steady_clock;

/// A copy of a list of requests, and of what they send inline.
struct held_list {
  held_list(const ibv_send_wr* first, clock::time_point when) : due(when) {
    for (const ibv_send_wr* r = first; r != nullptr; r = r->next) {
      requests.push_back(*r);
      entries.emplace_back(r->sg_list, r->sg_list + r->num_sge);
      if ((r->send_flags & IBV_SEND_INLINE) == 0) continue;
      for (ibv_sge& e : entries.back()) {
        const auto* from = reinterpret_cast<const std::byte*>(e.addr);
        bytes.emplace_back(from, from + e.length);
        e.addr = reinterpret_cast<std::uintptr_t>(bytes.back().data());
      }
    }
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].sg_list = entries[i].data();
      requests[i].next = i + 1 < requests.size() ? &requests[i + 1] : nullptr;
    }
  }
  held_list(const held_list&) = delete;
  held_list& operator=(const held_list&) = delete;

  clock::time_point due;
  std::vector<ibv_send_wr> requests;
  std::vector<std::vector<ibv_sge>> entries;
  std::vector<std::vector<std::byte>> bytes;
};

/// What waits. It outlives every late_posts, since a call may have begun before its end.
struct keeper {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> is_wanted{false};
  late_posts::post_function real = nullptr;
  std::mt19937 random;
  unsigned longest = 0;
  std::map<ibv_qp*, std::deque<std::unique_ptr<held_list>>> held;
  std::uint64_t late = 0;
  std::uint64_t before_arming = 0;

  static keeper& instance() {
    static keeper& k = *new keeper;
    return k;
  }

  // All of these under the mutex.

  bool is_held(ibv_qp* qp) const { return held.count(qp) != 0; }

  /// Everything of a queue pair, as one burst.
  void hand_over(ibv_qp* qp) {
    for (const auto& list : held[qp]) {
      ibv_send_wr* bad = nullptr;
      (void)real(qp, list->requests.data(), &bad);
      ++late;
    }
    held.erase(qp);
  }

  /// What is due. When the next is.
  clock::time_point hand_over_due() {
    clock::time_point next = clock::now() + std::chrono::seconds(1);
    for (auto i = held.begin(); i != held.end();) {
      const auto entry = i++;
      const clock::time_point due = entry->second.front()->due;
      due <= clock::now() ? hand_over(entry->first) : void(next = std::min(next, due));
    }
    return next;
  }
};

}  // namespace

late_posts::late_posts(unsigned seed, unsigned longest_microseconds) {
  keeper& k = keeper::instance();
  {
    const std::lock_guard<std::mutex> lock(k.mutex);
    k.random.seed(seed);
    k.longest = longest_microseconds;
    k.is_wanted = true;
  }
  thread_ = std::thread([&k] {
    std::unique_lock<std::mutex> lock(k.mutex);
    while (k.is_wanted) k.changed.wait_until(lock, k.hand_over_due());
  });
}

late_posts::~late_posts() {
  keeper& k = keeper::instance();
  {
    const std::lock_guard<std::mutex> lock(k.mutex);
    k.is_wanted = false;
    while (!k.held.empty()) k.hand_over(k.held.begin()->first);
  }
  k.changed.notify_one();
  thread_.join();
}

bool late_posts::are_wanted() noexcept {
  return keeper::instance().is_wanted.load(std::memory_order_relaxed);
}

int late_posts::post(post_function real, ibv_qp* qp, ibv_send_wr* first, ibv_send_wr** bad) {
  keeper& k = keeper::instance();
  const std::lock_guard<std::mutex> lock(k.mutex);
  k.real = real;
  const bool waits = k.is_held(qp) || (k.is_wanted && qp->state == IBV_QPS_RTS && k.random() % 2 == 0);
  if (!waits) return real(qp, first, bad);
  const auto delay = std::chrono::microseconds(k.random() % k.longest);
  k.held[qp].push_back(std::make_unique<held_list>(first, clock::now() + delay));
  k.changed.notify_one();
  return 0;
}

void late_posts::about_to_arm() noexcept {
  if (!are_wanted()) return;
  keeper& k = keeper::instance();
  const std::lock_guard<std::mutex> lock(k.mutex);
  if (k.held.empty() || k.random() % 2 == 0) return;
  auto some = k.held.begin();
  std::advance(some, static_cast<std::ptrdiff_t>(k.random() % k.held.size()));
  k.before_arming += some->second.size();
  k.hand_over(some->first);
}

void late_posts::changed(ibv_qp* qp, const ibv_qp_attr* attributes, int mask) {
  if (!are_wanted() || (mask & IBV_QP_STATE) == 0 || attributes->qp_state != IBV_QPS_ERR) return;
  keeper& k = keeper::instance();
  const std::lock_guard<std::mutex> lock(k.mutex);
  if (k.is_held(qp)) k.hand_over(qp);
}

void late_posts::forget(ibv_qp* qp) {
  keeper& k = keeper::instance();
  if (!are_wanted()) return;
  const std::lock_guard<std::mutex> lock(k.mutex);
  k.held.erase(qp);
}

std::uint64_t late_posts::count() const noexcept {
  const std::lock_guard<std::mutex> lock(keeper::instance().mutex);
  return keeper::instance().late;
}

std::uint64_t late_posts::count_before_arming() const noexcept {
  const std::lock_guard<std::mutex> lock(keeper::instance().mutex);
  return keeper::instance().before_arming;
}

}  // namespace test_support
