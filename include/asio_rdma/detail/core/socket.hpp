// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_CORE_SOCKET_HPP
#define ASIO_RDMA_DETAIL_CORE_SOCKET_HPP

#include <asio_rdma/detail/core/config.hpp>
#include <asio_rdma/detail/core/error.hpp>
#include <asio_rdma/detail/core/system.hpp>

#include <cstddef>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// What a waiter waits for.
enum class readiness : int { read = 0, write = 1, error = 2 };

/// Which direction to shut down; the values are those of SHUT_RD, SHUT_WR, SHUT_RDWR and of Asio's shutdown_type.
enum class direction : int { receive = 0, send = 1, both = 2 };

/// Socket options that the core acts on. Their table is src/options/option_table.cpp; units and ranges stand with their
/// public names in socket_options.hpp too.
enum class option : int {
  receive_buffer_size, ///< most bytes of the ring that the peer writes into; a power of two; before connect or listen
  send_buffer_size,    ///< most bytes staged for sending; a power of two; before connect or listen
  queue_depth,         ///< receives posted for the peer's messages; before connect or listen
  linger,              ///< -1: drain in the background (the default); 0: abort on close; n: drain for at most n seconds
  reuse_address,       ///< 0 or 1; before bind
  v6_only,             ///< 0 or 1; before bind
  ack_timeout,         ///< exponent t: 4.096 us * 2^t; before connect or listen
  retry_count,         ///< 0..7; before connect or listen
  connect_timeout,     ///< milliseconds until a connect that got no answer fails
  acknowledged_writes, ///< 0 or 1: a write completes when the peer's device has acknowledged its bytes
  inline_size,         ///< bytes up to which messages are copied into the send queue; before connect or listen
  busy_poll,           ///< microseconds to spin before a wait sleeps
  traffic_class,       ///< -1: the connection manager's; before connect or listen
  rnr_retry,           ///< 0..7; before connect or listen
  keepalive,           ///< seconds of silence after which the peer's device is asked; 0: never
  keepalive_idle,      ///< seconds that SO_KEEPALIVE sets keepalive to: TCP_KEEPIDLE
  service_level,       ///< -1: the connection manager's; before connect or listen
  pkey,                ///< partition key that the connection must have; 0: any; before connect or listen
  hop_limit,           ///< 0: the connection manager's; before connect or listen
  gid_index,           ///< GID that the connection must have; -1: any; before connect or listen
  device,              ///< text: a device policy; before bind, connect or listen
  peer_lifetime,       ///< seconds after which a datagram socket asks again where a peer is
  zero_copy_threshold, ///< bytes from which a write of registered memory is not copied
  initial_buffer_size, ///< bytes that both buffers of a stream begin with; a power of two; before connect or listen
  own_protection_domain, ///< 0 or 1: no other connection's peer reaches this one's memory; before connect or listen

  multicast_loopback,      ///< 0 or 1: sockets of this host get what this one sends to groups
  multicast_hops,          ///< routers that datagrams to groups may pass, plus one
  multicast_interface_v4,  ///< address, in network order, by which IPv4 groups are sent to; 0: the route's
  multicast_interface_v6,  ///< the same for IPv6, as its index

  // TCP's options that mean nothing here, or go without saying: a program may set them, and reads back what it set.
  no_delay,
  cork,
  quick_ack,
  max_segment,
  keepalive_interval,
  keepalive_count,
  user_timeout,
  syn_count,
  fin_timeout,
  defer_accept,
  window_clamp,
  not_sent_low_watermark,
  fast_open,
  broadcast,
  debug,
  do_not_route,
  out_of_band_inline,
  receive_low_watermark,
  send_low_watermark,
  priority,
  reuse_port,
  connection_aborted,
  // What was last asked for by TCP's name, which rounds, cuts, or comes too late without an error; INT_MIN: nothing.
  receive_buffer_hint,
  send_buffer_hint,
  traffic_class_hint,
  hop_limit_hint,
};

/// What a value of an option may be.
struct option_range {
  int least = 0;
  int most = 0;
  int standard = 0;  ///< the value where neither the program nor the process says anything
};
/// False for an option that does not exist or whose value is a text.
ASIO_RDMA_DECL bool find_option_range(option name, option_range& result) noexcept;

/// The steps at which a connection can fail, for last_failure().
enum class failure_step : int {
  none, open_device, bind, listen, resolve_address, resolve_route, create_resources, connect, accept, transfer, close
};

/// What is known about the last failure of a socket.
struct failure {
  error code;
  failure_step step = failure_step::none;
  int completion_status = 0; ///< ibv_wc_status, 0 (success) if no work completion failed
  std::uint32_t vendor_error = 0;
  int cm_event = -1;         ///< rdma_cm_event_type, -1 if none
  int cm_status = 0;         ///< status of that event: an errno or a reject reason
  char device[64] = {};      ///< name of the device, empty before one was found
  sockaddr_storage peer = {};
  char text[1024] = {};      ///< one line: step, cause, remedy
};

