// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SOCKET_TRACKING_HPP
#define ASIO_RDMA_TEST_SOCKET_TRACKING_HPP

#include "fixture.hpp"

#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

/// What a tracking_executor runs for, to be recognised by its address.
struct tracker {
  /// The tracker of the innermost tracking_executor whose function this thread is in; null outside of all.
  static tracker*& current() noexcept {
    static thread_local tracker* instance = nullptr;
    return instance;
  }
};

/// Runs functions on another executor, and lets them see that it was this one that they were given to.
class tracking_executor {
public:
  tracking_executor(asio::any_io_executor inner, tracker& t) noexcept : inner_(std::move(inner)), tracker_(&t) {}

  template <class Function>
  void execute(Function&& f) const {
    inner_.execute([t = tracker_, g = std::forward<Function>(f)]() mutable {
      const entry e(t);
      std::move(g)();
    });
  }

  template <class Property, class = std::enable_if_t<asio::can_query<const asio::any_io_executor&, Property>::value>>
  auto query(const Property& p) const {
    return asio::query(inner_, p);
  }
  asio::execution_context& query(asio::execution::context_t) const {
    return asio::query(inner_, asio::execution::context_as<asio::execution_context&>);
  }
  template <class Property, class = std::enable_if_t<asio::can_require<const asio::any_io_executor&, Property>::value>>
  tracking_executor require(const Property& p) const {
    return tracking_executor(asio::require(inner_, p), *tracker_);
  }
  template <class Property, class = std::enable_if_t<asio::can_prefer<const asio::any_io_executor&, Property>::value>>
  tracking_executor prefer(const Property& p) const {
    return tracking_executor(asio::prefer(inner_, p), *tracker_);
  }

  friend bool operator==(const tracking_executor& a, const tracking_executor& b) noexcept {
    return a.inner_ == b.inner_ && a.tracker_ == b.tracker_;
  }
  friend bool operator!=(const tracking_executor& a, const tracking_executor& b) noexcept { return !(a == b); }

private:
  class entry {
  public:
    explicit entry(tracker* t) noexcept : former_(std::exchange(tracker::current(), t)) {}
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;
    ~entry() { tracker::current() = former_; }

  private:
    tracker* former_;
  };

  asio::any_io_executor inner_;
  tracker* tracker_;
};

/// Memory of a handler's own, which knows what is out.
struct arena {
  int taken = 0;
  int out = 0;
};

template <class T>
struct arena_allocator {
  using value_type = T;
  explicit arena_allocator(arena& a) noexcept : a_(&a) {}
  template <class U>
  arena_allocator(const arena_allocator<U>& other) noexcept : a_(other.a_) {}
  T* allocate(std::size_t n) {
    ++a_->taken;
    ++a_->out;
    if (void* p = std::malloc(n * sizeof(T))) return static_cast<T*>(p);  // not counted as the heap's
    throw std::bad_alloc();
  }
  void deallocate(T* p, std::size_t) noexcept {
    --a_->out;
    std::free(p);
  }
  friend bool operator==(arena_allocator a, arena_allocator b) noexcept { return a.a_ == b.a_; }
  friend bool operator!=(arena_allocator a, arena_allocator b) noexcept { return a.a_ != b.a_; }
  arena* a_;
};

/// True on this thread while it is inside a function that starts an operation.
inline bool& initiating() noexcept {
  static thread_local bool instance = false;
  return instance;
}

/// The kinds of asynchronous operations of sockets and acceptors.
enum class kind { connect, accept, move_accept, read, write, wait_read, wait_write, wait_error };
constexpr kind all_kinds[] = {kind::connect, kind::accept,    kind::move_accept, kind::read,
                              kind::write,   kind::wait_read, kind::wait_write,  kind::wait_error};

inline const char* name_of(kind k) {
  constexpr const char* names[] = {"connect", "accept",    "move_accept", "read",
                                   "write",   "wait_read", "wait_write",  "wait_error"};
  return names[static_cast<int>(k)];
}

/// Sockets for one operation of any kind, on which it is done either at once or later.
template <class Executor>
class scene {
public:
  explicit scene(const Executor& ex)
      : acceptor_(ex, any_port()), connecting_(ex), accepted_(ex), near_(ex), far_(elsewhere_), third_(elsewhere_) {
    far_.connect(acceptor_.local_endpoint());
    acceptor_.accept(near_);
  }

  /// Before start(): lets the operation find something to do, or nothing.
  void prepare(kind k, bool at_once) {
    at_once_ = at_once;
    if (at_once && (k == kind::accept || k == kind::move_accept || is_input(k))) trigger(k);
    if (at_once && is_input(k)) near_.wait(k == kind::wait_error ? rc::socket::wait_error : rc::socket::wait_read);
    if (at_once && (k == kind::accept || k == kind::move_accept)) acceptor_.wait(rc::acceptor::wait_read);
    if (!at_once && (k == kind::write || k == kind::wait_write)) {
      const std::vector<char> block(1 << 20);
      near_.non_blocking(true);
      for (error_code ec; !ec;) filled_ += near_.write_some(asio::buffer(block), ec);
    }
  }

  template <class Handler>
  void start(kind k, Handler handler) {
    const bool before = std::exchange(initiating(), true);
    switch (k) {
      case kind::connect:  // to port 0 fails at once
        connecting_.async_connect(at_once_ ? any_port() : acceptor_.local_endpoint(), std::move(handler));
        break;
      case kind::accept:
        acceptor_.async_accept(accepted_, std::move(handler));
        break;
      case kind::move_accept:
        acceptor_.async_accept(std::move(handler));
        break;
      case kind::read:
        near_.async_read_some(asio::buffer(data_), std::move(handler));
        break;
      case kind::write:
        near_.async_write_some(asio::buffer(data_), std::move(handler));
        break;
      case kind::wait_read:
        near_.async_wait(rc::socket::wait_read, std::move(handler));
        break;
      case kind::wait_write:
        near_.async_wait(rc::socket::wait_write, std::move(handler));
        break;
      case kind::wait_error:
        near_.async_wait(rc::socket::wait_error, std::move(handler));
        break;
    }
    initiating() = before;
  }

  /// Gives an operation that was started what it waits for.
  void trigger(kind k) {
    switch (k) {
      case kind::connect:
        break;
      case kind::accept:
      case kind::move_accept:
        third_.connect(acceptor_.local_endpoint());
        break;
      case kind::read:
      case kind::wait_read:
        write_string(far_, "x");
        break;
      case kind::write:
      case kind::wait_write: {
        std::vector<char> skipped(filled_);
        asio::read(far_, asio::buffer(skipped));
        break;
      }
      case kind::wait_error:
        far_.set_option(rc::socket::linger(true, 0));
        far_.close();
        break;
    }
  }

private:
  using socket_type = typename rc::socket::rebind_executor<Executor>::other;
  using acceptor_type = typename rc::acceptor::rebind_executor<Executor>::other;

  static bool is_input(kind k) { return k == kind::read || k == kind::wait_read || k == kind::wait_error; }

  asio::io_context elsewhere_;
  acceptor_type acceptor_;
  socket_type connecting_, accepted_, near_;
  rc::socket far_, third_;
  std::array<char, 16> data_{};
  std::size_t filled_ = 0;
  bool at_once_ = false;
};

#endif
