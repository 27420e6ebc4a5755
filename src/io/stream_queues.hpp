// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_STREAM_QUEUES_HPP
#define ASIO_RDMA_SRC_IO_STREAM_QUEUES_HPP

#include "io/connection_path.hpp"
#include "io/device_domain.hpp"
#include "io/registered_block.hpp"
#include "io/shown_queue_pair.hpp"

#include <asio_rdma/verbs/cm_id.hpp>
#include <asio_rdma/verbs/completion_channel.hpp>
#include <asio_rdma/verbs/completion_queue.hpp>
#include <asio_rdma/verbs/memory_window.hpp>
#include <asio_rdma/verbs/queue_pair.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// The verbs objects of one stream connection: a completion channel with one completion queue for both directions, the
/// queue pair, the ring and the mirror that the peer writes into, and the memory from which we send.
///
/// Ring and mirror have a memory region of their own, so that the peer's key reaches nothing else. The ring and the
/// memory from which we send can give way to larger ones, beside which the former ones stay until they are released.
class stream_queues {
public:
  static constexpr unsigned windows = 4;

  struct sizes {
    std::uint32_t ring = 0;           ///< a power of two
    std::uint32_t staging = 0;        ///< a power of two
    std::uint32_t mirror = 0;         ///< bytes that the peer writes behind the ring
    std::uint32_t control_texts = 0;  ///< bytes from which we send texts of control messages, behind the staging memory
    unsigned receive_depth = 0;
    unsigned send_depth = 0;
    unsigned inline_size = 0;  ///< wanted; may become less
    bool own_domain = false;   ///< no other connection's queue pair reaches the memory, whatever keys its peer knows
  };

  /// Makes everything on the id's device, and posts all receives. On failure nothing is left.
  core::error create(verbs::cm_id& id, const sizes& s, const connection_path& wish);
  /// Brings the queue pair to where it sends and receives, once the peer has said who it is: on the active side between
  /// CONNECT_RESPONSE and establish(), on the passive side before accept().
  core::error make_ready(const verbs::cm_id& id, const connection_path& wish) {
    return io::make_ready(id, queue_pair_, wish, path_);
  }
  /// From now on the id shows the queue pair as its own, and disconnect() moves that to the error state. Not before
  /// establish() or accept(): the connection manager would make the transitions itself.
  void show(const verbs::cm_id& id) const noexcept { show_queue_pair(id, queue_pair_.native_handle()); }
  /// Destroys the queue pair and everything else. Blocks while the kernel does it; the id stays.
  void destroy(verbs::cm_id& id) noexcept;
  explicit operator bool() const noexcept { return static_cast<bool>(completions_); }

  /// The wr_id of receives; those of sends are the caller's, and even.
  static constexpr std::uint64_t receive_id = 1;

  /// Takes up to count completions.
  int poll(ibv_wc* wcs, int count) noexcept { return completions_.poll(wcs, count); }
  /// Posts count receives without memory, for messages whose data is written into the ring.
  int post_receives(unsigned count) noexcept;
  /// Posts a list. 0 or an errno value; then bad is the first one that was not posted.
  int post_sends(ibv_send_wr* first, ibv_send_wr*& bad) noexcept {
    return ::ibv_post_send(queue_pair_.native_handle(), first, &bad);
  }
  /// Moves the queue pair to the error state: every outstanding request is flushed.
  core::error to_error() noexcept;

  /// Arms the completion queue, unless it is armed. Poll once more afterwards. taken: an event was taken for that, so
  /// that whoever waited for it may have missed it. After an error nobody must sleep for it.
  core::error arm(bool& taken) noexcept;
  int fd() const noexcept { return channel_.fd(); }

  const registered_block& ring(bool former = false) const noexcept {
    return either(former ? former_ring_ : ring_, received_);
  }
  std::byte* mirror() const noexcept { return received_.data() + sizes_.ring; }
  std::uint32_t mirror_key() const noexcept { return received_.remote_key(); }
  const registered_block& staging(bool former = false) const noexcept {
    return either(former ? former_staging_ : staging_, sent_);
  }
  std::byte* control_texts() const noexcept { return sent_.data() + sizes_.staging; }
  std::uint32_t control_texts_key() const noexcept { return sent_.local_key(); }
  /// Bytes of the ring as it was made.
  std::uint32_t first_ring_size() const noexcept { return sizes_.ring; }

  /// Makes a larger ring for the peer. On failure nothing has changed.
  void prepare_ring(std::size_t size, verbs::error_code& ec) noexcept {
    prepared_ring_.create(*device_, size, ring_access, ec);
  }
  const registered_block& prepared_ring() const noexcept { return prepared_ring_; }
  /// The one prepared takes the place of the ring.
  void use_prepared_ring() noexcept;
  /// Nobody reads the former ring, nor writes into it, any more.
  void release_former_ring() noexcept { former_ring_.reset(); }
  /// Larger memory takes the place of what is sent from. On failure nothing has changed.
  void grow_staging(std::size_t size, verbs::error_code& ec) noexcept;
  /// The device sends nothing from the former one any more.
  void release_former_staging() noexcept { former_staging_.reset(); }

  /// One of the windows by which the peer reaches memory of the program, made when it is first asked for; null if the
  /// device gives none.
  ibv_mw* window(unsigned index) noexcept;
  /// Those that are open are shut thereby.
  void drop_windows() noexcept;

  /// Times that the completion queue was armed, and events taken from its channel, since this object exists.
  std::uint64_t events_armed() const noexcept { return events_armed_; }
  std::uint64_t events_taken() const noexcept { return events_taken_; }
  /// Bytes of memory that are registered now.
  std::size_t registered() const noexcept;
  /// What the queue pair was made with, asked of the device: slow. An error if there is none.
  verbs::queue_pair_description describe_queue_pair(verbs::error_code& ec) const noexcept;
  /// The GID of that index; an error if the port has none there.
  ibv_gid query_gid(std::uint8_t port, int index, verbs::error_code& ec) const noexcept;

  const std::shared_ptr<device_domain>& device() const noexcept { return device_; }

  unsigned send_depth() const noexcept { return sizes_.send_depth; }
  unsigned receive_depth() const noexcept { return sizes_.receive_depth; }
  unsigned inline_size() const noexcept { return sizes_.inline_size; }
  std::uint32_t number() const noexcept { return queue_pair_.number(); }
  /// What make_ready() came to.
  const connection_path& path() const noexcept { return path_; }
  /// False if the port that the connection uses is known to be down.
  bool port_active(std::uint8_t port) const noexcept;

private:
  static constexpr int ring_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

  static const registered_block& either(const registered_block& larger, const registered_block& first) noexcept {
    return larger ? larger : first;
  }
  core::error create_queue_pair(const verbs::cm_id& id, const connection_path& wish);
  core::error create_memory();

  sizes sizes_;
  std::shared_ptr<device_domain> device_;
  registered_block received_;  // the first ring, mirror
  registered_block sent_;      // the first staging memory, control texts
  registered_block ring_, former_ring_, prepared_ring_;  // empty where it is the first one
  registered_block staging_, former_staging_;
  verbs::completion_channel channel_;
  verbs::completion_queue completions_;
  verbs::queue_pair queue_pair_;  // not the id's own, since we make its transitions
  std::array<verbs::memory_window, windows> windows_;
  connection_path path_;
  bool armed_ = false;
  std::uint64_t events_armed_ = 0;
  std::uint64_t events_taken_ = 0;
};

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
