// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_DATAGRAM_QUEUES_HPP
#define ASIO_RDMA_SRC_IO_DATAGRAM_QUEUES_HPP

#include "io/connection_path.hpp"
#include "io/device_domain.hpp"
#include "io/grh.hpp"
#include "io/memory_block.hpp"

#include <asio_rdma/verbs/address_handle.hpp>
#include <asio_rdma/verbs/cm_id.hpp>
#include <asio_rdma/verbs/completion_channel.hpp>
#include <asio_rdma/verbs/completion_queue.hpp>
#include <asio_rdma/verbs/memory_region.hpp>
#include <asio_rdma/verbs/queue_pair.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// The verbs objects of a datagram socket on one device: the queue pair, and a completion queue for each direction, so
/// that a socket that only waits to receive is not woken by what it has sent.
///
/// Its memory consists of slots. One for receiving holds 40 bytes of the network's header and a packet; it goes back to
/// the device when its datagram was read. Slots for sending are taken and come back in order.
class datagram_queues {
public:
  struct sizes {
    unsigned receive_bytes = 0;  ///< of packets that may wait to be read; at least receive_depth of them may
    unsigned send_bytes = 0;     ///< of packets that the device may have before it; at least send_depth of them may
    unsigned receive_depth = 0;
    unsigned send_depth = 0;
    unsigned inline_size = 0;  ///< wanted; may become less
  };

  /// Makes everything on the id's device and port, and posts all receives. EOPNOTSUPP on InfiniBand's own link layer.
  core::error create(const verbs::cm_id_ref& id, const sizes& s, const connection_path& wish);
  ~datagram_queues() { destroy(); }
  datagram_queues() noexcept = default;
  datagram_queues(const datagram_queues&) = delete;
  datagram_queues& operator=(const datagram_queues&) = delete;

  verbs::context_ref device() const noexcept { return device_->device; }
  ibv_context* context() const noexcept { return device_->device.native_handle(); }
  std::uint8_t port() const noexcept { return attributes_.port_num; }
  std::uint32_t number() const noexcept { return queue_pair_.number(); }
  /// Bytes of the largest packet.
  std::uint32_t mtu() const noexcept { return mtu_; }
  unsigned receive_depth() const noexcept { return receive_depth_; }
  unsigned send_depth() const noexcept { return send_depth_; }
  unsigned inline_size() const noexcept { return inline_size_; }
  std::size_t registered() const noexcept { return memory_.size(); }
  verbs::queue_pair_ref queue_pair() const noexcept { return queue_pair_; }

  verbs::address_handle make_address(const ibv_ah_attr& path, verbs::error_code& ec) const noexcept {
    return verbs::address_handle::create(device_->domain, path, ec);
  }
  /// The index of a GID of this port; of several the one for RoCE v2. -1 if there is none. Remembered, unless the
  /// device could not be asked.
  int index_of(const ibv_gid& gid, verbs::error_code& ec);

  // Receiving. A completion's wr_id is its slot.

  int poll_receives(ibv_wc* wcs, int count) noexcept { return receives_.poll(wcs, count); }
  const std::byte* received(std::uint64_t slot) const noexcept { return memory_.data() + slot * receive_stride_; }
  /// Gives slots back to the device, a number of them at a time; after a failure once the queue pair works again.
  void give_back(std::uint64_t slot) noexcept;
  /// Posts those that are left over.
  void post_given_back() noexcept;
  /// A receive has completed.
  void count_received() noexcept { --receives_posted_; }

  // Sending.

