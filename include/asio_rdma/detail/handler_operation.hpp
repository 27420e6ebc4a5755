// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_HANDLER_OPERATION_HPP
#define ASIO_RDMA_DETAIL_HANDLER_OPERATION_HPP

#include <asio_rdma/detail/asio_error.hpp>
#include <asio_rdma/detail/completion.hpp>
#include <asio_rdma/detail/operation.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/recycling_allocator.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// Work on the socket's executor, and on the handler's where that is another.
template <class HandlerExecutor, class IoExecutor>
class operation_work {
public:
  operation_work(const HandlerExecutor& handler_ex, const IoExecutor& io_ex) : io_(io_ex), handler_ex_(handler_ex) {
    if (!same_executor(handler_ex, io_ex)) handler_.emplace(handler_ex);
  }

  IoExecutor io_executor() const noexcept { return io_.get_executor(); }
  const HandlerExecutor& handler_executor() const noexcept { return handler_ex_; }

private:
  boost::asio::executor_work_guard<IoExecutor> io_;
  HandlerExecutor handler_ex_;
  std::optional<boost::asio::executor_work_guard<HandlerExecutor>> handler_;
};

/// An operation that was not done at once, with all that belongs to it in one block from the handler's allocator.
///
/// An Attempt is a function object with
///   core::error operator()(Core&)           tries; EAGAIN if it has to be tried again
///   bool has_effects()                      true if it has done something though it is to be tried again
///   bool is_handed_over()                   see basic_operation
///   bool look_ahead(Core&)                  see basic_operation
///   bool stop(Core&)                        see basic_operation
///   auto what_follows()                     something whose post(io_executor) is called once the handler is on its way
///   void finish(error_code&)                done once before the handler is called
///   std::tuple<...> results(error_code)     the handler's arguments after the error_code
template <class Attempt, class Handler, class IoExecutor, class Core = core::socket>
class handler_operation final : public basic_operation<Core> {
  using operation = basic_operation<Core>;
  using handler_executor = boost::asio::associated_executor_t<Handler, IoExecutor>;
  using work = operation_work<handler_executor, IoExecutor>;
  using default_allocator = boost::asio::recycling_allocator<void>;
  using allocator = typename std::allocator_traits<
      boost::asio::associated_allocator_t<Handler, default_allocator>>::template rebind_alloc<handler_operation>;
  using traits = std::allocator_traits<allocator>;

public:
  using key_type = typename operation::key_type;

  static operation* create(key_type key, Attempt&& attempt, Handler& handler, const IoExecutor& io_ex) {
    block b(handler);
    b.pointer = traits::allocate(b.source, 1);
    operation* result = ::new (static_cast<void*>(std::addressof(*b.pointer)))
        handler_operation(key, std::move(attempt), handler, io_ex);
    b.pointer = {};
    return result;
  }

  bool perform(Core& s) noexcept override {
    error_ = attempt_(s);
    return !must_wait(error_);
  }

  void fail(core::error e) noexcept override { error_ = e; }

  bool has_effects() const noexcept override { return attempt_.has_effects(); }

  bool is_handed_over() const noexcept override { return attempt_.is_handed_over(); }

  bool look_ahead(Core& s) noexcept override { return attempt_.look_ahead(s); }

  bool stop(Core& s) noexcept override { return attempt_.stop(s); }

  bool is_connect() const noexcept override { return Attempt::is_connect; }

  void complete(upcall how) override {
    work w(std::move(work_));
    boost::system::error_code ec = to_asio_error(error_);
    attempt_.finish(ec);
    completion c(std::move(handler_), ec, attempt_.results(ec));
    auto behind = attempt_.what_follows();
    free_memory(c.handler());
    if (how == upcall::post) {
      post_completion(std::move(c), w.handler_executor(), w.io_executor());
      behind.post(w.io_executor());
      return;
    }
    behind.post(w.io_executor());
    if (how == upcall::direct && same_executor(w.handler_executor(), w.io_executor())) {
      c();
    } else {
      boost::asio::dispatch(w.handler_executor(), std::move(c));
    }
  }

  void destroy() noexcept override {
    Handler handler(std::move(handler_));  // may own the memory
    free_memory(handler);
  }

private:
  struct block {
    explicit block(const Handler& handler)
        : source(boost::asio::get_associated_allocator(handler, default_allocator())), pointer() {}
    block(const block&) = delete;
    block& operator=(const block&) = delete;
    ~block() {
      if (pointer) traits::deallocate(source, pointer, 1);
    }
    allocator source;
    typename traits::pointer pointer;
  };

  handler_operation(key_type key, Attempt&& attempt, Handler& handler, const IoExecutor& io_ex)
      : operation(key),
        attempt_(std::move(attempt)),
        work_(boost::asio::get_associated_executor(handler, io_ex), io_ex),
        handler_(std::move(handler)) {}
  ~handler_operation() = default;

  void free_memory(const Handler& handler) noexcept {
    block b(handler);
    this->~handler_operation();
    b.pointer = std::pointer_traits<typename traits::pointer>::pointer_to(*this);
  }

  Attempt attempt_;
  core::error error_;
  work work_;
  Handler handler_;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
