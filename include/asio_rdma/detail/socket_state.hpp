// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_SOCKET_STATE_HPP
#define ASIO_RDMA_DETAIL_SOCKET_STATE_HPP

#include <asio_rdma/detail/asio_error.hpp>
#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/detail/descriptor_wait.hpp>
#include <asio_rdma/detail/operation.hpp>

#include <boost/system/error_code.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// The queues of a socket. An accept waits with the reads, a connect with the writes, as they do in a reactor.
enum class direction_queue : int { read = 0, write = 1, error = 2 };

/// What an open I/O object points to: the socket of the core, the operations that wait for it, and the wait on its
/// descriptor, which lasts only while there are any. It plays the part that Asio's reactor plays for a kernel's socket.
///
/// It stays where it is while the I/O object moves, and lives until the last wake-up that was meant for it is through.
/// Thread-safe; no function calls a handler or allocates with one while the mutex is held.
class socket_state final : public wait_target, public std::enable_shared_from_this<socket_state> {
public:
  explicit socket_state(core::socket s) noexcept : core_(std::move(s)) {
    int on = 0;
    core_.get_option(core::option::acknowledged_writes, on);
    acknowledged_writes = on != 0;
  }

  core::socket& core() noexcept { return core_; }
  const core::socket& core() const noexcept { return core_; }

  operation::key_type next_key() noexcept { return keys_.fetch_add(1, std::memory_order_relaxed); }

  /// Tries an operation unless others of its kind are waiting. True if it is done.
  template <class Attempt>
  bool try_now(direction_queue q, Attempt& attempt, core::error& e) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!queue(q).empty() || (q == direction_queue::write && !handed_over_.empty())) return false;
      e = attempt(core_);
      if (must_wait(e)) return false;
      posted_[static_cast<std::size_t>(q)] = true;
    }
    return true;
  }

  /// Queues an operation that try_now() has just tried, or would have.
  template <class IoExecutor>
  void start(direction_queue q, operation* op, const IoExecutor& io_ex) {
    operation_queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    if (!wait_) wait_ = std::make_unique<descriptor_wait<IoExecutor>>(io_ex);
    if (!wait_->runs_on(io_ex)) direct_ = false;
    queue(q).push(op);
    // One that waits alone need not be tried once more: what has changed since, prepare_wait() tells.
    const bool is_alone = pending_.fetch_add(1, std::memory_order_release) == 0;
    if (is_alone) (void)op->look_ahead(core_);
    pump(done, !is_alone);
    lock.unlock();
    done.complete_all(upcall::post);
  }

  /// Tries what waits, after a call that may have changed something or taken the event that a wake-up needs.
  void settle() {
    if (pending_.load(std::memory_order_acquire) == 0) return;
    operation_queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    pump(done);
    lock.unlock();
    done.complete_all(upcall::post);
  }

  /// A synchronous connect has ended: the descriptor is another one from now on.
  void connected() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      forget_descriptor();
    }
    settle();
  }

  void cancel() {
    operation_queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    abort_all(done);
    pump(done);
    lock.unlock();
    done.complete_all(upcall::post);
  }

  /// Aborts one operation; if only without side effects, then not one that has had some.
  void cancel(direction_queue q, operation::key_type key, bool only_without_effects) {
    operation_queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    operation* op = queue(q).find(key);
    const bool is_waiting = op != nullptr;
    if (!op) op = handed_over_.find(key);
    if (op && !(only_without_effects && op->has_effects())) {
      if (is_waiting && q == direction_queue::read && op->stop(core_)) {
        // It keeps its place until the peer has let go of its memory.
      } else if (is_waiting) {
        queue(q).remove(*op);
        abort(op, done);
      } else if (!op->is_done) {
        (void)op->stop(core_);
      }
      pump(done);
    }
    lock.unlock();
    done.complete_all(upcall::post);
  }

  /// Aborts what waits and gives the socket of the core back, which goes on where it is.
  core::socket release() {
    operation_queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    abort_all(done);
    // Whoever gets the socket knows nothing of these.
    if (pending_.load(std::memory_order_relaxed) != 0) core_.reclaim_memory();
    perform(done);
    disarm();
    wait_.reset();
    core::socket result = core_;
    lock.unlock();
    done.complete_all(upcall::post);
    return result;
  }

  /// False if operations are left whose memory the device has: the socket of the core is closed behind the last one.
  bool close() {
    operation_queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    abort_all(done);
    is_closing_ = true;
    pump(done);
    const bool is_closed = pending_.load(std::memory_order_relaxed) == 0;
    lock.unlock();
    done.complete_all(upcall::post);
    return is_closed;
  }

  /// The execution context is going away: stops the device, then hands over the operations, whose handlers own the
  /// buffers.
  void abandon(operation_queue& orphans) {
    std::lock_guard<std::mutex> lock(mutex_);
    disarm();
    wait_.reset();
    core_.reclaim_memory();
    core_.close();
    for (operation_queue& q : queues_) {
      while (operation* op = q.pop()) orphans.push(op);
    }
    while (operation* op = handed_over_.pop()) orphans.push(op);
    pending_.store(0, std::memory_order_release);
  }

  /// This process was forked from the one that the socket belongs to: it counts as closed from now on, and what waits
  /// is aborted. The core touches nothing.
  void lose() {
    lost = true;
    (void)close();
  }

  void on_wake(std::uint64_t generation, const boost::system::error_code& ec) override {
    operation_queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    if (generation != generation_ || !armed_) return;
    armed_ = false;
    const std::array<bool, 3> posted = posted_;
    posted_ = {};
    if (ec) {
      fail_all(core::error(ec.value()), done);
    } else {
      pump(done);
    }
    posted_ = {};  // what is posted from here comes before the next wake-up
    upcall first_call = direct_ ? upcall::direct : upcall::dispatch;
    // Handlers of one kind keep their order: one that was posted meanwhile may still have to run.
    if (posted[first_done_]) first_call = upcall::post;
    lock.unlock();
    // The first handler is called right here. The others could wait for one another, so they go to whichever thread is
    // free, as those of a reactor do; they are posted first, since a handler may throw.
    operation* first = done.pop();
    if (first && first_call == upcall::post) std::exchange(first, nullptr)->complete(first_call);
    done.complete_all(upcall::post);
    if (first) first->complete(first_call);
  }

  // Set and read by the I/O object's user, one thread at a time.
  bool non_blocking = false;
  bool native_non_blocking = false;
  bool lost = false;  // by a fork
  bool acknowledged_writes = false;

  // Links of the service's list.
  socket_state* next = nullptr;
  socket_state* previous = nullptr;

