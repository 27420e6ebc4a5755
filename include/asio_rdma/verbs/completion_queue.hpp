// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_COMPLETION_QUEUE_HPP
#define ASIO_RDMA_VERBS_COMPLETION_QUEUE_HPP

#include <asio_rdma/verbs/detail/owner.hpp>

#include <cassert>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// Why a work request failed; no error for IBV_WC_SUCCESS.
inline error_code completion_error(ibv_wc_status status) noexcept {
  return to_error_code(core::error(static_cast<int>(status), core::error_domain::completion));
}

/// A completion queue that somebody else destroys.
class completion_queue_ref : public ref<ibv_cq> {
public:
  using ref<ibv_cq>::ref;

  /// Entries it has room for. More completions than that break it for good (IBV_EVENT_CQ_ERR): it needs room for all
  /// work requests of the queues attached to it.
  int capacity() const noexcept { return handle_->cqe; }

  /// Takes up to size completions: their number, 0 if there are none, negative if the queue is broken
  /// (ibv_poll_cq). Of a completion with an error, only wr_id, status, qp_num and vendor_err mean anything.
  int poll(ibv_wc* completions, int size) const noexcept { return ibv_poll_cq(handle_, size, completions); }

  /// Asks for one event in the channel at the next completion (ibv_req_notify_cq): any, or only a solicited or failed
  /// one. Completions that are in the queue already raise none, so poll once more afterwards and only then sleep.
  void request_notification(bool solicited_only, error_code& ec) const noexcept {
    detail::check(ibv_req_notify_cq(handle_, solicited_only ? 1 : 0), ec);
  }
  /// Throws boost::system::system_error.
  void request_notification(bool solicited_only = false) const {
    error_code ec;
    request_notification(solicited_only, ec);
    detail::throw_error(ec, "ibv_req_notify_cq");
  }

  /// Changes the capacity (ibv_resize_cq). EINVAL if more completions wait than would fit; many devices cannot do it.
  void resize(int cqe, error_code& ec) const noexcept { detail::check(table_->resize_cq(handle_, cqe), ec); }
  /// Throws boost::system::system_error.
  void resize(int cqe) const {
    error_code ec;
    resize(cqe, ec);
    detail::throw_error(ec, "ibv_resize_cq");
  }
};

namespace detail {

/// A completion queue with the number of its events that were taken and not acknowledged yet. ibv_ack_cq_events locks
/// a mutex, so it is called once for many events; ibv_destroy_cq waits for the last acknowledgement.
class counted_completion_queue : public completion_queue_ref {
protected:
  using completion_queue_ref::completion_queue_ref;

  void add_events(unsigned count) noexcept {
    constexpr unsigned batch = 128;
    unacknowledged_ += count;
    if (unacknowledged_ >= batch) acknowledge();
  }
  void acknowledge() noexcept {
    if (unacknowledged_ != 0) table_->ack_cq_events(handle_, unacknowledged_);
    unacknowledged_ = 0;
  }
  void before_destroy() noexcept { acknowledge(); }

private:
  unsigned unacknowledged_ = 0;
};

}  // namespace detail

/// A completion queue (ibv_cq). One thread at a time may count events; polling and arming are thread-safe.
/// Destroying it fails with EBUSY as long as a queue pair uses it.
class completion_queue : public detail::owner<detail::counted_completion_queue, &api::destroy_cq> {
public:
  /// None.
  completion_queue() noexcept = default;
  /// ibv_create_cq. Throws boost::system::system_error.
  explicit completion_queue(ref<ibv_context> device, int cqe, ref<ibv_comp_channel> channel = {}, int comp_vector = 0,
                            void* user_context = nullptr) {
    error_code ec;
    *this = create(device, cqe, channel, comp_vector, ec, user_context);
    detail::throw_error(ec, "ibv_create_cq");
  }

  /// A queue with room for at least cqe completions. An empty channel means that it will only be polled. comp_vector
  /// chooses the interrupt, 0 <= comp_vector < ibv_context::num_comp_vectors. EINVAL for more than the device's
  /// max_cqe; errc::memlock_limit where the queue's memory cannot be pinned.
  static completion_queue create(ref<ibv_context> device, int cqe, ref<ibv_comp_channel> channel, int comp_vector,
                                 error_code& ec, void* user_context = nullptr) noexcept {
    const api& table = device.table();
    ibv_cq* const queue =
        table.create_cq(device.native_handle(), cqe, user_context, channel.native_handle(), comp_vector);
    const auto bytes = static_cast<std::size_t>(cqe > 0 ? cqe : 0) * sizeof(ibv_wc);
    ec = queue != nullptr ? error_code() : to_error_code(detail::memory_error(errno, bytes));
    return completion_queue(completion_queue_ref(queue, table));
  }

  /// An event of this queue was taken from its channel; it is acknowledged later, together with others.
  void count_event() noexcept { add_events(1); }

  /// Takes and counts all events that wait in the channel of this queue, which must be the only queue of its channel.
  /// Returns their number; 0 and no error if there were none.
  unsigned take_events(error_code& ec) noexcept {
    unsigned count = 0;
    ibv_cq* queue = nullptr;
    void* queue_context = nullptr;
    while (detail::check(table_->get_cq_event(handle_->channel, &queue, &queue_context), ec)) {
      assert(queue == handle_);
      ++count;
    }
    add_events(count);
    if (ec == boost::system::errc::resource_unavailable_try_again) ec = error_code();
    return count;
  }
  /// Throws boost::system::system_error.
  unsigned take_events() {
    error_code ec;
    const unsigned count = take_events(ec);
    detail::throw_error(ec, "ibv_get_cq_event");
    return count;
  }

  /// Acknowledges all events counted so far. Needed only by who releases the queue.
  using counted_completion_queue::acknowledge;

private:
  explicit completion_queue(completion_queue_ref view) noexcept
      : owner(detail::counted_completion_queue(view.native_handle(), view.table())) {}
};

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