class socket_impl;
struct socket_statistics;

/// A stream socket, listener or datagram socket in user space, as the kernel's sockets are for TCP: operations that
/// never block and say EAGAIN, a file descriptor to wait on, and work that goes on in the background where nobody
/// waits. It knows no Asio.
///
/// It is a counted reference; copies name the same socket. Thread-safe. None of its functions calls user code.
class socket {
public:
  socket() noexcept = default;
  ASIO_RDMA_DECL socket(const socket&) noexcept;
  ASIO_RDMA_DECL socket(socket&&) noexcept;
  ASIO_RDMA_DECL socket& operator=(socket) noexcept;
  ASIO_RDMA_DECL ~socket();
  explicit operator bool() const noexcept { return impl_ != nullptr; }

  /// True if this process was forked from the one that the sockets belong to. All functions then do nothing and, where
  /// they can, say library_error::forked.
  ASIO_RDMA_DECL static bool is_lost() noexcept;

  /// An unconnected stream socket; family is AF_INET or AF_INET6. Touches no device. EAFNOSUPPORT for other families.
  ASIO_RDMA_DECL static error open_stream(int family, socket& result) noexcept;

  /// The same, which keeps messages apart: read_message() and write_message() in place of read() and write(). Both ends
  /// have to.
  ASIO_RDMA_DECL static error open_messages(int family, socket& result) noexcept;

  /// An unbound datagram socket. Touches no device either.
  ASIO_RDMA_DECL static error open_datagram(int family, socket& result) noexcept;

  /// EINVAL if bound already. Opens the connection manager and, on a specific address, its device.
  ASIO_RDMA_DECL error bind(const sockaddr* address, socklen_t size) noexcept;
  /// The backlog is min(backlog, 128, what memory and file descriptors allow); connections are accepted in the
  /// background up to it.
  ASIO_RDMA_DECL error listen(int backlog) noexcept;
  /// Takes the oldest established connection. EAGAIN if there is none, EINVAL if not listening.
  ASIO_RDMA_DECL error accept(socket& peer) noexcept;

  /// Starts to connect; the outcome is connect_result()'s. EISCONN, EALREADY as connect(2).
  ASIO_RDMA_DECL error connect(const sockaddr* address, socklen_t size) noexcept;
  /// EAGAIN until decided. After a failure the socket can connect again.
  ASIO_RDMA_DECL error connect_result() noexcept;
  /// Gives up a connect whose outcome nobody has been told yet, even if it has just succeeded: the peer sees a
  /// connection that ends at once. The socket can connect again.
  ASIO_RDMA_DECL void cancel_connect() noexcept;

