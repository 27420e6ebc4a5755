// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_RAW_ATTEMPTS_HPP
#define ASIO_RDMA_DETAIL_RAW_ATTEMPTS_HPP

#include <asio_rdma/detail/attempts.hpp>
#include <asio_rdma/detail/completion_room.hpp>
#include <asio_rdma/detail/handler_operation.hpp>
#include <asio_rdma/detail/waiting_room.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

// What the asynchronous operations of raw connections and acceptors do; handler_operation.hpp says what an attempt is.

/// The outcome of a step of the set-up.
class setup_attempt : public plain_attempt {
public:
  using outcome = core::error (core::raw_link::*)() noexcept;
  explicit setup_attempt(outcome o, core::error begun = {}) noexcept : outcome_(o), begun_(begun) {}
  core::error operator()(core::raw_link& link) noexcept { return begun_ ? begun_ : (link.*outcome_)(); }

private:
  outcome outcome_;
  core::error begun_;  // why the step could not even begin
};

/// Takes a request for a connection. Adopt gets it.
template <class Adopt>
class take_request_attempt : public plain_attempt {
public:
  explicit take_request_attempt(Adopt adopt) : adopt_(std::move(adopt)) {}
  core::error operator()(core::raw_listener& listener) noexcept { return listener.take(link_); }
  void finish(boost::system::error_code& ec) {
    if (!ec) adopt_(std::move(link_), ec);
  }

private:
  Adopt adopt_;
  core::raw_link link_;
};

/// A request that was posted.
class request_attempt : public plain_attempt {
public:
  core::error operator()(completion_room& room) noexcept {
    static_cast<ibv_wc&>(completion_) = room.current();
    return room.current_error();
  }
  std::tuple<work_completion> results(const boost::system::error_code&) noexcept {
    return std::tuple<work_completion>(completion_);
  }

private:
  work_completion completion_;
};

/// Completions that are nobody's.
class poll_attempt : public plain_attempt {
public:
  explicit poll_attempt(span<work_completion> result) noexcept : result_(result) {}
  core::error operator()(completion_room& room) noexcept {
    count_ = room.take_kept(result_);
    if (count_ != 0 || result_.empty()) return {};
    return room.broken() ? room.broken() : core::error(EAGAIN);
  }
  std::tuple<std::size_t> results(const boost::system::error_code& ec) noexcept {
    return std::tuple<std::size_t>(ec ? 0 : count_);
  }

private:
  span<work_completion> result_;
  std::size_t count_ = 0;
};

/// Lets a handler's cancellation slot call cancel(), for the types of cancellation in mask. What it uses may be gone by
/// then.
template <class Handler, class Object>
void connect_raw_cancellation(const Handler& handler, const std::shared_ptr<Object>& object,
                              boost::asio::cancellation_type mask, void (*cancel)(Object&, std::uint64_t key),
                              std::uint64_t key) {
  auto slot = boost::asio::get_associated_cancellation_slot(handler);
  if (!slot.is_connected()) return;
  slot.assign([weak = std::weak_ptr<Object>(object), mask, cancel, key](boost::asio::cancellation_type type) {
    if ((type & mask) == boost::asio::cancellation_type::none) return;
    if (const auto o = weak.lock()) cancel(*o, key);
  });
}

/// Makes an operation of an attempt and a handler, on an object of the core.
template <class Core, class Attempt, class Handler, class IoExecutor>
basic_operation<Core>* make_raw_operation(std::uint64_t key, Attempt&& attempt, Handler& handler,
                                          const IoExecutor& io_ex) {
  using type = handler_operation<std::decay_t<Attempt>, Handler, IoExecutor, Core>;
  return type::create(key, std::move(attempt), handler, io_ex);
}

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
