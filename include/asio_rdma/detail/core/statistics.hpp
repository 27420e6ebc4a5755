// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_CORE_STATISTICS_HPP
#define ASIO_RDMA_DETAIL_CORE_STATISTICS_HPP

#include <asio_rdma/detail/core/config.hpp>
#include <asio_rdma/detail/core/error.hpp>
#include <asio_rdma/detail/core/system.hpp>

#include <chrono>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// What a socket is doing. doc/statistics.md has the words that the text form uses.
enum class connection_state : int {
  unconnected,    ///< neither a connection nor a listener; or a datagram socket without a peer
  listening,      ///< a listener
  connecting,     ///< looks for its peer, or has asked it and waits for the answer
  accepting,      ///< has answered a peer, which has not confirmed yet
  established,    ///< carries bytes; its listener may not have handed it out yet
  ended,          ///< it failed, or the peer has left; its owner has not closed it
  lingering,      ///< closed by its owner; the last bytes are on their way
  disconnecting,  ///< closed by its owner, everything is acknowledged; the peer is being told
  failed,         ///< was never established
  closed,         ///< nothing of it is left
};

/// What a connection has done since it was made. These only grow. Bytes are bytes, messages are work requests.
struct stream_counters {
  std::uint64_t bytes_written = 0;       ///< taken over from the program by writes
  std::uint64_t bytes_sent = 0;          ///< of these, handed to the device
  std::uint64_t bytes_acknowledged = 0;  ///< of these, acknowledged by the peer's device
  std::uint64_t bytes_received = 0;      ///< arrived
  std::uint64_t bytes_read = 0;          ///< of these, taken by the program

  std::uint64_t write_bytes_copied = 0;  ///< copied from the program's memory into the send buffer
  std::uint64_t write_bytes_direct = 0;  ///< sent from where they lie in the program's registered memory
  std::uint64_t read_bytes_copied = 0;   ///< copied from the receive buffer; what is peeked at counts each time
  std::uint64_t read_bytes_direct = 0;   ///< written by the peer into the program's registered memory

  std::uint64_t messages_sent = 0;              ///< that carry data
  std::uint64_t messages_received = 0;          ///< that carry data
  std::uint64_t control_messages_sent = 0;      ///< credits, ends of a direction and the like
  std::uint64_t control_messages_received = 0;  ///< the same of the peer

  std::uint64_t writes = 0;          ///< that took at least one byte
  std::uint64_t writes_blocked = 0;  ///< that found the send buffer full
  std::uint64_t reads = 0;           ///< that gave at least one byte, peeking or not
  std::uint64_t reads_blocked = 0;   ///< that found nothing to read

  std::uint64_t credit_stalls = 0;                ///< bytes had to wait for room at the peer
  std::chrono::nanoseconds credit_stall_time{0};  ///< how long, the present stall included
  std::uint64_t device_stalls = 0;                ///< bytes had to wait for a place in the device's send queue
  std::chrono::nanoseconds device_stall_time{0};  ///< how long, the present stall included

  std::uint64_t completions = 0;       ///< work completions taken, of sends and of receives
  std::uint64_t events_armed = 0;      ///< times the device was asked for an event at the next completion
  std::uint64_t events_taken = 0;      ///< events that it gave: each has woken whoever waited
  std::uint64_t thread_sleeps = 0;     ///< times a thread slept in a blocking call
  std::uint64_t descriptor_waits = 0;  ///< times the execution context was given the descriptor to wait on
  std::uint64_t background_turns = 0;  ///< times the internal thread looked after it
};

/// How things stand now. Zero for what does not exist: all of it before the queues are made, and when they are gone.
struct stream_levels {
  std::uint64_t receive_buffer_size = 0;    ///< bytes of the ring that the peer writes into
  std::uint64_t receive_buffer_used = 0;    ///< bytes in it that the program has not read
  std::uint64_t send_buffer_size = 0;       ///< bytes
  std::uint64_t send_buffer_used = 0;       ///< bytes in it that the peer's device has not acknowledged
  std::uint64_t send_buffer_unsent = 0;     ///< of these, bytes that wait for the peer's credit or for the device
  std::uint64_t peer_buffer_size = 0;       ///< bytes of the peer's ring
  std::uint64_t peer_buffer_used = 0;       ///< bytes in it that its program has not read, as far as it has told
  std::uint64_t credit_bytes = 0;           ///< bytes that may be sent now
  std::uint64_t credit_messages = 0;        ///< messages that may be sent now, control messages included
  std::uint64_t receive_queue_depth = 0;    ///< receives kept posted for the peer's messages
  std::uint64_t peer_queue_depth = 0;       ///< receives that the peer keeps posted
  std::uint64_t send_queue_depth = 0;       ///< work requests that the device takes at once
  std::uint64_t send_queue_used = 0;        ///< of these, not completed yet
  std::uint64_t registered_memory = 0;      ///< bytes pinned for it
};

