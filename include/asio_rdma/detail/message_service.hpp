// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_MESSAGE_SERVICE_HPP
#define ASIO_RDMA_DETAIL_MESSAGE_SERVICE_HPP

#include <asio_rdma/detail/accepting_service.hpp>
#include <asio_rdma/detail/message_attempts.hpp>
#include <asio_rdma/detail/registered_attempt.hpp>

#include <cstddef>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// The functions that Asio's sequenced packet sockets call on their service beside those of all that connect. Buffers
/// without bytes are a message without bytes to send; to receive into them waits for a message.
template <class Protocol>
class message_service : public accepting_service<Protocol, core::socket::open_messages> {
  using base = accepting_service<Protocol, core::socket::open_messages>;

public:
  using typename base::error_code;
  using typename base::implementation_type;
  using typename base::message_flags;
  using typename base::socket_base;

  template <class ConstBufferSequence>
  std::size_t send(implementation_type& i, const ConstBufferSequence& buffers, message_flags flags, error_code& ec) {
    if constexpr (is_null_buffers<ConstBufferSequence>) {
      this->wait(i, socket_base::wait_write, ec);
      return 0;
    } else {
      // A call that must not block cannot wait for an acknowledgement, nor come again with the rest of the message.
      const bool must_not_block = this->is_open(i) && i.state->non_blocking;
      const bool acknowledged = this->is_open(i) && i.state->acknowledged_writes && !must_not_block;
      if constexpr (is_registered_buffer<ConstBufferSequence>) {
        if (!must_not_block) {
          return this->transfer(i, send_registered_attempt<true>(buffers.buffer(), acknowledged, false), false, flags,
                                ec);
        }
      }
      return this->transfer(i, send_message_attempt<ConstBufferSequence>(buffers, acknowledged, must_not_block), false,
                            flags, ec);
    }
  }

  template <class MutableBufferSequence>
  std::size_t receive_with_flags(implementation_type& i, const MutableBufferSequence& buffers, message_flags in_flags,
                                 message_flags& out_flags, error_code& ec) {
    out_flags = 0;
    if constexpr (is_null_buffers<MutableBufferSequence>) {
      this->wait(i, socket_base::wait_read, ec);
      return 0;
    } else {
      if constexpr (is_mutable_registered_buffer<MutableBufferSequence>) {
        if (!this->non_blocking(i) && !this->peeks(in_flags)) {
          return this->transfer(i, receive_registered_attempt(buffers.buffer(), &out_flags, true), false, in_flags, ec);
        }
      }
      return this->transfer(
          i, receive_message_attempt<MutableBufferSequence>(buffers, this->peeks(in_flags), out_flags), false, in_flags,
          ec);
    }
  }

  template <class ConstBufferSequence, class Handler, class IoExecutor>
  void async_send(implementation_type& i, const ConstBufferSequence& buffers, message_flags flags, Handler& handler,
                  const IoExecutor& io_ex) {
    if constexpr (is_null_buffers<ConstBufferSequence>) {
      this->start(i, direction_queue::write, this->sized(wait_attempt(core::readiness::write)), handler, io_ex);
    } else {
      const bool acknowledged = this->is_open(i) && i.state->acknowledged_writes;
      if constexpr (is_registered_buffer<ConstBufferSequence>) {
        this->start_transfer(i, direction_queue::write,
                             send_registered_attempt<true>(buffers.buffer(), acknowledged, true), false, flags, handler,
                             io_ex);
      } else {
        this->start_transfer(i, direction_queue::write,
                             send_message_attempt<ConstBufferSequence>(buffers, acknowledged, false), false, flags,
                             handler, io_ex);
      }
    }
  }

  template <class MutableBufferSequence, class Handler, class IoExecutor>
  void async_receive_with_flags(implementation_type& i, const MutableBufferSequence& buffers, message_flags in_flags,
                                message_flags& out_flags, Handler& handler, const IoExecutor& io_ex) {
    out_flags = 0;
    if constexpr (is_null_buffers<MutableBufferSequence>) {
      this->start(i, direction_queue::read, this->sized(wait_attempt(core::readiness::read)), handler, io_ex);
    } else {
      if constexpr (is_mutable_registered_buffer<MutableBufferSequence>) {
        if (!this->peeks(in_flags)) {
          return this->start_transfer(i, direction_queue::read,
                                      receive_registered_attempt(buffers.buffer(), &out_flags, false), false, in_flags,
                                      handler, io_ex);
        }
      }
      this->start_transfer(
          i, direction_queue::read,
          receive_message_attempt<MutableBufferSequence>(buffers, this->peeks(in_flags), out_flags), false, in_flags,
          handler, io_ex);
    }
  }

protected:
  ~message_service() = default;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
