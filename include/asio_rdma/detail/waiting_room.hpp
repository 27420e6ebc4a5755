// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_WAITING_ROOM_HPP
#define ASIO_RDMA_DETAIL_WAITING_ROOM_HPP

#include <asio_rdma/detail/core/raw.hpp>
#include <asio_rdma/detail/operation.hpp>
#include <asio_rdma/detail/raw_shutdown.hpp>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

inline int descriptor_of(const core::raw_link& link) noexcept {
  return link.setup_fd();
}
inline int descriptor_of(const core::raw_listener& listener) noexcept {
  return listener.fd();
}

/// An object of the core that is waited for, with the operations that wait until it has something to say: a descriptor
/// of its own becomes readable then. Thread-safe, but for the object; no function calls a handler while the mutex is
/// held.
template <class Core>
class waiting_room final : public wait_target,
                           public shutdown_target,
                           public std::enable_shared_from_this<waiting_room<Core>> {
public:
  using operation = basic_operation<Core>;
  using queue = basic_operation_queue<Core>;

  Core core;

  /// Tries an operation until it is done.
  template <class IoExecutor>
  void start(operation* op, const IoExecutor& io_ex) {
    queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    if (!wait_) {
      wait_ = std::make_unique<descriptor_wait<IoExecutor>>(io_ex);
      add_shutdown_target(io_ex, this->weak_from_this());
    }
    waiting_.push(op);
    pump(done);
    lock.unlock();
    done.complete_all(upcall::post);
  }

  typename operation::key_type next_key() noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ++keys_;
  }

  /// Aborts an operation. True if it was there.
  bool cancel(typename operation::key_type key) {
    queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    operation* const op = waiting_.find(key);
    if (op) {
      waiting_.remove(*op);
      op->fail(core::error(ECANCELED));
      done.push(op);
      pump(done);
    }
    lock.unlock();
    done.complete_all(upcall::post);
    return op != nullptr;
  }

  /// Aborts the operation, and what it waited for with it: the set-up of a link. Its queues stay until it is closed.
  void give_up(typename operation::key_type key) {
    if (cancel(key)) (void)core.flush();
  }

  /// Closes the object, and aborts what waits.
  void close() {
    queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    forget_descriptor();
    core.close();
    while (operation* op = waiting_.pop()) {
      op->fail(core::error(ECANCELED));
      done.push(op);
    }
    lock.unlock();
    done.complete_all(upcall::post);
  }

  void shutdown() override {
    queue orphans;
    std::unique_ptr<descriptor_wait_base> wait;
    const std::lock_guard<std::mutex> lock(mutex_);
    while (operation* op = waiting_.pop()) orphans.push(op);
    forget_descriptor();
    wait = std::move(wait_);
    core.close();
  }

  void on_wake(std::uint64_t generation, const boost::system::error_code&) override {
    queue done;
    std::unique_lock<std::mutex> lock(mutex_);
    if (generation != generation_ || !armed_) return;
    armed_ = false;
    pump(done);
    lock.unlock();
    operation* const first = done.pop();
    done.complete_all(upcall::post);  // they could wait for one another
    if (first) first->complete(upcall::dispatch);
  }

private:
  void pump(queue& done) {
    while (waiting_.front() && waiting_.front()->perform(core)) done.push(waiting_.pop());
    if (waiting_.empty()) {
      // Its descriptor may change, or be closed, with nobody waiting.
      forget_descriptor();
      return;
    }
    if (armed_) return;
    const int fd = descriptor_of(core);
    boost::system::error_code ec;
    if (wait_->fd() != fd) {
      forget_descriptor();
      ec = wait_->assign(fd);
    }
    if (!ec) {
      wait_->start(this->shared_from_this(), ++generation_);
      armed_ = true;
      return;
    }
    while (operation* op = waiting_.pop()) {
      op->fail(core::error(ec.value()));
      done.push(op);
    }
  }

  void forget_descriptor() {
    if (wait_ && wait_->fd() >= 0) wait_->release();
    armed_ = false;
  }

  std::mutex mutex_;
  queue waiting_;
  std::unique_ptr<descriptor_wait_base> wait_;
  std::uint64_t generation_ = 0;
  typename operation::key_type keys_ = 0;
  bool armed_ = false;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
