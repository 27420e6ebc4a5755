// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_ACCEPT_ATTEMPT_HPP
#define ASIO_RDMA_DETAIL_ACCEPT_ATTEMPT_HPP

#include <asio_rdma/detail/attempts.hpp>
#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/detail/endpoint_conversion.hpp>
#include <asio_rdma/detail/native_handle.hpp>

#include <boost/system/error_code.hpp>

#include <tuple>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// A connection that was taken from the listener. Ends it, unless it is handed on.
class accepted_socket {
public:
  accepted_socket() noexcept = default;
  accepted_socket(accepted_socket&& other) noexcept : socket_(std::exchange(other.socket_, core::socket())) {}
  accepted_socket& operator=(accepted_socket&&) = delete;
  ~accepted_socket() {
    if (socket_) socket_.close();
  }

  core::socket& get() noexcept { return socket_; }

  /// Gives the connection to an I/O object, and its remote endpoint to whom it concerns. An object that is open by now
  /// refuses it.
  template <class Protocol, class Socket>
  void hand_to(Socket& peer, const Protocol& protocol, typename Protocol::endpoint* peer_endpoint,
               boost::system::error_code& ec) {
    peer.assign(protocol, native_handle(socket_), ec);
    if (ec) return;
    if (peer_endpoint) get_remote_endpoint(socket_, *peer_endpoint);
    socket_ = core::socket();
  }

private:
  core::socket socket_;
};

/// Accepts into an I/O object of the user's.
template <class Protocol, class Socket>
class accept_attempt : public plain_attempt {
public:
  accept_attempt(Socket& peer, const Protocol& protocol, typename Protocol::endpoint* peer_endpoint) noexcept
      : peer_(peer), protocol_(protocol), peer_endpoint_(peer_endpoint) {}

  core::error operator()(core::socket& s) noexcept { return s.accept(accepted_.get()); }
  void finish(boost::system::error_code& ec) {
    if (!ec) accepted_.hand_to(peer_, protocol_, peer_endpoint_, ec);
  }

private:
  Socket& peer_;
  Protocol protocol_;
  typename Protocol::endpoint* peer_endpoint_;
  accepted_socket accepted_;
};

/// Accepts into a new I/O object, which the handler gets.
template <class Protocol, class Socket>
class move_accept_attempt : public plain_attempt {
public:
  template <class PeerExecutor>
  move_accept_attempt(const PeerExecutor& ex, const Protocol& protocol, typename Protocol::endpoint* peer_endpoint)
      : peer_(ex), protocol_(protocol), peer_endpoint_(peer_endpoint) {}

  core::error operator()(core::socket& s) noexcept { return s.accept(accepted_.get()); }
  void finish(boost::system::error_code& ec) {
    if (!ec) accepted_.hand_to(peer_, protocol_, peer_endpoint_, ec);
  }
  std::tuple<Socket> results(const boost::system::error_code&) noexcept { return std::tuple<Socket>(std::move(peer_)); }

private:
  Socket peer_;
  Protocol protocol_;
  typename Protocol::endpoint* peer_endpoint_;
  accepted_socket accepted_;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
