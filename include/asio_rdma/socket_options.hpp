// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SOCKET_OPTIONS_HPP
#define ASIO_RDMA_SOCKET_OPTIONS_HPP

#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/detail/socket_option.hpp>

namespace asio_rdma {
inline namespace v1 {

// Options for set_option() and get_option() of sockets and acceptors, beside Asio's own. An acceptor's are inherited by
// the sockets that it accepts. A value out of range, or that comes too late to act on, gives invalid_argument; an
// option marked as fixed can be set before connect() or listen() only.

/// Bytes that the peer may have under way to us: the size of the ring it writes into. 4096 to 67108864, rounded up to a
/// power of two; by default 131072. Fixed. socket_base::receive_buffer_size is the same, but never fails and reads back
/// what was set.
using receive_buffer_size = detail::rdma_int_option<core::option::receive_buffer_size>;

/// Bytes that writes hand over before they wait. Range and default as receive_buffer_size. Fixed.
/// socket_base::send_buffer_size is the same, but never fails and reads back what was set.
using send_buffer_size = detail::rdma_int_option<core::option::send_buffer_size>;

/// Messages that may be under way from the peer: work requests kept posted in the receive queue. 32 to 8192, by default
/// 128. Fixed.
using queue_depth = detail::rdma_int_option<core::option::queue_depth>;

/// How long a device waits for an acknowledgement before it sends again: 4.096 us * 2^t, t from 0 (for ever) to 31, by
/// default 16 (268 ms). Devices have a minimum of their own and may wait up to four times as long (IBTA 9.7.6.1.3).
/// Fixed.
using ack_timeout = detail::rdma_int_option<core::option::ack_timeout>;

/// How often a device sends again before it gives the connection up with timed_out: 0 to 7, by default 7. Fixed.
using retry_count = detail::rdma_int_option<core::option::retry_count>;

/// Milliseconds until a connect that got no answer fails with timed_out: at least 1, by default 5000.
using connect_timeout = detail::rdma_int_option<core::option::connect_timeout>;

/// If true, a write completes when the peer's device has acknowledged its bytes, not when the library has taken them
/// over; by default false. It costs each write a round trip. The peer's program may still fail before it reads them.
/// A synchronous write on a non-blocking socket does not wait. A write that is cancelled while it waits gives
/// operation_aborted together with the bytes that were taken over and will be sent.
using acknowledged_writes = detail::rdma_bool_option<core::option::acknowledged_writes>;

}  // namespace v1
}  // namespace asio_rdma

#endif
