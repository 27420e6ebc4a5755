// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_COMPLETION_ROOM_HPP
#define ASIO_RDMA_DETAIL_COMPLETION_ROOM_HPP

#include <asio_rdma/detail/operation.hpp>
#include <asio_rdma/detail/waiting_room.hpp>
#include <asio_rdma/span.hpp>
#include <asio_rdma/work_completion.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// The completions of a raw connection that has asynchronous operations: takes them from the completion queue, gives
/// each to the operation whose request it ends, and keeps the others for whoever polls. It sleeps on the completion
/// channel while there are operations, or is served by a polling_service.
///
/// The requests of operations are told by their ids: a mark, the number of a slot, and the slot's generation.
/// Thread-safe; no function calls a handler while the mutex is held.
class completion_room final : public wait_target,
                              public shutdown_target,
                              public std::enable_shared_from_this<completion_room> {
public:
  using operation = basic_operation<completion_room>;
  using queue = basic_operation_queue<completion_room>;
  using link_room = waiting_room<core::raw_link>;

  explicit completion_room(std::shared_ptr<link_room> link) : link_(std::move(link)) {
    const core::raw_objects o = link_->core.objects();
    completions_ = o.completions;
    channel_fd_ = o.channel_fd;
  }

  /// Posts a request for an operation, which ends with its completion. post(id) says 0 or why it could not.
  template <class IoExecutor, class Post>
  void start_request(operation* op, const IoExecutor& io_ex, Post post) {
    queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    prepare(io_ex);
    const std::uint64_t id = take_slot(op);
    const core::error e = completions_ ? post(id) : core::error(ENOTCONN);
    if (e) {
      free_slot(id);
      op->fail(e);
      done.push(op);
    } else {
      pump(done);
    }
    lock.unlock();
    done.complete_all(upcall::post);
  }

  /// An operation that waits for completions that are nobody's.
  template <class IoExecutor>
  void start_poll(operation* op, const IoExecutor& io_ex) {
    queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    prepare(io_ex);
    if (!completions_) {
      op->fail(core::error(ENOTCONN));
      done.push(op);
    } else {
      polls_.push(op);
      pump(done);
    }
    lock.unlock();
    done.complete_all(upcall::post);
  }

  /// Takes completions that are nobody's. Negative if the queue is broken.
  int poll(span<work_completion> result) {
    queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    if (!completions_) return -1;
    if (kept_.size() < result.size()) drain(done);
    const int n = broken_ && kept_.empty() ? -1 : static_cast<int>(take_kept(result));
    lock.unlock();
    done.complete_all(upcall::post);
    return n;
  }

  /// For the operations of start_poll(), within perform().
  std::size_t take_kept(span<work_completion> result) {
    std::size_t n = 0;
    for (; n < result.size() && !kept_.empty(); ++n) {
      static_cast<ibv_wc&>(result[n]) = kept_.front();
      kept_.pop_front();
    }
    return n;
  }
  /// For those of start_request(): what ended the request.
  const ibv_wc& current() const noexcept { return current_; }
  core::error current_error() noexcept {
    if (current_.status == IBV_WC_SUCCESS) return {};
    if (current_is_cancelled_) return core::error(ECANCELED);
    const bool flushed = current_.status == IBV_WC_WR_FLUSH_ERR;
    if (flushed) {
      if (const core::error why = link_->core.ended()) return why;
    }
    // The connection has ended before anybody has heard of that: by the failure of another request, or by the peer, of
    // whose goodbye librdmacm fails the queue pair before it tells us.
    if (flushed && failure_ == IBV_WC_SUCCESS) return core::error(ECONNRESET);
    return core::error(static_cast<int>(flushed ? failure_ : current_.status), core::error_domain::completion);
  }
  const core::error& broken() const noexcept { return broken_; }

  /// Looks once for completions, for a polling_service: they are nobody else's to wait for from now on. The number
  /// taken.
  std::size_t serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (completions_ == nullptr) return 0;
    ibv_wc found[batch];
    const int n = ::ibv_poll_cq(completions_, batch, found);
    if (n == 0) return 0;
    queue done;
    if (n > 0) {
      for (const ibv_wc* wc = found; wc != found + n; ++wc) give_out(*wc, done);
    } else {
      broken(core::error(EIO));
    }
    give_up_requests(done);
    finish_polls(done);
    lock.unlock();
    done.complete_all(upcall::dispatch);
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  /// What serve() has left for whoever posted it.
  std::size_t take_served(span<work_completion> result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return take_kept(result);
  }
  void serve(bool on) {
    queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    served_ = on;
    if (on) {
      forget_descriptor();
    } else {
      pump(done);
    }
    lock.unlock();
    done.complete_all(upcall::post);
  }

  // For a thread that sleeps on the channel itself: arms the queue before, and sees to the operations afterwards, whose
  // event it may have taken.
  core::error arm() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!completions_) return core::error(ENOTCONN);
    const core::error e = notified_ ? core::error() : link_->core.arm(false);
    notified_ = !e;
    return e;
  }
  void settle() {
    queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    take_events();
    pump(done);
    lock.unlock();
    done.complete_all(upcall::post);
  }

  /// Aborts an operation of start_poll().
  void cancel_poll(operation::key_type key) {
    queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    if (operation* const op = polls_.find(key)) {
      polls_.remove(*op);
      op->fail(core::error(ECANCELED));
      done.push(op);
      pump(done);
    }
    lock.unlock();
    done.complete_all(upcall::post);
  }

  /// A request that was posted is the card's until it has completed: the only way to have it back is to end the
  /// connection.
  void cancel_request(operation::key_type key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (slot& s : slots_) {
      if (!s.op || s.op->key() != key) continue;
      s.cancelled = true;
      (void)link_->core.flush();  // its completion comes now
    }
  }

  /// The queues are destroyed, so that no device touches memory any more; what waits is aborted.
  void close() {
    queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    take_all(done);
    lock.unlock();
    done.complete_all(upcall::post);
  }

  void shutdown() override {
    queue orphans;
    std::unique_ptr<descriptor_wait_base> wait;
    const auto self = shared_from_this();
    const std::lock_guard<std::mutex> lock(mutex_);
    take_all(orphans);
    wait = std::move(wait_);
  }

  void on_wake(std::uint64_t generation, const boost::system::error_code&) override {
    queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    if (generation != generation_ || !armed_) return;
    armed_ = false;
    take_events();
    // Handlers run in the order of their completions: one that was posted meanwhile may still have to run.
    const bool in_order = !posted_;
    pump(done);
    posted_ = false;  // what is posted from here comes before the next wake-up
    lock.unlock();
    operation* const first = in_order ? done.pop() : nullptr;
    done.complete_all(upcall::post);  // they could wait for one another
    if (first) first->complete(upcall::dispatch);
  }

  operation::key_type next_key() noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ++keys_;
  }