private:
  operation_queue& queue(direction_queue q) noexcept { return queues_[static_cast<std::size_t>(q)]; }

  /// Tries all operations in order, until those that are left are certain to be woken for.
  void pump(operation_queue& done, bool tries_first = true) {
    for (;; tries_first = true) {
      if (tries_first) perform(done);
      if (pending_.load(std::memory_order_relaxed) == 0) {
        disarm();
        if (is_closing_) {
          wait_.reset();
          core_.close();
        }
        return;
      }
      const int fd = core_.prepare_wait();
      prepared_ = true;
      if (fd < 0) continue;
      const boost::system::error_code ec = arm(fd);
      if (!ec) return;
      fail_all(core::error(ec.value()), done);
    }
  }

  void perform(operation_queue& done) {
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      operation_queue& q = queues_[i];
      const bool is_write = i == static_cast<std::size_t>(direction_queue::write);
      while (operation* const op = q.front()) {
        const bool is_done = op->perform(core_);
        if (!is_done && !op->is_handed_over()) {
          for (operation* behind = op; behind && behind->look_ahead(core_);) behind = behind->next;
          break;
        }
        q.pop();
        if (is_done && !(is_write && !handed_over_.empty())) {
          finish(op, i, done);
        } else {
          op->is_done = is_done;
          handed_over_.push(op);
        }
      }
    }
    // Handlers of one kind keep their order.
    while (operation* const op = handed_over_.front()) {
      if (!op->is_done && !op->perform(core_)) break;
      handed_over_.pop();
      finish(op, static_cast<std::size_t>(direction_queue::write), done);
    }
  }

  void finish(operation* op, std::size_t queue_index, operation_queue& done) {
    posted_[queue_index] = true;
    if (done.empty()) first_done_ = queue_index;
    pending_.fetch_sub(1, std::memory_order_release);
    if (op->is_connect()) forget_descriptor();
    done.push(op);
  }

  boost::system::error_code arm(int fd) {
    if (wait_->fd() != fd) {
      forget_descriptor();
      if (const boost::system::error_code ec = wait_->assign(fd)) return ec;
    }
    if (!armed_) {
      wait_->start(shared_from_this(), ++generation_);
      armed_ = true;
    }
    return {};
  }

  /// Ends the wait. Nothing counts as work any more.
  void disarm() {
    if (armed_) {
      wait_->cancel();
      armed_ = false;
    }
    if (prepared_) {
      core_.end_wait();
      prepared_ = false;
    }
  }

  void forget_descriptor() {
    if (!wait_ || wait_->fd() < 0) return;
    wait_->release();
    armed_ = false;
  }

  void abort(operation* op, operation_queue& done) {
    if (op->has_effects()) core_.abandon_message();
    if (op->stop(core_)) return handed_over_.push(op);
    pending_.fetch_sub(1, std::memory_order_release);
    if (op->is_connect()) {
      forget_descriptor();
      core_.cancel_connect();
    }
    op->fail(core::error(ECANCELED));
    done.push(op);
  }

  void abort_all(operation_queue& done) {
    for (operation* op = handed_over_.front(); op; op = op->next) {
      if (!op->is_done) (void)op->stop(core_);
    }
    operation_queue kept;
    while (operation* op = queue(direction_queue::read).pop()) op->stop(core_) ? kept.push(op) : abort(op, done);
    for (operation_queue& q : queues_) {
      while (operation* op = q.pop()) abort(op, done);
    }
    while (operation* op = kept.pop()) queue(direction_queue::read).push(op);
  }

  void fail_all(core::error e, operation_queue& done) {
    core_.reclaim_memory();
    const auto fail = [&](operation_queue& q) {
      while (operation* op = q.pop()) {
        if (!op->is_done) op->fail(e);
        done.push(op);
      }
    };
    fail(handed_over_);
    for (operation_queue& q : queues_) fail(q);
    pending_.store(0, std::memory_order_release);
    disarm();
  }

  std::mutex mutex_;
  core::socket core_;
  std::array<operation_queue, 3> queues_;
  operation_queue handed_over_;  // writes that wait for the device's word, and those behind them that do not
  std::array<bool, 3> posted_{};  // handlers of that queue were posted since the last wake-up
  std::size_t first_done_ = 0;    // the queue of the first operation that a pump() has done
  std::unique_ptr<descriptor_wait_base> wait_;
  std::uint64_t generation_ = 0;
  bool armed_ = false;
  bool prepared_ = false;
  bool is_closing_ = false;
  bool direct_ = true;  // every operation so far came over the executor that wake-ups run on
  std::atomic<int> pending_{0};
  std::atomic<operation::key_type> keys_{1};
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
