// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_SOCKET_SERVICE_BASE_HPP
#define ASIO_RDMA_DETAIL_SOCKET_SERVICE_BASE_HPP

#include <asio_rdma/detail/asio_error.hpp>
#include <asio_rdma/detail/attempts.hpp>
#include <asio_rdma/detail/native_handle.hpp>
#include <asio_rdma/detail/option_access.hpp>
#include <asio_rdma/detail/socket_state.hpp>

#include <boost/asio/socket_base.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// The functions that an Asio I/O object calls on its service, as far as they depend neither on the protocol nor on a
/// handler. An implementation without a state is closed.
class socket_service_base {
public:
  using native_handle_type = asio_rdma::native_handle;
  using error_code = boost::system::error_code;
  using socket_base = boost::asio::socket_base;

  struct base_implementation_type {
    std::shared_ptr<socket_state> state;
  };

  socket_service_base() noexcept = default;
  socket_service_base(const socket_service_base&) = delete;
  socket_service_base& operator=(const socket_service_base&) = delete;

  void construct(base_implementation_type&) noexcept {}

  void destroy(base_implementation_type& i) noexcept {
    const std::shared_ptr<socket_state> state = take(i);
    if (!state || state->close()) return;
    try {
      std::lock_guard<std::mutex> lock(mutex_);
      closing_.erase(std::remove_if(closing_.begin(), closing_.end(), [](const auto& s) { return s.expired(); }),
                     closing_.end());
      closing_.push_back(state);
    } catch (const std::bad_alloc&) {
      state->core().reclaim_memory();
      state->settle();
    }
  }

  static bool is_open(const base_implementation_type& i) noexcept { return i.state && !i.state->lost; }

  error_code close(base_implementation_type& i, error_code& ec) {
    destroy(i);
    return ec = error_code();
  }

  native_handle_type release(base_implementation_type& i, error_code& ec) {
    if (!is_open(i)) {
      ec = boost::asio::error::bad_descriptor;
      return {};
    }
    ec = error_code();
    return native_handle_type(take(i)->release());
  }

  native_handle_type native_handle(base_implementation_type& i) const noexcept {
    return is_open(i) ? native_handle_type(i.state->core()) : native_handle_type();
  }

  error_code cancel(base_implementation_type& i, error_code& ec) {
    if (!is_open(i)) return ec = boost::asio::error::bad_descriptor;
    i.state->cancel();
    return ec = error_code();
  }

  /// There is no out-of-band data, hence no mark.
  bool at_mark(const base_implementation_type& i, error_code& ec) const {
    ec = is_open(i) ? error_code() : boost::asio::error::bad_descriptor;
    return false;
  }

  std::size_t available(const base_implementation_type& i, error_code& ec) const {
    core::error e(EBADF);
    const std::size_t bytes = is_open(i) ? i.state->core().available(e) : 0;
    ec = to_asio_error(e);
    if (is_open(i)) i.state->settle();
    return bytes;
  }

  error_code listen(base_implementation_type& i, int backlog, error_code& ec) {
    return ec = to_asio_error(is_open(i) ? i.state->core().listen(backlog) : core::error(EBADF));
  }

  error_code shutdown(base_implementation_type& i, socket_base::shutdown_type what, error_code& ec) {
    if (!is_open(i)) return ec = boost::asio::error::bad_descriptor;
    ec = to_asio_error(i.state->core().shutdown(static_cast<core::direction>(what)));
    i.state->settle();
    return ec;
  }

  /// The only command is socket_base::bytes_readable.
  template <class IoControlCommand>
  error_code io_control(base_implementation_type& i, IoControlCommand& command, error_code& ec) {
    if (!is_open(i)) return ec = boost::asio::error::bad_descriptor;
    if (command.name() != socket_base::bytes_readable().name()) return ec = error_code(ENOTTY, system());
    *static_cast<int*>(static_cast<void*>(command.data())) = static_cast<int>(available(i, ec));
    return ec;
  }

  bool non_blocking(const base_implementation_type& i) const noexcept { return is_open(i) && i.state->non_blocking; }

  error_code non_blocking(base_implementation_type& i, bool mode, error_code& ec) {
    if (!is_open(i)) return ec = boost::asio::error::bad_descriptor;
    i.state->non_blocking = mode;
    if (!mode) i.state->native_non_blocking = false;
    return ec = error_code();
  }

