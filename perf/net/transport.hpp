// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_NET_TRANSPORT_HPP
#define ASIO_RDMA_PERF_NET_TRANSPORT_HPP

#include <asio_rdma/rc_seq_packet.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/registered_buffer.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <utility>

namespace perf::net {

namespace asio = boost::asio;

/// How a message is carried by sockets of a protocol: by default as bytes of a stream. Handlers take an error_code and
/// a number of bytes. An object of it belongs to a socket and stays where it is during operations.
template <class Protocol>
struct transport {
  static constexpr bool keeps_messages = false;

  template <class Socket>
  void write(Socket& s, asio::const_buffer message) {
    asio::write(s, message);
  }
  /// One operation writes all of it.
  template <class Socket>
  void write(Socket& s, const asio::const_registered_buffer& message) {
    s.write_some(message);
  }
  template <class Socket, class Handler>
  void async_write(Socket& s, asio::const_buffer message, Handler handler) {
    asio::async_write(s, message, std::move(handler));
  }
  template <class Socket, class Handler>
  void async_write(Socket& s, const asio::const_registered_buffer& message, Handler handler) {
    s.async_write_some(message, std::move(handler));
  }
  template <class Socket>
  void read(Socket& s, asio::mutable_buffer message) {
    asio::read(s, message);
  }
  template <class Socket, class Handler>
  void async_read(Socket& s, asio::mutable_buffer message, Handler handler) {
    asio::async_read(s, message, std::move(handler));
  }
  /// What is there, which may be more than one message.
  template <class Socket, class Buffer>
  std::size_t read_some(Socket& s, const Buffer& buffer) {
    return s.read_some(buffer);
  }
  template <class Socket, class Buffer, class Handler>
  void async_read_some(Socket& s, const Buffer& buffer, Handler handler) {
    s.async_read_some(buffer, std::move(handler));
  }
};

/// A message is one of the sockets' own.
template <>
struct transport<asio_rdma::rc_seq_packet> {
  static constexpr bool keeps_messages = true;

  template <class Socket, class Buffer>
  void write(Socket& s, const Buffer& message) {
    s.send(message, 0);
  }
  template <class Socket, class Buffer, class Handler>
  void async_write(Socket& s, const Buffer& message, Handler handler) {
    s.async_send(message, 0, std::move(handler));
  }
  template <class Socket>
  void read(Socket& s, asio::mutable_buffer message) {
    do message += s.receive(message, flags);
    while (!at_end());
  }
  template <class Socket, class Handler>
  void async_read(Socket& s, asio::mutable_buffer message, Handler handler) {
    s.async_receive(message, flags,
                    [this, &s, message, handler = std::move(handler)](const boost::system::error_code& ec,
                                                                      std::size_t size) mutable {
                      if (ec || at_end()) return handler(ec, size);
                      async_read(s, message + size, std::move(handler));
                    });
  }
  template <class Socket, class Buffer>
  std::size_t read_some(Socket& s, const Buffer& buffer) {
    return s.receive(buffer, flags);
  }
  template <class Socket, class Buffer, class Handler>
  void async_read_some(Socket& s, const Buffer& buffer, Handler handler) {
    s.async_receive(buffer, flags, std::move(handler));
  }

private:
  bool at_end() const { return (flags & asio::socket_base::message_end_of_record) != 0; }
  asio::socket_base::message_flags flags = 0;
};

}  // namespace perf::net

#endif
