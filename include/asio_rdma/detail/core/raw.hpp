// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_CORE_RAW_HPP
#define ASIO_RDMA_DETAIL_CORE_RAW_HPP

#include <asio_rdma/detail/core/config.hpp>
#include <asio_rdma/detail/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <sys/socket.h>

struct ibv_ah;
struct ibv_comp_channel;
struct ibv_context;
struct ibv_cq;
struct ibv_pd;
struct ibv_qp;
struct ibv_recv_wr;
struct ibv_send_wr;
struct ibv_wc;
struct rdma_cm_id;

namespace asio_rdma {
inline namespace v1 {

namespace verbs {
struct api;
}

namespace core {

/// The kind of queue pair.
enum class raw_transport : int {
  reliable = 0,  ///< RC: sends, reads, writes and atomics, acknowledged and in order
  datagram = 1,  ///< UD: sends of at most the path's MTU, which may be lost
};

/// How two ends learn of each other.
enum class raw_setup : int {
  connection_manager = 0,  ///< rdma_cm
  exchange = 1,            ///< over TCP, where a network has no connection manager that works
};

/// What a raw connection is made with. Values of -1 and 0 that say so leave the choice to the library.
struct raw_settings {
  /// The kind of queue pair.
  raw_transport transport = raw_transport::reliable;
  /// How the ends find each other.
  raw_setup setup = raw_setup::connection_manager;
  unsigned send_depth = 128;           ///< work requests outstanding at a time, 1 or more
  unsigned receive_depth = 128;        ///< receives posted at a time, 1 or more
  unsigned completion_entries = 0;     ///< of the completion queue; 0: the sum of both depths
  unsigned send_sge = 4;               ///< scatter/gather entries of a request, 1 or more
  unsigned receive_sge = 4;            ///< and of a receive
  unsigned inline_size = 128;          ///< bytes wanted inline; limits() says what came of it
  int read_depth = 16;                 ///< own reads and atomics at a time, and the peer's, 0..255; cut to the device's
  int ack_timeout = 16;                ///< exponent t: 4.096 us * 2^t, 0..31
  int retry_count = 6;                 ///< 0..7
  int rnr_retry = 7;                   ///< 0..7; 7 is for ever
  int traffic_class = -1;              ///< 0..255; -1: the path's
  int service_level = -1;              ///< 0..15; -1: the path's
  int hop_limit = 0;                   ///< 1..255; 0: the path's
  int mtu = 0;                         ///< bytes, 256, 512 .. 4096, exchange only; 0: the smaller of both ports' active
  int port = 0;                        ///< of the device, 1..255, exchange only; 0: the one that the address leads to
  int gid_index = -1;                  ///< 0..255; -1: by the address. The connection manager cannot be told, and errs
  int completion_vector = 0;           ///< which interrupt, 0 <= vector < the device's
  int setup_timeout = 5000;            ///< milliseconds, 1 or more, for all steps of open, and again for establish
};

/// A piece of an end's memory that the other end may access: all that it has to know.
struct raw_memory {
  std::uint64_t address = 0;
  std::uint64_t length = 0;  ///< bytes; 0: nothing is offered
  std::uint32_t key = 0;
};

/// The objects of a connection, from prepared on. They live until close().
struct raw_objects {
  ibv_context* context = nullptr;       ///< the device
  ibv_pd* domain = nullptr;             ///< that memory is registered in
  ibv_comp_channel* channel = nullptr;  ///< of the completion queue
  int channel_fd = -1;                  ///< its descriptor; readable when an armed queue has a completion
  ibv_cq* completions = nullptr;        ///< of sends and receives alike
  ibv_qp* queue_pair = nullptr;         ///< null before the connection is open
  rdma_cm_id* id = nullptr;             ///< null after an exchange
  const verbs::api* table = nullptr;    ///< the functions of the device
};

/// What was granted.
struct raw_limits {
  unsigned send_depth = 0;          ///< work requests outstanding at a time
  unsigned receive_depth = 0;       ///< receives posted at a time
  unsigned send_sge = 0;            ///< scatter/gather entries of a request
  unsigned receive_sge = 0;         ///< and of a receive
  unsigned inline_size = 0;         ///< bytes that a request can carry inline
  unsigned read_depth = 0;          ///< own reads and atomics at a time; once established
  unsigned peer_read_depth = 0;     ///< the peer's
  unsigned mtu = 0;                 ///< bytes of the path's packets; once established
  std::uint32_t max_message = 0;    ///< bytes of a message or a one-sided operation
  std::uint8_t port = 0;            ///< of the device, from 1 on; once established
  int gid_index = -1;               ///< in the port's table; -1 if not known
  unsigned peer_receive_depth = 0;  ///< receives that the peer can have posted
};

/// Where datagrams go to.
struct raw_address {
  ibv_ah* handle = nullptr;
  std::uint32_t queue_pair = 0;
  std::uint32_t qkey = 0;
};

/// True if ASIO_RDMA_PROBE asks every raw connection to count and to measure. Thread-safe.
ASIO_RDMA_DECL bool raw_probe_wanted() noexcept;

struct raw_link_impl;
struct raw_listener_impl;
struct raw_region_impl;

/// One end of a raw connection: a queue pair and what it takes to connect it. It sends and receives nothing: that is
/// done on its objects directly. Functions never block unless they say so. One thread at a time; it knows no Asio.
class raw_link {
public:
  raw_link() noexcept = default;
  ASIO_RDMA_DECL raw_link(raw_link&&) noexcept;
  ASIO_RDMA_DECL raw_link& operator=(raw_link&&) noexcept;
  /// As close().
  ASIO_RDMA_DECL ~raw_link();
  explicit operator bool() const noexcept { return impl_ != nullptr; }

  /// Begins to find the way to an address, and to make the queues. device is a device policy; null or empty: the
  /// process's. EINVAL for settings out of range.
  ASIO_RDMA_DECL static error open(const raw_settings& s, const char* device, const sockaddr* address, socklen_t size,
                                   raw_link& result) noexcept;
  /// EAGAIN until there are queues, or why there are none. From then on memory can be registered and receives posted.
  ASIO_RDMA_DECL error prepared() noexcept;

  /// What the peer is told with establish(). EISCONN afterwards.
  ASIO_RDMA_DECL error offer(const raw_memory& memory) noexcept;
  /// Begins to connect, on both sides.
  ASIO_RDMA_DECL error establish() noexcept;
  /// EAGAIN until the connection stands, or why it does not.
  ASIO_RDMA_DECL error established() noexcept;

  /// Becomes readable when prepared() or established(), that said EAGAIN before, has something else to say.
  ASIO_RDMA_DECL int setup_fd() const noexcept;
  /// Blocks until then.
  ASIO_RDMA_DECL void wait() noexcept;

  /// Why the connection ended, once it stood; no error while it stands. Its requests are flushed then.
  ASIO_RDMA_DECL error ended() noexcept;
  /// Makes the device give everything back: all requests complete, those that it has not done with an error. The
  /// connection ends.
  ASIO_RDMA_DECL error flush() noexcept;
  /// Destroys everything. Requests that have not completed are forgotten; the device touches their memory no more.
  ASIO_RDMA_DECL void close() noexcept;

  /// Asks for one event at the next completion, or at the next solicited or failed one. Completions that are there
  /// already raise none: poll once more before sleeping on the channel's descriptor.
  ASIO_RDMA_DECL error arm(bool solicited_only) noexcept;
  /// Takes the events that wait in the channel, after its descriptor became readable.
  ASIO_RDMA_DECL error take_events() noexcept;

  // Checks for programs that ask for them. All requests have to go through them, and all completions.

  /// What is wrong with the first bad request of a list that is to be posted, which bad becomes; EINVAL for misuse has
  /// a text that says what.
  ASIO_RDMA_DECL error check(const ibv_send_wr* first, const ibv_send_wr*& bad) noexcept;
  ASIO_RDMA_DECL error check(const ibv_recv_wr* first, const ibv_recv_wr*& bad) noexcept;
  /// A list was posted up to, and without, end.
  ASIO_RDMA_DECL void posted(const ibv_send_wr* first, const ibv_send_wr* end) noexcept;
  ASIO_RDMA_DECL void posted(const ibv_recv_wr* first, const ibv_recv_wr* end) noexcept;
  ASIO_RDMA_DECL void completed(const ibv_wc* completions, int count) noexcept;

  ASIO_RDMA_DECL raw_objects objects() const noexcept;
  ASIO_RDMA_DECL raw_limits limits() const noexcept;
  ASIO_RDMA_DECL raw_memory remote_memory() const noexcept;
  ASIO_RDMA_DECL raw_address remote_queue() const noexcept;
  ASIO_RDMA_DECL error local_address(sockaddr_storage& result) const noexcept;
  ASIO_RDMA_DECL error remote_address(sockaddr_storage& result) const noexcept;

private:
  friend class raw_listener;
  friend class raw_region;
  raw_link_impl* impl_ = nullptr;
};

/// Takes connection requests in the background, up to its backlog.
class raw_listener {
public:
  raw_listener() noexcept = default;
  ASIO_RDMA_DECL raw_listener(raw_listener&&) noexcept;
  ASIO_RDMA_DECL raw_listener& operator=(raw_listener&&) noexcept;
  ASIO_RDMA_DECL ~raw_listener();
  explicit operator bool() const noexcept { return impl_ != nullptr; }

  ASIO_RDMA_DECL static error listen(const raw_settings& s, const char* device, const sockaddr* address,
                                     socklen_t size, int backlog, raw_listener& result) noexcept;
  /// Takes the oldest request and makes queues for it: the result is prepared. EAGAIN if there is none.
  ASIO_RDMA_DECL error take(raw_link& result) noexcept;
  /// Becomes readable when take() that said EAGAIN before has something else to say.
  ASIO_RDMA_DECL int fd() const noexcept;
  /// Blocks until then.
  ASIO_RDMA_DECL void wait() noexcept;
  ASIO_RDMA_DECL error local_address(sockaddr_storage& result) const noexcept;
  ASIO_RDMA_DECL void close() noexcept;

private:
  raw_listener_impl* impl_ = nullptr;
};

/// Where memory to be registered comes from.
enum class raw_memory_source : int {
  own,         ///< pages of ours
  huge_pages,  ///< huge pages of ours
  callers,     ///< the caller's, at address
  dmabuf,      ///< a dmabuf's: of another device
};

struct raw_region_request {
  raw_memory_source source = raw_memory_source::own;
  void* address = nullptr;
  std::size_t length = 0;
  int access = 0;  ///< IBV_ACCESS_*; negative: all that the device can grant
  int dmabuf = -1;
  std::uint64_t dmabuf_offset = 0;
};

/// Memory registered on the device of a link, in its protection domain. It may outlive the link.
class raw_region {
public:
  raw_region() noexcept = default;
  ASIO_RDMA_DECL raw_region(raw_region&&) noexcept;
  ASIO_RDMA_DECL raw_region& operator=(raw_region&&) noexcept;
  ASIO_RDMA_DECL ~raw_region();
  explicit operator bool() const noexcept { return impl_ != nullptr; }

  ASIO_RDMA_DECL static error create(const raw_link& link, const raw_region_request& request,
                                     raw_region& result) noexcept;
  ASIO_RDMA_DECL void* address() const noexcept;  ///< null for a dmabuf
  ASIO_RDMA_DECL std::uint64_t device_address() const noexcept;
  ASIO_RDMA_DECL std::size_t length() const noexcept;
  ASIO_RDMA_DECL std::uint32_t local_key() const noexcept;
  ASIO_RDMA_DECL std::uint32_t remote_key() const noexcept;

private:
  raw_region_impl* impl_ = nullptr;
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
