// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_PROTOCOL_SERVICE_HPP
#define ASIO_RDMA_DETAIL_PROTOCOL_SERVICE_HPP

#include <asio_rdma/detail/asio_error.hpp>
#include <asio_rdma/detail/attempts.hpp>
#include <asio_rdma/detail/cancellation.hpp>
#include <asio_rdma/detail/completion.hpp>
#include <asio_rdma/detail/endpoint_conversion.hpp>
#include <asio_rdma/detail/handler_operation.hpp>
#include <asio_rdma/detail/option_access.hpp>
#include <asio_rdma/detail/socket_service_base.hpp>

#include <boost/asio/buffer.hpp>

#include <cerrno>
#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

#if defined(BOOST_ASIO_NO_DEPRECATED)
template <class Buffers>
inline constexpr bool is_null_buffers = false;
#else
/// Asio's former way to say that an operation shall only wait until it could go on.
template <class Buffers>
inline constexpr bool is_null_buffers = std::is_same_v<Buffers, boost::asio::null_buffers>;
#endif

/// Makes a socket of the kind that a protocol needs.
using open_function = core::error(int family, core::socket& result) noexcept;

/// The functions that Asio's sockets and acceptors call on their service, as far as all kinds of sockets have them. The
/// set is the same from Boost 1.81 to 1.90.
template <class Protocol, open_function* Open>
class protocol_service : public socket_service_base {
public:
  using protocol_type = Protocol;
  using endpoint_type = typename Protocol::endpoint;
  using message_flags = socket_base::message_flags;

  struct implementation_type : base_implementation_type {
    protocol_type protocol = endpoint_type().protocol();
  };

  void move_construct(implementation_type& i, implementation_type& other) noexcept {
    i.state = std::move(other.state);
    i.protocol = std::exchange(other.protocol, endpoint_type().protocol());
  }

  void move_assign(implementation_type& i, protocol_service&, implementation_type& other) noexcept {
    destroy(i);
    move_construct(i, other);
  }

  template <class OtherService, class OtherImplementation>
  void converting_move_construct(implementation_type& i, OtherService&, OtherImplementation& other) noexcept {
    static_assert(std::is_base_of_v<protocol_service, OtherService>,
                  "a socket of the kernel cannot become an RDMA socket: make it with asio_rdma's protocols");
    move_construct(i, other);
  }

  error_code open(implementation_type& i, const protocol_type& protocol, error_code& ec) {
    if (is_open(i)) return ec = boost::asio::error::already_open;
    core::socket s;
    ec = to_asio_error(Open(protocol.family(), s));
    if (!ec) own(i, protocol, std::move(s));
    return ec;
  }

  error_code assign(implementation_type& i, const protocol_type& protocol, const native_handle_type& handle,
                    error_code& ec) {
    if (is_open(i)) return ec = boost::asio::error::already_open;
    if (!handle) return ec = boost::asio::error::operation_not_supported;
    own(i, protocol, handle.get());
    return ec = error_code();
  }

  error_code bind(implementation_type& i, const endpoint_type& endpoint, error_code& ec) {
    if (!is_open(i)) return ec = boost::asio::error::bad_descriptor;
    return ec = to_asio_error(i.state->core().bind(endpoint.data(), static_cast<socklen_t>(endpoint.size())));
  }

  template <class Option>
  error_code set_option(implementation_type& i, const Option& option, error_code& ec) {
    if (!is_open(i)) return ec = boost::asio::error::bad_descriptor;
    const protocol_type& p = i.protocol;
    return ec = to_asio_error(
               set_socket_option(*i.state, option.level(p), option.name(p), option.data(p), option.size(p)));
  }

  template <class Option>
  error_code get_option(const implementation_type& i, Option& option, error_code& ec) const {
    if (!is_open(i)) return ec = boost::asio::error::bad_descriptor;
    const protocol_type& p = i.protocol;
    const std::size_t size = option.size(p);
    ec = to_asio_error(get_socket_option(*i.state, option.level(p), option.name(p), option.data(p), size));
    if (!ec) option.resize(p, size);
    return ec;
  }

  endpoint_type local_endpoint(const implementation_type& i, error_code& ec) const {
    endpoint_type result;
    ec = to_asio_error(is_open(i) ? get_local_endpoint(i.state->core(), result) : core::error(EBADF));
    return result;
  }

  endpoint_type remote_endpoint(const implementation_type& i, error_code& ec) const {
    endpoint_type result;
    ec = to_asio_error(is_open(i) ? get_remote_endpoint(i.state->core(), result) : core::error(EBADF));
    return result;
  }

