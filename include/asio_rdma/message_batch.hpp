// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_MESSAGE_BATCH_HPP
#define ASIO_RDMA_MESSAGE_BATCH_HPP

#include <asio_rdma/detail/message_batch.hpp>
#include <asio_rdma/rc_seq_packet.hpp>

#include <boost/asio/basic_seq_packet_socket.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>

#include <cstddef>
#include <utility>

namespace asio_rdma {
inline namespace v1 {

// Several messages in one call, under one doorbell. Batches are arrays, vectors or other ranges whose elements stay where
// they are; they and the buffers have to live until the operation completes.

/// Room for a message, which is filled in.
template <class MutableBufferSequence>
struct incoming_message {
  MutableBufferSequence buffers;
  std::size_t bytes = 0;  ///< that are in the buffers
  bool at_end = false;    ///< they are the last ones of their message; otherwise the next element, or batch, goes on with it
};
template <class MutableBufferSequence>
incoming_message(MutableBufferSequence) -> incoming_message<MutableBufferSequence>;

/// Sends each buffer sequence of a batch as one message, in their order, and waits where single sends would. No message
/// may be larger than send_buffer_size (message_size), or have more than 64 buffers: what a batch is for is small. Gives
/// the number that was sent; if that is not all, the error is that of the next one: would_block on a non-blocking socket,
/// in_progress while an async_send() has handed over a part of its message, or as send() has it.
template <class Executor, class Batch>
std::size_t send_batch(boost::asio::basic_seq_packet_socket<rc_seq_packet, Executor>& socket, const Batch& batch,
                       boost::system::error_code& ec) {
  return detail::run_batch(socket, detail::send_messages_attempt<Batch>(batch), boost::asio::socket_base::wait_write,
                           ec);
}
/// Throws boost::system::system_error.
template <class Executor, class Batch>
std::size_t send_batch(boost::asio::basic_seq_packet_socket<rc_seq_packet, Executor>& socket, const Batch& batch) {
  boost::system::error_code ec;
  const std::size_t sent = send_batch(socket, batch, ec);
  if (ec) boost::throw_exception(boost::system::system_error(ec, "send_batch"));
  return sent;
}

/// Receives into a batch of incoming_message what there is, and waits until there is something. Gives the number of
/// elements, from the first one on, that are filled.
template <class Executor, class Batch>
std::size_t receive_batch(boost::asio::basic_seq_packet_socket<rc_seq_packet, Executor>& socket, Batch& batch,
                          boost::system::error_code& ec) {
  return detail::run_batch(socket, detail::receive_messages_attempt<Batch>(batch), boost::asio::socket_base::wait_read,
                           ec);
}
/// Throws boost::system::system_error.
template <class Executor, class Batch>
std::size_t receive_batch(boost::asio::basic_seq_packet_socket<rc_seq_packet, Executor>& socket, Batch& batch) {
  boost::system::error_code ec;
  const std::size_t received = receive_batch(socket, batch, ec);
  if (ec) boost::throw_exception(boost::system::system_error(ec, "receive_batch"));
  return received;
}

/// The same, asynchronously. Completion signature void(error_code, std::size_t). As for a composed operation, cancelling
/// (terminal, partial) says how many had been sent.
template <class Executor, class Batch, class CompletionToken>
auto async_send_batch(boost::asio::basic_seq_packet_socket<rc_seq_packet, Executor>& socket, const Batch& batch,
                      CompletionToken&& token) {
  using operation = detail::batch_operation<boost::asio::basic_seq_packet_socket<rc_seq_packet, Executor>,
                                            detail::send_messages_attempt<Batch>>;
  return boost::asio::async_compose<CompletionToken, void(boost::system::error_code, std::size_t)>(
      operation(socket, detail::send_messages_attempt<Batch>(batch), boost::asio::socket_base::wait_write), token,
      socket);
}

template <class Executor, class Batch, class CompletionToken>
auto async_receive_batch(boost::asio::basic_seq_packet_socket<rc_seq_packet, Executor>& socket, Batch& batch,
                         CompletionToken&& token) {
  using operation = detail::batch_operation<boost::asio::basic_seq_packet_socket<rc_seq_packet, Executor>,
                                            detail::receive_messages_attempt<Batch>>;
  return boost::asio::async_compose<CompletionToken, void(boost::system::error_code, std::size_t)>(
      operation(socket, detail::receive_messages_attempt<Batch>(batch), boost::asio::socket_base::wait_read), token,
      socket);
}

}  // namespace v1
}  // namespace asio_rdma

#endif
