// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DATAGRAM_BATCH_HPP
#define ASIO_RDMA_DATAGRAM_BATCH_HPP

#include <asio_rdma/detail/datagram_batch.hpp>
#include <asio_rdma/ud.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/basic_datagram_socket.hpp>
#include <boost/asio/compose.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>

#include <cstddef>
#include <utility>

namespace asio_rdma {
inline namespace v1 {

// Several datagrams in one call: as sendmmsg(2) and recvmmsg(2) do for UDP. What goes to one device is handed over
// under one doorbell. Batches are arrays, vectors or other ranges whose elements stay where they are; they and the
// buffers have to live until the operation completes. The socket may be used otherwise meanwhile, by single operations
// too.

/// A datagram to be sent.
template <class ConstBufferSequence>
struct outgoing_datagram {
  ConstBufferSequence buffers;
  ud::endpoint to;  ///< port 0: the peer that the socket is connected to
};
template <class ConstBufferSequence>
outgoing_datagram(ConstBufferSequence, ud::endpoint) -> outgoing_datagram<ConstBufferSequence>;
template <class ConstBufferSequence>
outgoing_datagram(ConstBufferSequence) -> outgoing_datagram<ConstBufferSequence>;

/// Room for a datagram, which is filled in.
template <class MutableBufferSequence>
struct incoming_datagram {
  MutableBufferSequence buffers;
  ud::endpoint from;      ///< who has sent it
  std::size_t bytes = 0;  ///< of it that are in the buffers; what does not fit is lost
};
template <class MutableBufferSequence>
incoming_datagram(MutableBufferSequence) -> incoming_datagram<MutableBufferSequence>;

/// Sends a batch of outgoing_datagram in its order, and waits where single sends would. Gives the number that was sent;
/// if that is not all, the error is that of the next one: would_block on a non-blocking socket, or as send_to() has it.
template <class Executor, class Batch>
std::size_t send_batch(boost::asio::basic_datagram_socket<ud, Executor>& socket, const Batch& batch,
                       boost::system::error_code& ec) {
  return detail::run_batch(socket, detail::send_batch_attempt<Batch>(batch), boost::asio::socket_base::wait_write, ec);
}
/// Throws boost::system::system_error.
template <class Executor, class Batch>
std::size_t send_batch(boost::asio::basic_datagram_socket<ud, Executor>& socket, const Batch& batch) {
  boost::system::error_code ec;
  const std::size_t sent = send_batch(socket, batch, ec);
  if (ec) boost::throw_exception(boost::system::system_error(ec, "send_batch"));
  return sent;
}

/// Receives into a batch of incoming_datagram as many as there are, and waits until there is one. Gives their number:
/// the first ones are filled.
template <class Executor, class Batch>
std::size_t receive_batch(boost::asio::basic_datagram_socket<ud, Executor>& socket, Batch& batch,
                          boost::system::error_code& ec) {
  return detail::run_batch(socket, detail::receive_batch_attempt<Batch>(batch), boost::asio::socket_base::wait_read,
                           ec);
}
/// Throws boost::system::system_error.
template <class Executor, class Batch>
std::size_t receive_batch(boost::asio::basic_datagram_socket<ud, Executor>& socket, Batch& batch) {
  boost::system::error_code ec;
  const std::size_t received = receive_batch(socket, batch, ec);
  if (ec) boost::throw_exception(boost::system::system_error(ec, "receive_batch"));
  return received;
}

/// The same, asynchronously. Completion signature void(error_code, std::size_t). One that is cancelled (terminal) says
/// how many had been sent.
template <class Executor, class Batch, class CompletionToken>
auto async_send_batch(boost::asio::basic_datagram_socket<ud, Executor>& socket, const Batch& batch,
                      CompletionToken&& token) {
  using operation =
      detail::batch_operation<boost::asio::basic_datagram_socket<ud, Executor>, detail::send_batch_attempt<Batch>>;
  return boost::asio::async_compose<CompletionToken, void(boost::system::error_code, std::size_t)>(
      operation(socket, detail::send_batch_attempt<Batch>(batch), boost::asio::socket_base::wait_write), token, socket);
}

template <class Executor, class Batch, class CompletionToken>
auto async_receive_batch(boost::asio::basic_datagram_socket<ud, Executor>& socket, Batch& batch,
                         CompletionToken&& token) {
  using operation =
      detail::batch_operation<boost::asio::basic_datagram_socket<ud, Executor>, detail::receive_batch_attempt<Batch>>;
  return boost::asio::async_compose<CompletionToken, void(boost::system::error_code, std::size_t)>(
      operation(socket, detail::receive_batch_attempt<Batch>(batch), boost::asio::socket_base::wait_read), token,
      socket);
}

}  // namespace v1
}  // namespace asio_rdma

#endif
