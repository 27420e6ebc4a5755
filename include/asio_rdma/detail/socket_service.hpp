// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_SOCKET_SERVICE_HPP
#define ASIO_RDMA_DETAIL_SOCKET_SERVICE_HPP

#include <asio_rdma/detail/accepting_service.hpp>
#include <asio_rdma/detail/registered_attempt.hpp>

#include <cstddef>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// The functions that Asio's stream sockets call on their service beside those of all that connect.
/// asio_hook.hpp makes it that service.
template <class Protocol>
class socket_service : public accepting_service<Protocol, core::socket::open_stream> {
  using base = accepting_service<Protocol, core::socket::open_stream>;

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
      // A call that must not block cannot wait for an acknowledgement of what it has handed over.
      const bool acknowledged = this->is_open(i) && i.state->acknowledged_writes && !i.state->non_blocking;
      if constexpr (is_registered_buffer<ConstBufferSequence>) {
        // Nor for the device to let go of memory.
        if (!this->non_blocking(i)) {
          return this->transfer(i, send_registered_attempt<false>(buffers.buffer(), acknowledged, false),
                                buffers.size() == 0, flags, ec);
        }
      }
      return this->transfer(i, send_attempt<ConstBufferSequence>(buffers, acknowledged), iovec_array(buffers).empty(),
                            flags, ec);
    }
  }

  template <class MutableBufferSequence>
  std::size_t receive(implementation_type& i, const MutableBufferSequence& buffers, message_flags flags,
                      error_code& ec) {
    if constexpr (is_null_buffers<MutableBufferSequence>) {
      this->wait(i, socket_base::wait_read, ec);
      return 0;
    } else {
      if constexpr (is_mutable_registered_buffer<MutableBufferSequence>) {
        if (!this->non_blocking(i) && !this->peeks(flags)) {
          return this->transfer(i, receive_registered_attempt(buffers.buffer(), nullptr, true), buffers.size() == 0,
                                flags, ec);
        }
      }
      return this->transfer(i, receive_attempt<MutableBufferSequence>(buffers, this->peeks(flags)),
                            iovec_array(buffers).empty(), flags, ec);
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
                             send_registered_attempt<false>(buffers.buffer(), acknowledged, true), buffers.size() == 0,
                             flags, handler, io_ex);
      } else {
        this->start_transfer(i, direction_queue::write, send_attempt<ConstBufferSequence>(buffers, acknowledged),
                             iovec_array(buffers).empty(), flags, handler, io_ex);
      }
    }
  }

  template <class MutableBufferSequence, class Handler, class IoExecutor>
  void async_receive(implementation_type& i, const MutableBufferSequence& buffers, message_flags flags,
                     Handler& handler, const IoExecutor& io_ex) {
    if constexpr (is_null_buffers<MutableBufferSequence>) {
      this->start(i, direction_queue::read, this->sized(wait_attempt(core::readiness::read)), handler, io_ex);
    } else {
      if constexpr (is_mutable_registered_buffer<MutableBufferSequence>) {
        if (!this->peeks(flags)) {
          return this->start_transfer(i, direction_queue::read,
                                      receive_registered_attempt(buffers.buffer(), nullptr, false), buffers.size() == 0,
                                      flags, handler, io_ex);
        }
      }
      this->start_transfer(i, direction_queue::read,
                           receive_attempt<MutableBufferSequence>(buffers, this->peeks(flags)),
                           iovec_array(buffers).empty(), flags, handler, io_ex);
    }
  }

protected:
  ~socket_service() = default;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