  bool native_non_blocking(const base_implementation_type& i) const noexcept {
    return is_open(i) && (i.state->native_non_blocking || i.state->non_blocking);
  }

  error_code native_non_blocking(base_implementation_type& i, bool mode, error_code& ec) {
    if (!is_open(i)) return ec = boost::asio::error::bad_descriptor;
    // As for a kernel's socket: there is no sense in a blocking one beneath a non-blocking one.
    if (!mode && i.state->non_blocking) return ec = boost::asio::error::invalid_argument;
    i.state->native_non_blocking = mode;
    return ec = error_code();
  }

  error_code wait(base_implementation_type& i, socket_base::wait_type w, error_code& ec) {
    core::readiness kind = {};
    if (!find_readiness(w, kind)) return ec = boost::asio::error::invalid_argument;
    wait_attempt attempt(kind);
    return ec = to_asio_error(run(i, attempt));
  }

protected:
  ~socket_service_base() = default;

  static const boost::system::error_category& system() noexcept { return boost::system::system_category(); }

  static bool find_readiness(socket_base::wait_type w, core::readiness& kind) noexcept {
    switch (w) {
      case socket_base::wait_read:
        kind = core::readiness::read;
        return true;
      case socket_base::wait_write:
        kind = core::readiness::write;
        return true;
      case socket_base::wait_error:
        kind = core::readiness::error;
        return true;
    }
    return false;
  }

  static direction_queue queue_of(core::readiness kind) noexcept {
    switch (kind) {
      case core::readiness::read:
        return direction_queue::read;
      case core::readiness::write:
        return direction_queue::write;
      case core::readiness::error:
        break;
    }
    return direction_queue::error;
  }

  /// A synchronous operation: blocks until done, unless the user wants it otherwise. It may take the event that an
  /// asynchronous one waits for, so those are looked after too.
  template <class Attempt>
  static core::error run(const base_implementation_type& i, Attempt& attempt, bool always_blocks = false) {
    if (!is_open(i)) return core::error(EBADF);
    core::error e = attempt(i.state->core());
    if (must_wait(e) && (always_blocks || !i.state->non_blocking)) e = run_blocking(i.state, attempt);
    i.state->settle();
    return e;
  }

  /// Makes the I/O object the owner of a socket of the core.
  void adopt(base_implementation_type& i, core::socket s) {
    i.state = std::make_shared<socket_state>(std::move(s));
    std::lock_guard<std::mutex> lock(mutex_);
    socket_state* state = i.state.get();
    state->next = first_;
    if (first_) first_->previous = state;
    first_ = state;
  }

  /// The execution context shuts down: no device writes any more when the first handler is destroyed.
  void abandon() {
    operation_queue orphans;
    std::lock_guard<std::mutex> lock(mutex_);
    for (socket_state* state = first_; state; state = state->next) state->abandon(orphans);
    for (const std::weak_ptr<socket_state>& closing : closing_) {
      if (const std::shared_ptr<socket_state> state = closing.lock()) state->abandon(orphans);
    }
    // The orphans die after the lock is gone: their handlers may own sockets.
  }

  /// This process is a child of fork(), and the sockets are the parent's.
  void lose_all() {
    std::lock_guard<std::mutex> lock(mutex_);
    for (socket_state* state = first_; state; state = state->next) state->lose();
  }

private:
  template <class Attempt>
  static core::error run_blocking(std::shared_ptr<socket_state> state, Attempt& attempt) {
    for (;;) {
      state->core().wait();
      state->settle();
      const core::error e = attempt(state->core());
      if (!must_wait(e)) return e;
    }
  }

  std::shared_ptr<socket_state> take(base_implementation_type& i) noexcept {
    std::shared_ptr<socket_state> state = std::move(i.state);
    i.state = nullptr;
    if (state) {
      std::lock_guard<std::mutex> lock(mutex_);
      if (state->next) state->next->previous = state->previous;
      (state->previous ? state->previous->next : first_) = state->next;
      state->next = state->previous = nullptr;
    }
    return state;
  }

  std::mutex mutex_;
  socket_state* first_ = nullptr;  // all open sockets of the context
  std::vector<std::weak_ptr<socket_state>> closing_;  // and those that wait for their device to let go of memory
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