  /// Copies received bytes out. Success with bytes >= 1, or bytes == 0 if the buffers' total size is 0; EAGAIN;
  /// library_error::eof; ENOTCONN; or why the connection ended, after the bytes that did arrive. peek leaves them
  /// there.
  ASIO_RDMA_DECL error read(const iovec* buffers, std::size_t count, bool peek, std::size_t& bytes) noexcept;
  /// Takes bytes over for sending. Success with bytes >= 1 (or 0 if the buffers' total size is 0); EAGAIN; EPIPE after
  /// shutdown(send) or once the peer has left in order; why the connection ended; ENOTCONN.
  ASIO_RDMA_DECL error write(const iovec* buffers, std::size_t count, std::size_t& bytes) noexcept;
  /// As read(), of the oldest message alone. at_end: its last byte is among them, or it has none; the next read is of
  /// the next message. Without room in the buffers it waits for a message all the same.
  ASIO_RDMA_DECL error read_message(const iovec* buffers, std::size_t count, bool peek, std::size_t& bytes,
                                    bool& at_end) noexcept;
  /// As write(), of one message, which may have no bytes and takes as many calls as it needs. begins: nothing of it was
  /// taken so far; EINPROGRESS if another one was begun and not ended. ends: what is in the buffers is all that is left
  /// of it; it ends once bytes says that all of them were taken. whole: take all of it or nothing, EMSGSIZE for one
  /// that is larger than send_buffer_size.
  ASIO_RDMA_DECL error write_message(const iovec* buffers, std::size_t count, bool begins, bool ends, bool whole,
                                     std::size_t& bytes) noexcept;
  /// As write(), of memory that the device may be given as it is. On a socket for messages it is a whole message or,
  /// unless begins, the rest of it. Where it is registered and has zero_copy_threshold bytes or more, the device is
  /// given as much as there is room for now, and hold becomes not 0: from then on the memory is the device's until
  /// released(hold) says otherwise. With a hold that is not 0 already, of the bytes before it, it is not asked again
  /// whether it pays. In all other cases it is copied, and hold stays. more: there may be more to write at once; it
  /// becomes true if the peer's read was left to wait for that, until end_writes(), or 5 ms.
  ASIO_RDMA_DECL error write_registered(const void* data, std::size_t size, bool begins, bool& more, std::size_t& bytes,
                                        std::uint64_t& hold) noexcept;
  /// There is no more to write for now, unless there was something behind that hold.
  ASIO_RDMA_DECL void end_writes(std::uint64_t hold) noexcept;
  /// EAGAIN while the device may touch the memory of that hold or of one before it. Success once the peer's device has
  /// acknowledged its bytes, or why it has not. Also after close().
  ASIO_RDMA_DECL error released(std::uint64_t hold) noexcept;
  /// Offers registered memory of zero_copy_threshold bytes or more to the peer, for what read() or read_message() had
  /// nothing of just now. Success with a ticket that is not 0: then the memory is the peer's until read_offered(), and
  /// what comes next may go there; nothing else reads before that, but more may be offered, for what comes behind.
  /// EAGAIN if it was not offered, which is no failure.
  ASIO_RDMA_DECL error offer_memory(void* data, std::size_t size, std::uint64_t& ticket) noexcept;
  /// EAGAIN while the peer may write into the memory of that ticket, which otherwise is over. Success with what came,
  /// as read_message(); ENODATA if nothing did: then read() says why, or has what went elsewhere. Also after close().
  ASIO_RDMA_DECL error read_offered(std::uint64_t ticket, std::size_t& bytes, bool& at_end) noexcept;
  /// Asks for the memory back, which takes the peer's answer, or 1 s if it is idle (200 ms once the socket is closed):
  /// see read_offered().
  ASIO_RDMA_DECL void withdraw_memory(std::uint64_t ticket) noexcept;
  /// Blocks until the device touches no memory of the program's: for 200 ms at most in order, then the connection is
  /// ended for it.
  ASIO_RDMA_DECL void reclaim_memory() noexcept;
  /// Several in one go. write_messages() takes each message whole or not at all, and posts all of them under one
  /// doorbell; read_messages() gives each entry what is there of one message. done says how many: success if that is
  /// not 0, otherwise what the first one came to.
  struct message {
    const iovec* buffers;
    std::size_t buffer_count;
    std::size_t bytes;  ///< that were read
    bool at_end;        ///< as read_message() has it
  };
  ASIO_RDMA_DECL error write_messages(const message* messages, std::size_t count, std::size_t& done) noexcept;
  ASIO_RDMA_DECL error read_messages(message* messages, std::size_t count, std::size_t& done) noexcept;
  /// Nobody will come again with the rest of what write_registered() did not take, or write the rest of a message that
  /// was begun: ends the connection, if that is so, since the peer must not take half of it for a message. The peer
  /// sees a reset, this end ECONNABORTED.
  ASIO_RDMA_DECL void abandon_message() noexcept;

  /// The stream position up to which bytes were taken over by write(), for acknowledged().
  ASIO_RDMA_DECL std::uint64_t write_position() const noexcept;
  /// Success once the peer's device has acknowledged every byte before position, EAGAIN until then, or why it never
  /// will.
  ASIO_RDMA_DECL error acknowledged(std::uint64_t position) noexcept;

  // Datagrams. Each function fails with EOPNOTSUPP for the other kind of socket, as accept() and listen() do here;
  // connect() has its outcome at once, and only says who the peer is. read() and write() are receive_from() and
  // send_to() without an address.

