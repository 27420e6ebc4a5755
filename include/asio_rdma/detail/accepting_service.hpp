// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_ACCEPTING_SERVICE_HPP
#define ASIO_RDMA_DETAIL_ACCEPTING_SERVICE_HPP

#include <asio_rdma/detail/accept_attempt.hpp>
#include <asio_rdma/detail/protocol_service.hpp>

#include <tuple>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// The functions that Asio's acceptors call on their service beside those of all sockets.
template <class Protocol, open_function* Open>
class accepting_service : public protocol_service<Protocol, Open> {
  using base = protocol_service<Protocol, Open>;

public:
  using typename base::endpoint_type;
  using typename base::error_code;
  using typename base::implementation_type;
  using typename base::protocol_type;

  template <class Socket>
  error_code accept(implementation_type& i, Socket& peer, endpoint_type* peer_endpoint, error_code& ec) {
    if (peer.is_open()) return ec = boost::asio::error::already_open;
    accept_attempt<protocol_type, Socket> attempt(peer, i.protocol, peer_endpoint);
    ec = to_asio_error(this->run(i, attempt));
    attempt.finish(ec);
    return ec;
  }

  template <class Socket, class Handler, class IoExecutor>
  void async_accept(implementation_type& i, Socket& peer, endpoint_type* peer_endpoint, Handler& handler,
                    const IoExecutor& io_ex) {
    if (peer.is_open()) {
      return complete_immediately(handler, io_ex, boost::asio::error::already_open, std::tuple<>());
    }
    this->start(i, direction_queue::read, accept_attempt<protocol_type, Socket>(peer, i.protocol, peer_endpoint),
                handler, io_ex);
  }

  template <class PeerIoExecutor, class Handler, class IoExecutor>
  void async_move_accept(implementation_type& i, const PeerIoExecutor& peer_io_ex, endpoint_type* peer_endpoint,
                         Handler& handler, const IoExecutor& io_ex) {
    using peer_type = typename protocol_type::socket::template rebind_executor<PeerIoExecutor>::other;
    this->start(i, direction_queue::read,
                move_accept_attempt<protocol_type, peer_type>(peer_io_ex, i.protocol, peer_endpoint), handler, io_ex);
  }

protected:
  ~accepting_service() = default;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