  bool has_send_slot() const noexcept { return posted_ - completed_ < send_depth_; }
  unsigned free_send_slots() const noexcept { return send_depth_ - static_cast<unsigned>(posted_ - completed_); }
  /// The memory of the next send, mtu() bytes. There has to be one.
  std::byte* next_send() const noexcept { return send_memory(posted_); }
  struct destination {
    ibv_ah* address;
    std::uint32_t queue_pair;
    std::uint32_t qkey;
  };
  /// Prepares the send of what next_send() holds. It goes out with post_sends(): there may be max_batch before that.
  void add_send(std::size_t bytes, const destination& to) noexcept;
  static constexpr std::size_t max_batch = 32;
  std::size_t batched() const noexcept { return batch_size_; }
  /// Under one doorbell. 0 or an errno value, then those that were not posted are gone, and lost counts them. If only
  /// some were, the queue pair has failed.
  int post_sends(unsigned& lost) noexcept;
  /// Takes completions of sends. Their number, those that failed included.
  unsigned poll_sends() noexcept;
  bool all_sent() const noexcept { return posted_ == completed_; }
  /// Numbers sends from 0 on: what was sent before has completed once completed() has come so far.
  std::uint64_t posted() const noexcept { return posted_; }
  std::uint64_t completed() const noexcept { return completed_; }

  /// Status of the first work request that failed, and the vendor's code; IBV_WC_SUCCESS if none has. One that the
  /// device did not take has IBV_WC_GENERAL_ERR.
  ibv_wc_status failed_status() const noexcept { return failed_status_; }
  bool has_failed() const noexcept { return failed_status_ != IBV_WC_SUCCESS; }
  std::uint32_t vendor_error() const noexcept { return vendor_error_; }
  void count_failure(const ibv_wc& wc) noexcept;
  /// After a failure: brings the queue pair back to work once all its requests have come back. False until then.
  bool revive() noexcept;
  /// All requests come back. Try again as long as is_failing() is false.
  void to_error() noexcept;
  /// to_error() was called, and revive() has not succeeded since.
  bool is_failing() const noexcept { return is_failing_; }

  // Waiting.

  int fd() const noexcept { return channel_.fd(); }
  /// Arms the queues that are not; sends too if somebody waits for a slot. Poll once more afterwards. taken is set if
  /// an event was taken: then whoever waited for it may have missed it. After an error, nobody must sleep for them.
  core::error arm(bool sends, bool& taken) noexcept;
  std::uint64_t events_armed() const noexcept { return events_armed_; }
  std::uint64_t events_taken() const noexcept { return events_taken_; }

private:
  void destroy() noexcept;
  void not_taken() noexcept;
  core::error create_queue_pair(const verbs::cm_id_ref& id, const connection_path& wish);
  core::error post_all_receives() noexcept;
  std::byte* send_memory(std::uint64_t ticket) const noexcept {
    return memory_.data() + send_offset_ + ticket % send_depth_ * mtu_;
  }
  core::error request(verbs::completion_queue& queue, bool& armed) noexcept;

  std::shared_ptr<device_domain> device_;
  std::uint32_t mtu_ = 0;
  unsigned receive_depth_ = 0;
  unsigned send_depth_ = 0;
  unsigned inline_size_ = 0;
  std::size_t receive_stride_ = 0;
  std::size_t send_offset_ = 0;

  memory_block memory_;  // slots for receiving, then those for sending
  verbs::memory_region region_;
  verbs::completion_channel channel_;
  verbs::completion_queue receives_;
  verbs::completion_queue sends_;
  verbs::queue_pair queue_pair_;
  ibv_qp_attr attributes_{};  // that it was initialised with

  static constexpr unsigned receive_batch = 8;
  std::uint64_t given_back_[receive_batch];
  unsigned given_back_count_ = 0;
  unsigned receives_posted_ = 0;
  std::vector<std::uint64_t> waiting_slots_;  // for revive()

  ibv_send_wr batch_[max_batch];
  ibv_sge pieces_[max_batch];
  std::size_t batch_size_ = 0;
  std::uint64_t posted_ = 0;
  std::uint64_t completed_ = 0;
  bool is_tail_silent_ = false;  // the last sends have no completion

  ibv_wc_status failed_status_ = IBV_WC_SUCCESS;
  std::uint32_t vendor_error_ = 0;
  bool is_failing_ = false;
  bool receives_armed_ = false;
  bool sends_armed_ = false;
  std::uint64_t events_armed_ = 0;
  std::uint64_t events_taken_ = 0;

  struct known_gid {
    ibv_gid gid;
    int index;
  };
  std::vector<known_gid> known_gids_;
};

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
