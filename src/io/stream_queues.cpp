// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/stream_queues.hpp"

#include "io/new_queue_pair.hpp"
#include "io/program_memory.hpp"
#include "io/verbs_error.hpp"

#include <algorithm>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace io {

using verbs::error_code;

namespace {

/// Receive requests without memory, one behind the other.
class receive_list {
public:
  static constexpr unsigned size = 32;

  receive_list() noexcept {
    for (unsigned i = 0; i < size; ++i) {
      requests_[i].wr_id = stream_queues::receive_id;
      requests_[i].next = i + 1 < size ? &requests_[i + 1] : nullptr;
    }
  }
  ibv_recv_wr* last(unsigned n) noexcept { return &requests_[size - n]; }

private:
  ibv_recv_wr requests_[size] = {};
};

}  // namespace

core::error stream_queues::create(verbs::cm_id& id, const sizes& s, const connection_path& wish) {
  const verbs::context_ref device = id.context();
  if (!device) return core::library_error::no_device;  // it has vanished since the address was resolved
  core::error e = s.own_domain ? device_domain::make(device, device_) : device_domain::get(device, device_);
  if (e) return e;
  sizes_ = s;
  const auto most = static_cast<unsigned>(device_->limits.max_qp_wr);
  sizes_.receive_depth = std::min(s.receive_depth, most);
  sizes_.send_depth = std::min(s.send_depth, most);

  // Room for everything that can be outstanding at once: a queue that overruns takes the connection down.
  const auto entries = static_cast<int>(sizes_.receive_depth + sizes_.send_depth);
  if (entries > device_->limits.max_cqe) {
    device_.reset();
    return core::library_error::device_limit;
  }
  error_code ec;
  channel_ = verbs::completion_channel::create(device, ec);
  if (!ec) completions_ = verbs::completion_queue::create(device, entries, channel_, device_->next_vector(), ec);
  e = io::to_error(ec);
  if (!e) e = create_memory();
  if (!e) e = create_queue_pair(id, wish);
  if (!e) e = core::error(post_receives(sizes_.receive_depth));
  if (e) destroy(id);
  return e;
}

core::error stream_queues::create_memory() {
  error_code ec;
  received_.create(*device_, sizes_.ring + sizes_.mirror, ring_access, ec);
  if (!ec) sent_.create(*device_, sizes_.staging + sizes_.control_texts, 0, ec);
  return io::to_error(ec);
}

void stream_queues::use_prepared_ring() noexcept {
  former_ring_ = std::move(ring_);
  ring_ = std::move(prepared_ring_);
}

void stream_queues::grow_staging(std::size_t size, error_code& ec) noexcept {
  registered_block larger;
  larger.create(*device_, size, 0, ec);
  if (ec) return;
  former_staging_ = std::move(staging_);
  staging_ = std::move(larger);
}

ibv_mw* stream_queues::window(unsigned index) noexcept {
  verbs::memory_window& w = windows_[index];
  error_code ec;
  if (!w) w = verbs::memory_window::create(device_->domain, IBV_MW_TYPE_2, ec);
  return ec ? nullptr : w.native_handle();
}

void stream_queues::drop_windows() noexcept {
  for (verbs::memory_window& w : windows_) w.reset();
}

std::size_t stream_queues::registered() const noexcept {
  std::size_t sum = 0;
  for (const registered_block* b :
       {&received_, &sent_, &ring_, &former_ring_, &prepared_ring_, &staging_, &former_staging_}) {
    sum += b->size();
  }
  return sum;
}

core::error stream_queues::create_queue_pair(const verbs::cm_id& id, const connection_path& wish) {
  ibv_qp_init_attr attributes{};
  attributes.send_cq = completions_.native_handle();
  attributes.recv_cq = completions_.native_handle();
  attributes.qp_type = IBV_QPT_RC;
  attributes.cap.max_send_wr = sizes_.send_depth;
  attributes.cap.max_recv_wr = sizes_.receive_depth;
  attributes.cap.max_send_sge = 1;
  attributes.cap.max_recv_sge = 1;
  attributes.cap.max_inline_data = sizes_.inline_size;
  if (const core::error e = new_queue_pair(device_->domain, attributes, queue_pair_)) return e;
  sizes_.inline_size = attributes.cap.max_inline_data;
  return initialize(id, queue_pair_, wish);
}

void stream_queues::destroy(verbs::cm_id& id) noexcept {
  if (id) show_queue_pair(id, nullptr);
  // Windows go first: one that is open belongs to the queue pair, and rxe of Linux 6.1 would wait for it, 50 s long.
  drop_windows();
  queue_pair_.reset();
  completions_.reset();
  channel_.reset();
  for (registered_block* b :
       {&received_, &sent_, &ring_, &former_ring_, &prepared_ring_, &staging_, &former_staging_}) {
    b->reset();
  }
  if (sizes_.own_domain && device_) program_memory::forget(device_);
  device_.reset();
  armed_ = false;
}

int stream_queues::post_receives(unsigned count) noexcept {
  // All alike, and never changed: a list of n is the end of this one.
  static receive_list list;
  while (count > 0) {
    const unsigned n = std::min(count, receive_list::size);
    ibv_recv_wr* bad = nullptr;
    if (const int e = ::ibv_post_recv(queue_pair_.native_handle(), list.last(n), &bad)) return e;
    count -= n;
  }
  return 0;
}

core::error stream_queues::to_error() noexcept {
  error_code ec;
  if (queue_pair_) queue_pair_.to_error(ec);
  return io::to_error(ec);
}

core::error stream_queues::arm(bool& taken) noexcept {
  error_code ec;
  // Armed once, the queue has raised one event at most.
  taken = armed_ && channel_.get_event(ec) != nullptr;
  if (armed_ && !taken) return event_error(ec);
  if (taken) {
    completions_.count_event();
    ++events_taken_;
  }
  completions_.request_notification(false, ec);
  armed_ = !ec;
  ++events_armed_;
  return io::to_error(ec);
}

verbs::queue_pair_description stream_queues::describe_queue_pair(error_code& ec) const noexcept {
  if (!queue_pair_) {
    ec = error_code(ENOTCONN, boost::system::system_category());
    return {};
  }
  constexpr int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_TIMEOUT |
                       IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_PORT;
  return queue_pair_.query(mask, ec);
}

ibv_gid stream_queues::query_gid(std::uint8_t port, int index, error_code& ec) const noexcept {
  return device_->device.query_gid(port, index, ec);
}

bool stream_queues::port_active(std::uint8_t port) const noexcept {
  error_code ec;
  const ibv_port_attr attributes = device_->device.query_port(port, ec);
  return ec || attributes.state == IBV_PORT_ACTIVE;
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
