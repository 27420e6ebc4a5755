// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_RAW_ACCEPTOR_HPP
#define ASIO_RDMA_RAW_ACCEPTOR_HPP

#include <asio_rdma/raw_connection.hpp>

namespace asio_rdma {
inline namespace v1 {

/// Listens for raw connections. Requests are heard in the background, up to the backlog, and wait, unanswered, until
/// they are taken: a peer's establish() returns when this side's has been called.
///
/// @par Thread Safety
/// Distinct objects: safe. Shared objects: unsafe.
template <class Executor = boost::asio::any_io_executor>
class basic_raw_acceptor {
public:
  /// What runs the handlers that have no executor of their own.
  using executor_type = Executor;
  /// Addresses are TCP's.
  using endpoint_type = boost::asio::ip::tcp::endpoint;
  /// What calls report by.
  using error_code = boost::system::error_code;

  /// Requests that may wait to be accepted; more are refused.
  static constexpr int default_backlog = 128;

  /// Does not listen yet.
  explicit basic_raw_acceptor(const Executor& ex) : executor_(ex) {}
  /// Does not listen yet.
  template <class ExecutionContext,
            class = std::enable_if_t<std::is_convertible_v<ExecutionContext&, boost::asio::execution_context&>>>
  explicit basic_raw_acceptor(ExecutionContext& context) : executor_(context.get_executor()) {}
  /// Listens at once. Throws boost::system::system_error.
  basic_raw_acceptor(const Executor& ex, const endpoint_type& local, const raw_options& options = {},
                     int backlog = default_backlog)
      : executor_(ex) {
    listen(local, options, backlog);
  }
  /// Listens at once. Throws boost::system::system_error.
  template <class ExecutionContext,
            class = std::enable_if_t<std::is_convertible_v<ExecutionContext&, boost::asio::execution_context&>>>
  basic_raw_acceptor(ExecutionContext& context, const endpoint_type& local, const raw_options& options = {},
                     int backlog = default_backlog)
      : basic_raw_acceptor(context.get_executor(), local, options, backlog) {}

  /// That of its handlers.
  executor_type get_executor() const noexcept { return executor_; }

  /// Listens on an address of this host, port 0 for any; connections are made with the options. Errors: address_in_use,
  /// address_not_available, errc::foreign_address for an address that no device carries, errc::no_device, and
  /// invalid_argument for an option out of range. A backlog below 1 counts as 1.
  void listen(const endpoint_type& local, const raw_options& options, int backlog, error_code& ec) {
    if (is_open()) {
      ec = boost::asio::error::already_open;
      return;
    }
    ec = detail::to_asio_error(core::raw_listener::listen(options, options.device.c_str(), local.data(),
                                                          static_cast<socklen_t>(local.size()), backlog, room_->core));
  }
  /// Throws boost::system::system_error.
  void listen(const endpoint_type& local, const raw_options& options = {}, int backlog = default_backlog) {
    error_code ec;
    listen(local, options, backlog, ec);
    if (ec) boost::throw_exception(boost::system::system_error(ec, "raw_acceptor: listen"));
  }

  /// What was moved from can only be destroyed. Not while asynchronous operations are under way.
  basic_raw_acceptor(basic_raw_acceptor&&) noexcept = default;
  basic_raw_acceptor& operator=(basic_raw_acceptor&&) = delete;
  /// As close().
  ~basic_raw_acceptor() {
    if (room_) close();
  }

  /// Whether it listens.
  bool is_open() const noexcept { return static_cast<bool>(room_->core); }
  /// Where it listens, with the port that was chosen. Throws boost::system::system_error if it does not.
  endpoint_type local_endpoint() const {
    return detail::raw_endpoint_of(room_->core, &core::raw_listener::local_address);
  }
  /// Requests that wait are refused; asynchronous operations end with operation_aborted.
  void close() { room_->close(); }

  /// Waits for a request and makes queues for it. Register and offer memory and post receives, then establish() it;
  /// close() refuses it. Errors: bad_descriptor if the acceptor does not listen, already_open if the connection is, and
  /// what raw_connection::open() says of queues.
  template <class OtherExecutor>
  void accept_request(basic_raw_connection<OtherExecutor>& connection, error_code& ec) {
    if (connection.is_open()) {
      ec = boost::asio::error::already_open;
      return;
    }
    core::raw_link link;
    core::error e;
    while (detail::must_wait(e = room_->core.take(link))) room_->core.wait();
    ec = detail::to_asio_error(e);
    if (!ec) connection.adopt(std::move(link));
  }
  /// Throws boost::system::system_error.
  template <class OtherExecutor>
  void accept_request(basic_raw_connection<OtherExecutor>& connection) {
    error_code ec;
    accept_request(connection, ec);
    if (ec) boost::throw_exception(boost::system::system_error(ec, "raw_acceptor: accept_request"));
  }

  /// Waits for a request and establishes the connection. Errors: those of accept_request() and of the connection's
  /// establish().
  template <class OtherExecutor>
  void accept(basic_raw_connection<OtherExecutor>& connection, error_code& ec) {
    accept_request(connection, ec);
    if (!ec) connection.establish(ec);
  }
  /// Throws boost::system::system_error.
  template <class OtherExecutor>
  void accept(basic_raw_connection<OtherExecutor>& connection) {
    error_code ec;
    accept(connection, ec);
    if (ec) boost::throw_exception(boost::system::system_error(ec, "raw_acceptor: accept"));
  }

  // The same asynchronously; handlers get the error_code.

  /// As accept_request(). Completion signature void(error_code). The connection must not be moved meanwhile.
  /// Cancelling, in any way, leaves the acceptor as it is.
  template <class OtherExecutor, class Token = boost::asio::default_completion_token_t<Executor>>
  auto async_accept_request(basic_raw_connection<OtherExecutor>& connection, Token&& token = Token()) {
    return boost::asio::async_initiate<Token, void(error_code)>(
        [this](auto&& handler, basic_raw_connection<OtherExecutor>* c) {
          using handler_type = std::decay_t<decltype(handler)>;
          handler_type h(std::move(handler));
          const auto key = room_->next_key();
          detail::connect_raw_cancellation<handler_type, room_type>(
              h, room_, boost::asio::cancellation_type::all, [](auto& r, auto k) { r.cancel(k); }, key);
          const auto adopt = [c](core::raw_link&& link, error_code& ec) {
            if (c->is_open()) {
              ec = boost::asio::error::already_open;
            } else {
              c->adopt(std::move(link));
            }
          };
          room_->start(detail::make_raw_operation<core::raw_listener>(
                           key, detail::take_request_attempt<decltype(adopt)>(adopt), h, executor_),
                       executor_);
        },
        token, &connection);
  }

  /// As accept(). Completion signature void(error_code). As async_accept_request(); one that is cancelled while it
  /// establishes closes the connection.
  template <class OtherExecutor, class Token = boost::asio::default_completion_token_t<Executor>>
  auto async_accept(basic_raw_connection<OtherExecutor>& connection, Token&& token = Token()) {
    return boost::asio::async_compose<Token, void(error_code)>(
        [this, c = &connection, step = 0](auto& self, const error_code& ec = {}) mutable {
          if (ec || step == 2) return self.complete(ec);
          if (step++ == 0) return this->async_accept_request(*c, std::move(self));
          c->async_establish(std::move(self));
        },
        token, executor_);
  }

private:
  using room_type = detail::waiting_room<core::raw_listener>;

  std::shared_ptr<room_type> room_ = std::make_shared<room_type>();
  Executor executor_;
};

/// The acceptor for any executor.
using raw_acceptor = basic_raw_acceptor<>;

}  // namespace v1
}  // namespace asio_rdma

#endif
