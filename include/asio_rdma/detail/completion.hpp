// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_COMPLETION_HPP
#define ASIO_RDMA_DETAIL_COMPLETION_HPP

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/error_code.hpp>
#include <boost/version.hpp>

#if BOOST_VERSION >= 108200
#include <boost/asio/associated_immediate_executor.hpp>
#endif

#include <tuple>
#include <type_traits>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// A handler and the arguments that it will be called with. Allocates as the handler does; where it runs is for its
/// user to say.
template <class Handler, class... Results>
class completion {
public:
  using allocator_type = boost::asio::associated_allocator_t<Handler>;

  completion(Handler&& handler, const boost::system::error_code& ec, std::tuple<Results...>&& results)
      : handler_(std::move(handler)), ec_(ec), results_(std::move(results)) {}

  allocator_type get_allocator() const noexcept { return boost::asio::get_associated_allocator(handler_); }
  const Handler& handler() const noexcept { return handler_; }

  void operator()() {
    std::apply([this](Results&... r) { std::move(handler_)(std::as_const(ec_), argument(r)...); }, results_);
  }

private:
  // As Asio does: results are constant, but what cannot be copied is given away.
  template <class T>
  static decltype(auto) argument(T& result) noexcept {
    if constexpr (std::is_copy_constructible_v<T>) {
      return std::as_const(result);
    } else {
      return std::move(result);
    }
  }

  Handler handler_;
  boost::system::error_code ec_;
  std::tuple<Results...> results_;
};

/// True if the handler runs on the socket's own executor, so that one hop leads there.
template <class HandlerExecutor, class IoExecutor>
bool same_executor(const HandlerExecutor& handler_ex, const IoExecutor& io_ex) noexcept {
  if constexpr (std::is_same_v<HandlerExecutor, IoExecutor>) {
    return handler_ex == io_ex;
  } else {
    return false;
  }
}

/// Calls the handler later: by way of the socket's executor, on its own.
template <class Completion, class HandlerExecutor, class IoExecutor>
void post_completion(Completion&& c, const HandlerExecutor& handler_ex, const IoExecutor& io_ex) {
  if (same_executor(handler_ex, io_ex)) {
    boost::asio::post(io_ex, std::forward<Completion>(c));
  } else {
    boost::asio::post(io_ex, boost::asio::bind_executor(handler_ex, std::forward<Completion>(c)));
  }
}

/// Calls the handler of an operation that was done at once: never from inside the initiating function, unless the
/// handler asked for it by an immediate executor (from Boost 1.82).
template <class Handler, class IoExecutor, class... Results>
void complete_immediately(Handler& handler, const IoExecutor& io_ex, const boost::system::error_code& ec,
                          std::tuple<Results...>&& results) {
#if BOOST_VERSION >= 108200
  // As Asio does: a handler without an executor of its own is called on the immediate one.
  const auto immediate_ex = boost::asio::get_associated_immediate_executor(handler, io_ex);
  const auto handler_ex = boost::asio::get_associated_executor(handler, immediate_ex);
  completion<Handler, Results...> c(std::move(handler), ec, std::move(results));
  if (same_executor(handler_ex, immediate_ex)) {
    boost::asio::dispatch(immediate_ex, std::move(c));
  } else {
    boost::asio::dispatch(immediate_ex, boost::asio::bind_executor(handler_ex, std::move(c)));
  }
#else
  const auto handler_ex = boost::asio::get_associated_executor(handler, io_ex);
  post_completion(completion<Handler, Results...>(std::move(handler), ec, std::move(results)), handler_ex, io_ex);
#endif
}

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
