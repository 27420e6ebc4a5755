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
// option marked as fixed can be set before connect() or listen() only. get_option() gives what was set until a socket
// is connected, and what is in force afterwards.
//
// Whoever starts a program sets other defaults: environment variables ASIO_RDMA_<OPTION>, such as
// ASIO_RDMA_BUSY_POLL=50, or lines "busy_poll = 50" in a file that ASIO_RDMA_CONFIG names. What the program sets comes
// first, then the environment. A default that is wrong lets bind, listen and connect fail with errc::bad_default.
// doc/options.md has the table.

// Datagram sockets take receive_buffer_size, send_buffer_size, queue_depth, inline_size, busy_poll, connect_timeout (of
// looking for a peer), traffic_class, hop_limit, pkey, gid_index, device and peer_lifetime; the others do nothing
// there. What is fixed can be set before the socket is bound.

/// Most bytes that the peer may have under way to us: of a stream, the size up to which the ring that it writes into
/// grows from initial_buffer_size; of messages, the ring's size. 4096 to 67108864, rounded up to a power of two; by
/// default 131072. Of a datagram socket, bytes of packets that may wait to be read, though there is always room for
/// queue_depth of them. Fixed. socket_base::receive_buffer_size is the same, but never fails and reads back what was
/// set.
using receive_buffer_size = detail::rdma_int_option<core::option::receive_buffer_size>;

/// Most bytes that writes hand over before they wait; a stream's buffer grows up to there from initial_buffer_size.
/// 4096 to 67108864, rounded up to a power of two; by default 131072. Fixed. socket_base::send_buffer_size is the same,
/// but never fails and reads back what was set.
using send_buffer_size = detail::rdma_int_option<core::option::send_buffer_size>;

/// Messages that may be under way from the peer: work requests kept posted in the receive queue. 32 to 8192, by default
/// 128; a device that has no such queues makes it less. Of a datagram socket, datagrams that may wait to be read, and
/// as many that may wait to be sent; read back, what the buffer sizes made of it. Fixed.
using queue_depth = detail::rdma_int_option<core::option::queue_depth>;

/// How long a device waits for an acknowledgement before it sends again: 4.096 us * 2^t, t from 0 (for ever) to 31, so
/// that the range is 0 to 31; by default 16 (268 ms). Devices have a minimum of their own and may wait up to four times
/// as long (IBTA 9.7.6.1.3). Fixed.
using ack_timeout = detail::rdma_int_option<core::option::ack_timeout>;

/// How often a device sends again before it gives the connection up with timed_out: 0 to 7, by default 6. rxe never
/// gives up with 7. Fixed.
using retry_count = detail::rdma_int_option<core::option::retry_count>;

/// Milliseconds until a connect that got no answer fails with timed_out: 1 to 2147483647, by default 5000. Fixed.
using connect_timeout = detail::rdma_int_option<core::option::connect_timeout>;

/// If true, a write completes when the peer's device has acknowledged its bytes, not when the library has taken them
/// over; by default false. It costs each write a round trip. The peer's program may still fail before it reads them.
/// A synchronous write on a non-blocking socket does not wait. A write that is cancelled while it waits gives
/// operation_aborted together with the bytes that were taken over and will be sent.
using acknowledged_writes = detail::rdma_bool_option<core::option::acknowledged_writes>;

/// Bytes up to which a message is copied into the send queue when it is posted, which saves the device a read of
/// memory. 0 to 1024, by default 128. The queue pair is made with it, or with what the device has at most; read back
/// once connected, it is what the device granted, which may also be more. Each byte costs 64 bytes of memory. Fixed.
using inline_size = detail::rdma_int_option<core::option::inline_size>;

/// Microseconds that a thread looks for completions, again and again, before it sleeps: -1 to 10000, by default 0, off.
/// -1 is automatic: as long as waits lately would have had it, up to 50, and not at all after a wait that took longer.
/// It saves the time to wake up, for a processor that is busy meanwhile. Synchronous calls do it in the call;
/// asynchronous operations when they start to wait, so that the call that starts one takes so long, and so does another
/// thread's call on this socket meanwhile. After it was in vain, nothing is done before the next traffic: an idle
/// connection costs nothing. SO_BUSY_POLL is the same.
using busy_poll = detail::rdma_int_option<core::option::busy_poll>;

/// The traffic class of our packets, over Ethernet their type of service with the DSCP in its upper six bits: -1 to
/// 255, by default -1, which leaves it to the connection manager (cma_roce_tos sets that; an accepted socket gets its
/// peer's). Over Ethernet, a connecting socket's service_level follows from it unless that is set. Fixed. IP_TOS and
/// IPV6_TCLASS are the same, but never too late.
using traffic_class = detail::rdma_int_option<core::option::traffic_class>;

