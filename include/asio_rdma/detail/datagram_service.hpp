// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_DATAGRAM_SERVICE_HPP
#define ASIO_RDMA_DETAIL_DATAGRAM_SERVICE_HPP

#include <asio_rdma/detail/datagram_attempts.hpp>
#include <asio_rdma/detail/protocol_service.hpp>

#include <cstddef>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// The functions that Asio's datagram sockets call on their service beside those of all sockets. Unlike those of a
/// stream, buffers without bytes make a datagram without bytes.
template <class Protocol>
class datagram_service : public protocol_service<Protocol, core::socket::open_datagram> {
  using base = protocol_service<Protocol, core::socket::open_datagram>;

public:
  using typename base::endpoint_type;
  using typename base::error_code;
  using typename base::implementation_type;
  using typename base::message_flags;
  using typename base::socket_base;

  template <class ConstBufferSequence>
  std::size_t send(implementation_type& i, const ConstBufferSequence& buffers, message_flags flags, error_code& ec) {
    return send_or_wait(i, buffers, nullptr, flags, ec);
  }

  template <class ConstBufferSequence>
  std::size_t send_to(implementation_type& i, const ConstBufferSequence& buffers, const endpoint_type& destination,
                      message_flags flags, error_code& ec) {
    return send_or_wait(i, buffers, &destination, flags, ec);
  }

  template <class MutableBufferSequence>
  std::size_t receive(implementation_type& i, const MutableBufferSequence& buffers, message_flags flags,
                      error_code& ec) {
    return receive_or_wait(i, buffers, nullptr, flags, ec);
  }

  template <class MutableBufferSequence>
  std::size_t receive_from(implementation_type& i, const MutableBufferSequence& buffers, endpoint_type& sender,
                           message_flags flags, error_code& ec) {
    return receive_or_wait(i, buffers, &sender, flags, ec);
  }

  template <class ConstBufferSequence, class Handler, class IoExecutor>
  void async_send(implementation_type& i, const ConstBufferSequence& buffers, message_flags flags, Handler& handler,
                  const IoExecutor& io_ex) {
    start_send_or_wait(i, buffers, nullptr, flags, handler, io_ex);
  }

  template <class ConstBufferSequence, class Handler, class IoExecutor>
  void async_send_to(implementation_type& i, const ConstBufferSequence& buffers, const endpoint_type& destination,
                     message_flags flags, Handler& handler, const IoExecutor& io_ex) {
    start_send_or_wait(i, buffers, &destination, flags, handler, io_ex);
  }

  template <class MutableBufferSequence, class Handler, class IoExecutor>
  void async_receive(implementation_type& i, const MutableBufferSequence& buffers, message_flags flags,
                     Handler& handler, const IoExecutor& io_ex) {
    start_receive_or_wait(i, buffers, nullptr, flags, handler, io_ex);
  }

  template <class MutableBufferSequence, class Handler, class IoExecutor>
  void async_receive_from(implementation_type& i, const MutableBufferSequence& buffers, endpoint_type& sender,
                          message_flags flags, Handler& handler, const IoExecutor& io_ex) {
    start_receive_or_wait(i, buffers, &sender, flags, handler, io_ex);
  }

protected:
  ~datagram_service() = default;

private:
  template <class Buffers>
  std::size_t send_or_wait(implementation_type& i, const Buffers& buffers, const endpoint_type* destination,
                           message_flags flags, error_code& ec) {
    if constexpr (is_null_buffers<Buffers>) {
      this->wait(i, socket_base::wait_write, ec);
      return 0;
    } else {
      return this->transfer(i, send_to_attempt<Buffers, endpoint_type>(buffers, destination), false, flags, ec);
    }
  }

  template <class Buffers>
  std::size_t receive_or_wait(implementation_type& i, const Buffers& buffers, endpoint_type* sender,
                              message_flags flags, error_code& ec) {
    if constexpr (is_null_buffers<Buffers>) {
      if (sender) *sender = endpoint_type();
      this->wait(i, socket_base::wait_read, ec);
      return 0;
    } else {
      return this->transfer(i, receive_from_attempt<Buffers, endpoint_type>(buffers, sender, this->peeks(flags)), false,
                            flags, ec);
    }
  }

  template <class Buffers, class Handler, class IoExecutor>
  void start_send_or_wait(implementation_type& i, const Buffers& buffers, const endpoint_type* destination,
                          message_flags flags, Handler& handler, const IoExecutor& io_ex) {
    if constexpr (is_null_buffers<Buffers>) {
      this->start(i, direction_queue::write, this->sized(wait_attempt(core::readiness::write)), handler, io_ex);
    } else {
      this->start_transfer(i, direction_queue::write, send_to_attempt<Buffers, endpoint_type>(buffers, destination),
                           false, flags, handler, io_ex);
    }
  }

  template <class Buffers, class Handler, class IoExecutor>
  void start_receive_or_wait(implementation_type& i, const Buffers& buffers, endpoint_type* sender,
                             message_flags flags, Handler& handler, const IoExecutor& io_ex) {
    if constexpr (is_null_buffers<Buffers>) {
      if (sender) *sender = endpoint_type();
      this->start(i, direction_queue::read, this->sized(wait_attempt(core::readiness::read)), handler, io_ex);
    } else {
      this->start_transfer(i, direction_queue::read,
                           receive_from_attempt<Buffers, endpoint_type>(buffers, sender, this->peeks(flags)), false,
                           flags, handler, io_ex);
    }
  }
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