/// What a listener has done, and how things stand.
struct listener_counters {
  std::uint64_t accepted = 0;           ///< connections handed out by accept
  std::uint64_t refused_backlog = 0;    ///< requests refused since the backlog was full
  std::uint64_t refused_resources = 0;  ///< refused for want of memory, descriptors or queue pairs
  std::uint64_t refused_other = 0;      ///< refused for their handshake or address, or since the listener was closed
  std::uint64_t unconfirmed = 0;        ///< answered, and the peer never confirmed
  std::uint64_t waiting = 0;            ///< now established and waiting for accept
  std::uint64_t pending = 0;            ///< now answered and not confirmed
  std::uint64_t backlog = 0;            ///< most that waiting and pending may be together
};

/// What a datagram socket has done beside what stream_counters has, and how things stand. What the device delivered
/// (messages_received) was read, waits to be read, or was dropped: foreign, filtered or when the socket was closed.
struct datagram_counters {
  std::uint64_t truncated = 0;           ///< read into buffers that were too small
  std::uint64_t dropped_unresolved = 0;  ///< not sent, since their peer could not be found
  std::uint64_t dropped_waiting = 0;     ///< not sent, since too many waited for their peer to be found
  std::uint64_t dropped_by_device = 0;   ///< not sent, since the device failed
  std::uint64_t dropped_foreign = 0;     ///< received: not of this library, or meant for another port
  std::uint64_t dropped_filtered = 0;    ///< received: not from the peer, or not meant for this host
  std::uint64_t dropped_closed = 0;      ///< received: not read before the socket was closed
  std::uint64_t lookups = 0;             ///< times that the connection manager was asked for a peer
  std::uint64_t lookups_failed = 0;      ///< of these, those in vain
  std::uint64_t peers_learned = 0;       ///< peers known since they have sent something
  std::uint64_t peers = 0;               ///< now known or looked for
  std::uint64_t groups = 0;              ///< now joined
  std::uint64_t waiting = 0;             ///< datagrams that wait now for their peer to be found
  std::uint64_t unread = 0;              ///< datagrams that wait now to be read
};

/// A connection, a listener or a datagram socket at one moment.
struct socket_statistics {
  /// Numbers connections and listeners within the process, from 1 on; never used again. 0 if there is neither.
  std::uint64_t number = 0;
  connection_state state = connection_state::unconnected;
  bool is_datagram = false;      ///< a datagram socket; established if it has a peer
  bool accepted = false;         ///< made by a listener
  bool sending_ended = false;    ///< our direction was shut down
  bool receiving_ended = false;  ///< the peer has shut its direction down
  sockaddr_storage local = {};   ///< as the program sees them; family 0 where there is none
  sockaddr_storage remote = {};
  std::chrono::nanoseconds established_for{0};  ///< since it was established; 0 if it never was

  char device[64] = {};               ///< name; empty before one was found, or for a listener on all devices
  std::uint32_t port = 0;             ///< of the device, from 1 on; 0 if not known
  unsigned char gid[16] = {};         ///< that our packets come from; zero if not known
  int gid_index = -1;                 ///< in the port's table; -1 if not known
  std::uint32_t path_mtu = 0;         ///< bytes; 0 if not known
  std::uint32_t queue_pair = 0;       ///< number of ours; 0 if there is none
  std::uint32_t peer_queue_pair = 0;  ///< number of the peer's; 0 if not known
  int ack_timeout = -1;               ///< exponent t: the device sends again after 4.096 us * 2^t; -1 if not known
  int retry_count = -1;               ///< how often, before the connection ends with timed_out; -1 if not known
  int rnr_retry = -1;                 ///< the same where the peer has no receive posted; 7 is for ever; -1 if not known

  stream_counters counters;
  stream_levels levels;
  listener_counters listener;
  datagram_counters datagrams;

  error last_error;          ///< why it failed or ended, if it did
  char failure[1024] = {};   ///< the text of last_failure(); empty if nothing has failed
};

/// Sums over the process since it began, what has ended included.
struct process_totals {
  std::uint64_t connected = 0;          ///< connections made by connect
  std::uint64_t connects_failed = 0;    ///< connects that failed; those that were given up do not count
  std::uint64_t accepted = 0;           ///< connections made by listeners
  std::uint64_t accepts_failed = 0;     ///< answered by a listener, and the peer never confirmed
  std::uint64_t lost = 0;               ///< established connections that ended with an error
  std::uint64_t refused = 0;            ///< requests that listeners refused
  std::uint64_t registered_memory = 0;  ///< bytes pinned now
  stream_counters counters;             ///< of all connections together
};

/// Calls a function for each connection and listener of the process in the order of their numbers, lingering ones that
/// no socket owns any more included, then gives the totals. Each entry is of one moment, all together are not. An
/// exception of the function passes through. Thread-safe; not for signal handlers, since it takes mutexes.
ASIO_RDMA_DECL void visit_sockets(void (*function)(const socket_statistics& s, void* context), void* context,
                                  process_totals& totals);

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
