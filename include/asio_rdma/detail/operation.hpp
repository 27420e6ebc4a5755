// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_OPERATION_HPP
#define ASIO_RDMA_DETAIL_OPERATION_HPP

#include <asio_rdma/detail/core/socket.hpp>

#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// Where an operation's handler may be called from.
enum class upcall {
  post,      ///< from the executor alone
  dispatch,  ///< from within the calling function too, where the handler's executor allows it
  direct,    ///< as dispatch; the caller runs on the executor of the socket
};

/// An asynchronous operation that waits in a queue, and what it is tried on: a core::socket, or another object of the
/// core.
template <class Core>
class basic_operation {
public:
  using key_type = std::uint64_t;

  /// Tries the operation; true if it is done, whether well or badly.
  virtual bool perform(Core& s) noexcept = 0;
  /// Gives it an outcome without performing it.
  virtual void fail(core::error e) noexcept = 0;
  /// Frees the operation and calls its handler.
  virtual void complete(upcall how) = 0;
  /// Frees the operation without calling its handler.
  virtual void destroy() noexcept = 0;
  /// True if it has had side effects though it is not done: a total cancellation comes too late.
  virtual bool has_effects() const noexcept { return false; }
  /// Nothing more is to be handed over: it waits for the device's word on what it has, and those behind it may go on.
  virtual bool is_handed_over() const noexcept { return false; }
  /// It waits, and so do those before it: gets ready for what will be its turn. True if those behind it may do so too.
  virtual bool look_ahead(Core&) noexcept { return false; }
  /// Hands over nothing more. False if it can be freed right away. True if the device may still touch its memory: then
  /// perform() says when it does not, with the outcome ECANCELED.
  virtual bool stop(Core&) noexcept { return false; }
  /// True if the socket's descriptor is another one once the operation is done.
  virtual bool is_connect() const noexcept { return false; }

  key_type key() const noexcept { return key_; }

  basic_operation* next = nullptr;  ///< the queue's
  bool is_done = false;             ///< it has its outcome, and waits for those before it

protected:
  explicit basic_operation(key_type key) noexcept : key_(key) {}
  basic_operation(const basic_operation&) = delete;
  basic_operation& operator=(const basic_operation&) = delete;
  ~basic_operation() = default;

private:
  key_type key_;
};

/// First in, first out. Operations that are left when it dies are destroyed.
template <class Core>
class basic_operation_queue {
  using operation = basic_operation<Core>;

public:
  basic_operation_queue() noexcept = default;
  basic_operation_queue(const basic_operation_queue&) = delete;
  basic_operation_queue& operator=(const basic_operation_queue&) = delete;
  ~basic_operation_queue() {
    while (operation* op = pop()) op->destroy();
  }

  bool empty() const noexcept { return first_ == nullptr; }
  operation* front() const noexcept { return first_; }

  void push(operation* op) noexcept {
    op->next = nullptr;
    (last_ ? last_->next : first_) = op;
    last_ = op;
  }

  /// Null if empty.
  operation* pop() noexcept {
    operation* op = first_;
    if (op) {
      first_ = op->next;
      if (!first_) last_ = nullptr;
      op->next = nullptr;
    }
    return op;
  }

  /// The operation with that key; null if there is none.
  operation* find(typename operation::key_type key) const noexcept {
    operation* op = first_;
    while (op && op->key() != key) op = op->next;
    return op;
  }

  /// Takes out an operation of the queue.
  void remove(operation& op) noexcept {
    operation* previous = nullptr;
    for (operation* o = first_; o != &op; o = o->next) previous = o;
    (previous ? previous->next : first_) = op.next;
    if (last_ == &op) last_ = previous;
    op.next = nullptr;
  }

  void complete_all(upcall how) {
    while (operation* op = pop()) op->complete(how);
  }

private:
  operation* first_ = nullptr;
  operation* last_ = nullptr;
};

using operation = basic_operation<core::socket>;
using operation_queue = basic_operation_queue<core::socket>;

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