  error_code connect(implementation_type& i, const endpoint_type& peer, error_code& ec) {
    if (!is_open(i)) return ec = boost::asio::error::bad_descriptor;
    core::error e = start_connect(*i.state, peer);
    if (!e) {
      connect_attempt attempt;
      e = run(i, attempt, true);  // as TCP's, on a non-blocking socket too
      i.state->connected();
    }
    return ec = to_asio_error(e);
  }

  template <class Handler, class IoExecutor>
  void async_connect(implementation_type& i, const endpoint_type& peer, Handler& handler, const IoExecutor& io_ex) {
    if (const core::error e = is_open(i) ? start_connect(*i.state, peer) : core::error(EBADF)) {
      return complete_immediately(handler, io_ex, to_asio_error(e), std::tuple<>());
    }
    start(i, direction_queue::write, connect_attempt(), handler, io_ex);
  }

  template <class Handler, class IoExecutor>
  void async_wait(implementation_type& i, socket_base::wait_type w, Handler& handler, const IoExecutor& io_ex) {
    core::readiness kind = {};
    if (!find_readiness(w, kind)) {
      return complete_immediately(handler, io_ex, boost::asio::error::invalid_argument, std::tuple<>());
    }
    start(i, queue_of(kind), wait_attempt(kind), handler, io_ex);
  }

protected:
  ~protocol_service() = default;

  /// An attempt whose handler wants to be told a number of bytes.
  template <class Attempt>
  struct sized_attempt : Attempt {
    explicit sized_attempt(const Attempt& a) : Attempt(a) {}
    std::tuple<std::size_t> results(const error_code&) noexcept { return std::tuple<std::size_t>(0); }
  };
  template <class Attempt>
  static sized_attempt<Attempt> sized(const Attempt& a) {
    return sized_attempt<Attempt>(a);
  }

  static bool peeks(message_flags flags) noexcept { return (flags & socket_base::message_peek) != 0; }

  void own(implementation_type& i, const protocol_type& protocol, core::socket s) {
    destroy(i);  // nothing, unless a fork has closed it
    adopt(i, std::move(s));
    i.protocol = protocol;
  }

  static core::error start_connect(socket_state& s, const endpoint_type& peer) noexcept {
    return s.core().connect(peer.data(), static_cast<socklen_t>(peer.size()));
  }

  /// Why a transfer cannot or need not be tried at all.
  static bool is_trivial(bool empty, message_flags flags, error_code& ec) noexcept {
    ec = (flags & socket_base::message_out_of_band) ? boost::asio::error::operation_not_supported : error_code();
    return ec || empty;
  }

  template <class Attempt>
  std::size_t transfer(implementation_type& i, Attempt attempt, bool empty, message_flags flags, error_code& ec) {
    if (!is_open(i)) {
      ec = boost::asio::error::bad_descriptor;
      return 0;
    }
    if (is_trivial(empty, flags, ec)) return 0;
    ec = to_asio_error(run(i, attempt));
    attempt.finish(ec);
    return std::get<0>(attempt.results(ec));
  }

  template <class Attempt, class Handler, class IoExecutor>
  void start_transfer(implementation_type& i, direction_queue q, Attempt&& attempt, bool empty, message_flags flags,
                      Handler& handler, const IoExecutor& io_ex) {
    error_code ec;
    if (is_open(i) && is_trivial(empty, flags, ec)) {
      return complete_immediately(handler, io_ex, ec, std::tuple<std::size_t>(0));
    }
    start(i, q, std::move(attempt), handler, io_ex);
  }

  template <class Attempt, class Handler, class IoExecutor>
  void start(implementation_type& i, direction_queue q, Attempt attempt, Handler& handler, const IoExecutor& io_ex) {
    core::error e(EBADF);
    if (!is_open(i) || i.state->try_now(q, attempt, e)) {
      error_code ec = to_asio_error(e);
      attempt.finish(ec);
      if (is_open(i)) i.state->settle();
      complete_immediately(handler, io_ex, ec, attempt.results(ec));
      return attempt.what_follows().post(io_ex);
    }
    // Once it is queued, its handler may destroy the I/O object on another thread.
    const std::shared_ptr<socket_state> state = i.state;
    const operation::key_type key = state->next_key();
    operation* op = nullptr;
    try {
      connect_cancellation(handler, state, q, key);
      op = handler_operation<Attempt, Handler, IoExecutor>::create(key, std::move(attempt), handler, io_ex);
    } catch (...) {
      state->core().reclaim_memory();  // what was tried may have given the caller's to the device
      throw;
    }
    state->start(q, op, io_ex);
  }
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