/// How often a device sends again when the peer has no receive posted: 0 to 7, where 7 is without end; by default 7.
/// The credits of the wire protocol make that impossible between sockets of this library. Fixed.
using rnr_retry = detail::rdma_int_option<core::option::rnr_retry>;

/// Seconds of silence after which the peer's device is asked for a sign of life: 0 to 32767, by default 0, never. A
/// connection finds out that its peer is gone only when it sends something; with this it fails with timed_out although
/// it sends nothing, after these seconds and those that the device takes (ack_timeout, retry_count), whether anybody
/// runs the context or not. It is a write of no bytes, which the peer's program does not notice: one that is stopped
/// still answers, as with TCP. socket_base::keep_alive switches it on with the time of TCP_KEEPIDLE (7200), or off.
using keepalive = detail::rdma_int_option<core::option::keepalive>;

/// The service level of our packets; over Ethernet it is the priority in their VLAN tag, 0 to 7. -1 to 15, by default
/// -1, which leaves it to the connection manager. A device that has none (rxe) lets connect fail with
/// errc::option_refused. Fixed.
using service_level = detail::rdma_int_option<core::option::service_level>;

/// The partition key that the connection must have: 0 to 65535, by default 0, any. Which one it has follows from the
/// addresses, so that it takes a bind to an address of the partition's interface; otherwise connect fails with
/// errc::option_refused, and an acceptor refuses the peer. Over Ethernet the only one is 65535. The uppermost bit,
/// which tells full members from limited ones, does not count. Fixed.
using pkey = detail::rdma_int_option<core::option::pkey>;

/// Routers that our packets may pass: 0 to 255, by default 0, which leaves it to the connection manager. Over Ethernet
/// the kernel takes it from the route to the peer; another value lets connect fail with errc::option_refused, whose
/// message says how to set the route's. Fixed. IP_TTL and IPV6_UNICAST_HOPS are the same, but never too late.
using hop_limit = detail::rdma_int_option<core::option::hop_limit>;

/// Index of the GID that the connection must have at this end, in the table of the device's port: -1 to 255, by default
/// -1, any. Which one it has follows from the address; otherwise connect fails with errc::option_refused, whose message
/// names the address to bind to, and an acceptor refuses the peer. Fixed.
using gid_index = detail::rdma_int_option<core::option::gid_index>;

/// The device policy of this socket alone: "auto", "hardware", "soft0" or the name of a device, as set_device_policy()
/// takes it; by default empty, so that the policy of the process holds. Before bind(), connect() or listen(). Read
/// back, it is the policy that is in force, and once connected the name of the device. errc::unknown_device for one
/// that this machine does not have; an address of another one gives errc::foreign_address.
using device = detail::rdma_text_option<core::option::device>;

/// Seconds after which a datagram socket asks the connection manager anew where a peer is, unless something has come
/// from it meanwhile: 1 to 86400, by default 30. Until it is answered, it goes on with what it knew. A peer that was
/// started anew on the same port gets nothing until then, or until it sends something.
using peer_lifetime = detail::rdma_int_option<core::option::peer_lifetime>;

/// Bytes from which a write of registered memory is sent from where it lies, and a read into it is offered to the peer,
/// without a copy: 1 to 2147483647, by default 32768. Shorter ones are copied: that takes less time than the round trip
/// after which the memory can be used again.
using zero_copy_threshold = detail::rdma_int_option<core::option::zero_copy_threshold>;

/// Bytes that both buffers of a stream socket begin with, if their limits are not below: 4096 to 67108864, rounded up
/// to a power of two; by default 8192. A buffer is doubled when it holds a stream up that is being read; that costs a
/// registration each time. Large enough for both limits, buffers never change. Fixed.
using initial_buffer_size = detail::rdma_int_option<core::option::initial_buffer_size>;

/// If true, a stream or message socket has a protection domain of its own; by default false, so that all share one on
/// each device. A peer of another connection of this process reaches nothing of this one's then, even if it guesses the
/// key (IBTA 10.2.3: the domains of queue pair and memory have to be the same). Registered memory that it sends from or
/// reads into is registered once more for this connection alone, for as long as that lasts. Fixed.
using own_protection_domain = detail::rdma_bool_option<core::option::own_protection_domain>;

}  // namespace v1
}  // namespace asio_rdma

#endif