private:
  struct slot {
    operation* op = nullptr;
    std::uint32_t generation = 0;
    bool cancelled = false;
  };

  static constexpr int batch = 32;
  static constexpr std::uint64_t mark = 0xa510'0000'0000'0000;  // 12 bits
  static constexpr unsigned index_bits = 20;
  static constexpr std::uint64_t index_mask = (1u << index_bits) - 1;

  template <class IoExecutor>
  void prepare(const IoExecutor& io_ex) {
    if (wait_) return;
    wait_ = std::make_unique<descriptor_wait<IoExecutor>>(io_ex);
    add_shutdown_target(io_ex, weak_from_this());
  }

  std::uint64_t take_slot(operation* op) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    slots_[index].op = op;
    ++outstanding_;
    return mark | std::uint64_t{slots_[index].generation} << index_bits | index;
  }

  /// Null if the id is no operation's.
  slot* find_slot(std::uint64_t id) noexcept {
    const std::uint64_t index = id & index_mask;
    if ((id & (std::uint64_t{0xfff} << 52)) != mark || index >= slots_.size()) return nullptr;
    slot& s = slots_[static_cast<std::size_t>(index)];
    return s.op && (id & ~mark) >> index_bits == s.generation ? &s : nullptr;
  }

  void free_slot(std::uint64_t id) {
    free_slot(*find_slot(id));
  }
  void free_slot(slot& s) {
    s.op = nullptr;
    s.cancelled = false;
    ++s.generation;
    free_.push_back(static_cast<std::uint32_t>(&s - slots_.data()));
    --outstanding_;
  }

  void give_out(const ibv_wc& wc, queue& done) {
    if (wc.status != IBV_WC_SUCCESS && wc.status != IBV_WC_WR_FLUSH_ERR && failure_ == IBV_WC_SUCCESS) {
      failure_ = wc.status;
    }
    slot* const s = find_slot(wc.wr_id);
    if (s == nullptr) {
      kept_.push_back(wc);
      return;
    }
    operation* const op = s->op;
    current_ = wc;
    current_is_cancelled_ = s->cancelled;
    free_slot(wc.wr_id);
    (void)op->perform(*this);
    done.push(op);
    posted_ = true;
  }

  void drain(queue& done) {
    ibv_wc found[batch];
    for (int n = batch; n == batch && !broken_;) {
      n = ::ibv_poll_cq(completions_, batch, found);
      if (n < 0) broken(core::error(EIO));
      for (int i = 0; i < n; ++i) give_out(found[i], done);
    }
  }

  void take_events() {
    const core::error e = link_->core.take_events();
    if (e && completions_) broken(e);
    notified_ = false;
  }

  /// No completion can be taken, or none be waited for, any more. So that the device touches no memory of the requests,
  /// the connection ends.
  void broken(const core::error& why) {
    if (broken_) return;
    broken_ = why;
    (void)link_->core.flush();
  }
  /// Nothing else would tell the operations.
  void give_up_requests(queue& done) {
    if (!broken_ || outstanding_ == 0) return;
    for (slot& s : slots_) {
      if (!s.op) continue;
      s.op->fail(s.cancelled ? core::error(ECANCELED) : broken_);
      done.push(s.op);
      free_slot(s);
      posted_ = true;
    }
  }

  void finish_polls(queue& done) {
    while (polls_.front() && polls_.front()->perform(*this)) done.push(polls_.pop());
  }

  /// Takes what there is, and sees to it that somebody is woken for the rest.
  void pump(queue& done) {
    if (completions_ == nullptr) return;  // closed
    for (;;) {
      if (!served_) drain(done);  // else their handlers would overtake those that serve() calls
      give_up_requests(done);
      finish_polls(done);
      if (served_ || broken_) return forget_descriptor();
      if (outstanding_ == 0 && polls_.empty()) return disarm();
      if (notified_) break;
      const core::error e = link_->core.arm(false);
      notified_ = !e;
      if (e) broken(e);
    }
    if (armed_) return;
    if (wait_->fd() < 0 && wait_->assign(channel_fd_)) return;
    wait_->start(shared_from_this(), ++generation_);
    armed_ = true;
  }

  void disarm() {
    if (armed_) wait_->cancel();
    armed_ = false;
  }

  void forget_descriptor() {
    if (wait_ && wait_->fd() >= 0) wait_->release();
    armed_ = false;
  }

  void take_all(queue& result) {
    forget_descriptor();
    completions_ = nullptr;
    link_->core.close();
    for (slot& s : slots_) {
      if (!s.op) continue;
      s.op->fail(core::error(ECANCELED));
      result.push(std::exchange(s.op, nullptr));
    }
    while (operation* op = polls_.pop()) {
      op->fail(core::error(ECANCELED));
      result.push(op);
    }
  }

  std::mutex mutex_;
  std::shared_ptr<link_room> link_;
  ibv_cq* completions_ = nullptr;
  int channel_fd_ = -1;
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t outstanding_ = 0;
  queue polls_;
  std::deque<ibv_wc> kept_;
  ibv_wc current_{};
  bool current_is_cancelled_ = false;
  ibv_wc_status failure_ = IBV_WC_SUCCESS;  // of the first request that failed, after which the others are flushed
  core::error broken_;  // why, once completions cannot be taken or waited for any more
  bool served_ = false;
  bool notified_ = false;  // the completion queue is armed
  bool armed_ = false;     // the descriptor is waited on
  bool posted_ = false;    // handlers were posted since the last wake-up
  std::uint64_t generation_ = 0;
  operation::key_type keys_ = 0;
  std::unique_ptr<descriptor_wait_base> wait_;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
