// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_DEVICE_HPP
#define ASIO_RDMA_SRC_SOFT_DEVICE_HPP

#include "soft/channel_wakers.hpp"
#include "soft/completion_queue.hpp"
#include "soft/index_pool.hpp"
#include "soft/lent_buffers.hpp"
#include "soft/loop.hpp"
#include "soft/peer.hpp"
#include "soft/queue_pair.hpp"
#include "soft/receive_queue.hpp"
#include "soft/segment.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// What this process has of soft0. Opened by the first use, never closed: the kernel takes it all back with the
/// process. Thread-safe.
class device {
public:
  /// Null, with errno set, if it cannot be opened; the next call tries again.
  /// A process that was forked has a device of its own: what its parent had made is not for it.
  static device* instance() noexcept;

  loop& helper() noexcept { return helper_; }
  segment& memory() noexcept { return memory_; }
  segment_heap& heap() noexcept { return heap_; }
  channel_wakers& wakers() noexcept { return wakers_; }
  lent_buffers& lent() noexcept { return lent_; }
  peers& processes() noexcept { return processes_; }
  /// Whether the process in a slot has ended.
  static bool is_gone(unsigned slot) noexcept;
  unsigned slot() const noexcept { return memory_.header().slot; }

  /// The context that the connection manager gives to its ids; all its ids share it (rdma_cm(7)).
  ibv_context* cm_context() noexcept;
  /// The domain of those ids for whose queue pairs the user names none.
  ibv_pd* cm_domain() noexcept;

  index_pool& qp_indices() noexcept { return qp_indices_; }
  index_pool& cq_indices() noexcept { return cq_indices_; }
  index_pool& srq_indices() noexcept { return srq_indices_; }
  index_pool& key_indices() noexcept { return key_indices_; }

  // This process's objects, which others name by index or number. Null takes one out.

  void add_qp(unsigned index, const std::shared_ptr<queue_pair>& q);
  void add_cq(unsigned index, completion_queue* cq);
  void add_srq(unsigned index, shared_receive_queue* srq);
  std::shared_ptr<queue_pair> find_qp(std::uint32_t number) const;
  std::vector<std::shared_ptr<queue_pair>> all_qps() const;
  /// For who knows that it is not destroyed meanwhile.
  queue_pair* local_qp(std::uint32_t number) const noexcept {
    return local_qps_[index_of(number)].load(std::memory_order_acquire);
  }
  /// Calls f with the object, which is not destroyed meanwhile, if it exists.
  template <class Function>
  void with_cq(unsigned index, Function f) {
    const std::lock_guard<std::mutex> lock(objects_mutex_);
    const auto found = cqs_.find(index);
    if (found != cqs_.end()) f(*found->second);
  }
  template <class Function>
  void with_srq(unsigned index, Function f) {
    const std::lock_guard<std::mutex> lock(objects_mutex_);
    const auto found = srqs_.find(index);
    if (found != srqs_.end()) f(*found->second);
  }

private:
  device() noexcept : processes_(helper_, memory_) {}
  int open() noexcept;
  void start();
  void take_message(const std::shared_ptr<peer>& p, message_kind kind, const unsigned char* data, std::size_t size);
  void process_is_up(const std::shared_ptr<peer>& p);
  void process_is_down(const std::shared_ptr<peer>& p);

  channel_wakers wakers_;
  loop helper_;
  segment memory_;
  segment_heap heap_;
  lent_buffers lent_{heap_};
  peers processes_;
  index_pool qp_indices_{first_qp, max_qps};
  index_pool cq_indices_{0, max_cqs};
  index_pool srq_indices_{0, max_srqs};
  index_pool key_indices_{1, max_keys};  // no key is 0
  std::once_flag cm_once_;
  ibv_context* cm_context_ = nullptr;
  ibv_pd* cm_domain_ = nullptr;
  mutable std::mutex objects_mutex_;
  std::map<unsigned, std::shared_ptr<queue_pair>> qps_;
  std::map<unsigned, completion_queue*> cqs_;
  std::map<unsigned, shared_receive_queue*> srqs_;
  std::unique_ptr<std::atomic<queue_pair*>[]> local_qps_ = std::make_unique<std::atomic<queue_pair*>[]>(max_qps);
};

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