  /// Takes one datagram over for sending, to the peer if the address is null. Success, with all its bytes, says that it
  /// is on its way, or waits until its peer is found; EAGAIN; EMSGSIZE; EDESTADDRREQ; ECONNREFUSED and the like for
  /// what came back of an earlier one, if connected; the errors of binding and of finding a route.
  ASIO_RDMA_DECL error send_to(const iovec* buffers, std::size_t count, const sockaddr* address, socklen_t size,
                               std::size_t& bytes) noexcept;
  /// Takes the oldest datagram out, or copies it if peek; what does not fit into the buffers is lost. EAGAIN; or what
  /// came back of an earlier send_to(), if connected.
  ASIO_RDMA_DECL error receive_from(const iovec* buffers, std::size_t count, bool peek, sockaddr_storage& from,
                                    std::size_t& bytes) noexcept;
  /// Several in one go; each entry gets its own count of bytes. done says how many: success if that is not 0, otherwise
  /// what the first one came to.
  struct datagram {
    const iovec* buffers;
    std::size_t buffer_count;
    sockaddr_storage address;  ///< family 0 for send_many(): the peer
    std::size_t bytes;
  };
  ASIO_RDMA_DECL error send_many(datagram* datagrams, std::size_t count, std::size_t& done) noexcept;
  ASIO_RDMA_DECL error receive_many(datagram* datagrams, std::size_t count, std::size_t& done) noexcept;
  /// Bytes of the largest datagram that every device of this socket takes; ENODEV and the like if there is none.
  ASIO_RDMA_DECL error maximum_payload(std::size_t& bytes) noexcept;
  /// Joins or leaves a multicast group, on the interface with an address of ours, or that of an index; family 0 and
  /// index 0 leave the choice to the routes. Blocks until it is done. EADDRINUSE if joined already, EADDRNOTAVAIL if it
  /// was not; EINVAL for what is no group.
  ASIO_RDMA_DECL error join_group(const sockaddr_storage& group, const sockaddr_storage& by, unsigned index) noexcept;
  ASIO_RDMA_DECL error leave_group(const sockaddr_storage& group, const sockaddr_storage& by, unsigned index) noexcept;

  /// Success if an operation of that kind would not say EAGAIN; EAGAIN otherwise. readiness::error is ready once the
  /// connection has failed. A listener is ready to read when accept() would succeed.
  ASIO_RDMA_DECL error ready(readiness kind) noexcept;
  ASIO_RDMA_DECL std::size_t available(error& e) noexcept;
  ASIO_RDMA_DECL error shutdown(direction d) noexcept;

  /// Ends the use of this socket by its owner: everything taken over is sent in the background as linger says; later
  /// operations give EBADF, waiters of wait() return. Never blocks.
  ASIO_RDMA_DECL void close() noexcept;

  // Waiting. A socket has at most one descriptor at any time: a listener's or connecting socket's eventfd, a
  // connection's completion channel. Its owner either waits on it (between prepare_wait() and end_wait()) or leaves the
  // socket to the background; a thread in wait() needs neither.

  /// Gets ready to sleep on the descriptor until something changed. Returns the descriptor, which becomes readable, or
  /// -1 if something has changed meanwhile: try the operation again. After the descriptor became readable, call
  /// prepare_wait() again before the next sleep: events are one-shot. From now on the background leaves the socket
  /// alone.
  ASIO_RDMA_DECL int prepare_wait() noexcept;
  /// The owner no longer sleeps on the descriptor. The background serves the socket from now on if it has anything
  /// left to do (staged bytes, a control message to answer).
  ASIO_RDMA_DECL void end_wait() noexcept;
  /// Blocks the calling thread until something may have changed, in any direction, whoever found out; or close(). The
  /// caller tries its operation again. May return spuriously.
  ASIO_RDMA_DECL void wait() noexcept;

  /// ENOTCONN where there is no peer. Both report what the user asked for: loopback stays loopback.
  ASIO_RDMA_DECL error local_address(sockaddr_storage& result) const noexcept;
  ASIO_RDMA_DECL error remote_address(sockaddr_storage& result) const noexcept;

  /// EINVAL for a value out of range, or that comes too late to act on; ENOPROTOOPT for an option that does not exist.
  ASIO_RDMA_DECL error set_option(option name, int value) noexcept;
  /// What is in force: once connected, what the device granted.
  ASIO_RDMA_DECL error get_option(option name, int& value) const noexcept;
  /// For options whose value is a text, which is copied. As above; an error that means unknown_device for such a
  /// device.
  ASIO_RDMA_DECL error set_text_option(option name, const char* text) noexcept;
  /// Writes the text as snprintf does, and its length.
  ASIO_RDMA_DECL error get_text_option(option name, char* buffer, std::size_t size, std::size_t& length) const noexcept;

  ASIO_RDMA_DECL void last_failure(failure& result) const noexcept;

  /// Writes the name of the device that the connection runs on, as snprintf does; an empty text before there is one.
  ASIO_RDMA_DECL std::size_t device_name(char* buffer, std::size_t size) const noexcept;

  /// What this socket's connection or listener has done, and how things stand.
  ASIO_RDMA_DECL void statistics(socket_statistics& result) const noexcept;

  /// rdma_cm_id*, or null before bind() or connect(). Stays valid until close().
  ASIO_RDMA_DECL void* native_id() const noexcept;

  /// A number that names this socket within the process, never 0 and never used again: what native_handle() hands out.
  ASIO_RDMA_DECL std::uint64_t id() const noexcept;

private:
  explicit socket(socket_impl* impl) noexcept : impl_(impl) {}
  friend class socket_impl;
  socket_impl* impl_ = nullptr;
};

} // namespace core
} // namespace v1
} // namespace asio_rdma

#endif
