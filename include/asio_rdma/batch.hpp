// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_BATCH_HPP
#define ASIO_RDMA_BATCH_HPP

#include <asio_rdma/detail/batch_attempts.hpp>
#include <asio_rdma/detail/batch_kind.hpp>
#include <asio_rdma/detail/batch_operation.hpp>
#include <asio_rdma/rc_seq_packet.hpp>
#include <asio_rdma/ud.hpp>

#include <boost/asio/compose.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>

#include <cstddef>

namespace asio_rdma {
inline namespace v1 {

// Several datagrams or messages in one call, as sendmmsg(2) and recvmmsg(2) have it for UDP, for ud::socket and
// rc_seq_packet::socket with any executor. What goes to one device is handed over under one doorbell. Batches are
// arrays, vectors or other ranges whose elements stay where they are; they and the buffers have to live until the
// operation completes. An element has at most 64 buffers (message_size). The socket may be used otherwise meanwhile, by
// single operations too.

/// A datagram to be sent.
template <class ConstBufferSequence>
struct outgoing_datagram {
  ConstBufferSequence buffers;  ///< its bytes
  ud::endpoint to{};  ///< port 0: the peer that the socket is connected to
};
/// To that endpoint.
template <class ConstBufferSequence>
outgoing_datagram(ConstBufferSequence, ud::endpoint) -> outgoing_datagram<ConstBufferSequence>;
/// To the peer that the socket is connected to.
template <class ConstBufferSequence>
outgoing_datagram(ConstBufferSequence) -> outgoing_datagram<ConstBufferSequence>;

/// Room for a datagram, which is filled in.
template <class MutableBufferSequence>
struct incoming_datagram {
  MutableBufferSequence buffers;  ///< where its bytes go to
  ud::endpoint from{};    ///< who has sent it
  std::size_t bytes = 0;  ///< of it that are in the buffers; what does not fit is lost
};
/// For a datagram of any sender's.
template <class MutableBufferSequence>
incoming_datagram(MutableBufferSequence) -> incoming_datagram<MutableBufferSequence>;

/// Room for a message, which is filled in. (A message to be sent is a buffer sequence.)
template <class MutableBufferSequence>
struct incoming_message {
  MutableBufferSequence buffers;  ///< where its bytes go to
  std::size_t bytes = 0;  ///< of it that are in the buffers
  bool at_end = false;    ///< they are the last ones; otherwise the next element, or batch, goes on with the message
};
/// For any message.
template <class MutableBufferSequence>
incoming_message(MutableBufferSequence) -> incoming_message<MutableBufferSequence>;

/// Sends a batch in its order, and waits where single sends would: of outgoing_datagram, or of buffer sequences, each
/// of which is a message. No message may be larger than send_buffer_size (message_size): what a batch is for is small.
/// Gives the number that was sent; if that is not all, the error is that of the next one: would_block on a non-blocking
/// socket, in_progress while an async_send() has handed over a part of its message, or as single sends have it. Thread
/// safety is that of a single send.
template <class Socket, class Batch>
std::size_t send_batch(Socket& socket, const Batch& batch, boost::system::error_code& ec) {
  using kind = detail::batch_kind<typename Socket::protocol_type>;
  return detail::run_batch(socket, detail::send_batch_attempt<kind, Batch>(batch), boost::asio::socket_base::wait_write,
                           ec);
}
/// Throws boost::system::system_error.
template <class Socket, class Batch>
std::size_t send_batch(Socket& socket, const Batch& batch) {
  boost::system::error_code ec;
  const std::size_t sent = send_batch(socket, batch, ec);
  if (ec) boost::throw_exception(boost::system::system_error(ec, "send_batch"));
  return sent;
}

/// Receives into a batch, of incoming_datagram or incoming_message, what there is, and waits until there is something.
/// Gives the number of elements, from the first one on, that are filled. Errors are those of a single receive, and
/// would_block on a non-blocking socket that has nothing; so is thread safety.
template <class Socket, class Batch>
std::size_t receive_batch(Socket& socket, Batch& batch, boost::system::error_code& ec) {
  using kind = detail::batch_kind<typename Socket::protocol_type>;
  return detail::run_batch(socket, detail::receive_batch_attempt<kind, Batch>(batch),
                           boost::asio::socket_base::wait_read, ec);
}
/// Throws boost::system::system_error.
template <class Socket, class Batch>
std::size_t receive_batch(Socket& socket, Batch& batch) {
  boost::system::error_code ec;
  const std::size_t received = receive_batch(socket, batch, ec);
  if (ec) boost::throw_exception(boost::system::system_error(ec, "receive_batch"));
  return received;
}

/// The same, asynchronously. Completion signature void(error_code, std::size_t). The batch and its buffers have to stay
/// until the handler runs. As for a composed operation, cancelling (terminal, partial) says how many had been sent.
template <class Socket, class Batch, class CompletionToken>
auto async_send_batch(Socket& socket, const Batch& batch, CompletionToken&& token) {
  using attempt = detail::send_batch_attempt<detail::batch_kind<typename Socket::protocol_type>, Batch>;
  return boost::asio::async_compose<CompletionToken, void(boost::system::error_code, std::size_t)>(
      detail::batch_operation<Socket, attempt>(socket, attempt(batch), boost::asio::socket_base::wait_write), token,
      socket);
}

/// receive_batch(), asynchronously, as async_send_batch().
template <class Socket, class Batch, class CompletionToken>
auto async_receive_batch(Socket& socket, Batch& batch, CompletionToken&& token) {
  using attempt = detail::receive_batch_attempt<detail::batch_kind<typename Socket::protocol_type>, Batch>;
  return boost::asio::async_compose<CompletionToken, void(boost::system::error_code, std::size_t)>(
      detail::batch_operation<Socket, attempt>(socket, attempt(batch), boost::asio::socket_base::wait_read), token,
      socket);
}

}  // namespace v1
}  // namespace asio_rdma

#endif
