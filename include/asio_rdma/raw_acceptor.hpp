// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_RAW_ACCEPTOR_HPP
#define ASIO_RDMA_RAW_ACCEPTOR_HPP

#include <asio_rdma/raw_connection.hpp>

namespace asio_rdma {
inline namespace v1 {

/// Listens for raw connections. Requests are heard in the background, up to the backlog, and wait, unanswered, until they
/// are taken: a peer's establish() returns when this side's has been called.
///
/// @par Thread Safety
/// Distinct objects: safe. Shared objects: unsafe.
template <class Executor = boost::asio::any_io_executor>
class basic_raw_acceptor {
public:
  using executor_type = Executor;
  using endpoint_type = boost::asio::ip::tcp::endpoint;
  using error_code = boost::system::error_code;

  static constexpr int default_backlog = 128;

  explicit basic_raw_acceptor(const Executor& ex) : executor_(ex) {}
  template <class ExecutionContext,
            class = std::enable_if_t<std::is_convertible_v<ExecutionContext&, boost::asio::execution_context&>>>
  explicit basic_raw_acceptor(ExecutionContext& context) : executor_(context.get_executor()) {}
  /// Listens at once.
  basic_raw_acceptor(const Executor& ex, const endpoint_type& local, const raw_options& options = {},
                     int backlog = default_backlog)
      : executor_(ex) {
    listen(local, options, backlog);
  }
  template <class ExecutionContext,
            class = std::enable_if_t<std::is_convertible_v<ExecutionContext&, boost::asio::execution_context&>>>
  basic_raw_acceptor(ExecutionContext& context, const endpoint_type& local, const raw_options& options = {},
                     int backlog = default_backlog)
      : basic_raw_acceptor(context.get_executor(), local, options, backlog) {}

  executor_type get_executor() const noexcept { return executor_; }

  /// Listens on an address of this host, port 0 for any; connections are made with the options.
  void listen(const endpoint_type& local, const raw_options& options, int backlog, error_code& ec) {
    if (is_open()) {
      ec = boost::asio::error::already_open;
      return;
    }
    ec = detail::to_asio_error(core::raw_listener::listen(options, options.device.c_str(), local.data(),
                                                          static_cast<socklen_t>(local.size()), backlog, listener_));
  }
  void listen(const endpoint_type& local, const raw_options& options = {}, int backlog = default_backlog) {
    error_code ec;
    listen(local, options, backlog, ec);
    if (ec) boost::throw_exception(boost::system::system_error(ec, "raw_acceptor: listen"));
  }

  bool is_open() const noexcept { return static_cast<bool>(listener_); }
  endpoint_type local_endpoint() const {
    return detail::raw_endpoint_of(listener_, &core::raw_listener::local_address);
  }
  /// Requests that wait are refused.
  void close() noexcept { listener_.close(); }

  /// Waits for a request and makes queues for it. Register and offer memory and post receives, then establish() it; close()
  /// refuses it.
  template <class OtherExecutor>
  void accept_request(basic_raw_connection<OtherExecutor>& connection, error_code& ec) {
    if (connection.is_open()) {
      ec = boost::asio::error::already_open;
      return;
    }
    core::raw_link link;
    core::error e;
    while (detail::must_wait(e = listener_.take(link))) listener_.wait();
    ec = detail::to_asio_error(e);
    if (!ec) connection.adopt(std::move(link));
  }
  template <class OtherExecutor>
  void accept_request(basic_raw_connection<OtherExecutor>& connection) {
    error_code ec;
    accept_request(connection, ec);
    if (ec) boost::throw_exception(boost::system::system_error(ec, "raw_acceptor: accept_request"));
  }

  /// Waits for a request and establishes the connection.
  template <class OtherExecutor>
  void accept(basic_raw_connection<OtherExecutor>& connection, error_code& ec) {
    accept_request(connection, ec);
    if (!ec) connection.establish(ec);
  }
  template <class OtherExecutor>
  void accept(basic_raw_connection<OtherExecutor>& connection) {
    error_code ec;
    accept(connection, ec);
    if (ec) boost::throw_exception(boost::system::system_error(ec, "raw_acceptor: accept"));
  }

private:
  core::raw_listener listener_;
  Executor executor_;
};

using raw_acceptor = basic_raw_acceptor<>;

}  // namespace v1
}  // namespace asio_rdma

#endif
