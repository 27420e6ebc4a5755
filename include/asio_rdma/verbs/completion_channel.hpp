// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_COMPLETION_CHANNEL_HPP
#define ASIO_RDMA_VERBS_COMPLETION_CHANNEL_HPP

#include <asio_rdma/verbs/detail/nonblocking.hpp>
#include <asio_rdma/verbs/detail/owner.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// A descriptor that becomes readable when an armed completion queue gets a completion (ibv_comp_channel). It never
/// blocks: O_NONBLOCK is set on it. Destroying it fails with EBUSY as long as a completion queue uses it.
class completion_channel : public detail::owner<ref<ibv_comp_channel>, &api::destroy_comp_channel> {
public:
  completion_channel() noexcept = default;
  /// ibv_create_comp_channel. Throws boost::system::system_error.
  explicit completion_channel(ref<ibv_context> device) {
    error_code ec;
    *this = create(device, ec);
    detail::throw_error(ec, "ibv_create_comp_channel");
  }
  /// ibv_create_comp_channel; it is made non-blocking. EMFILE where the process has no descriptor left.
  static completion_channel create(ref<ibv_context> device, error_code& ec) noexcept {
    const api& table = device.table();
    completion_channel result({detail::check(table.create_comp_channel(device.native_handle()), ec), table});
    if (!ec) detail::set_nonblocking(result.fd(), true, ec);
    if (ec) result.reset();
    return result;
  }

  /// Becomes readable when an event waits.
  int fd() const noexcept { return handle_->fd; }

  /// Takes one event: the completion queue that was armed and got a completion (ibv_get_cq_event). Null and
  /// would_block if none waits. Count it with completion_queue::count_event(): the queue cannot be destroyed before
  /// all its events are acknowledged. Several completions raise one event, and a completion that was polled before may
  /// have raised it: poll the queue until it is empty. After the descriptor became readable, take events until
  /// would_block.
  ibv_cq* get_event(error_code& ec) const noexcept {
    ibv_cq* queue = nullptr;
    void* queue_context = nullptr;
    return detail::check(table_->get_cq_event(handle_, &queue, &queue_context), ec) ? queue : nullptr;
  }
  /// Throws boost::system::system_error.
  ibv_cq* get_event() const {
    error_code ec;
    ibv_cq* const queue = get_event(ec);
    detail::throw_error(ec, "ibv_get_cq_event");
    return queue;
  }

private:
  explicit completion_channel(ref<ibv_comp_channel> view) noexcept : owner(view) {}
};

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
