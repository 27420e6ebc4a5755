// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "raw/queues.hpp"

#include "io/new_queue_pair.hpp"
#include "io/verbs_error.hpp"

#include <algorithm>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

using verbs::error_code;

core::error queues::create(std::shared_ptr<io::device_domain> device, std::uint8_t port, const core::raw_settings& s) {
  device_ = std::move(device);
  const ibv_device_attr& most = device_->limits;
  const unsigned entries = s.completion_entries != 0 ? s.completion_entries : s.send_depth + s.receive_depth;
  const auto most_requests = static_cast<unsigned>(most.max_qp_wr);
  const auto most_sge = static_cast<unsigned>(most.max_sge);
  if (s.send_depth > most_requests || s.receive_depth > most_requests || s.send_sge > most_sge ||
      s.receive_sge > most_sge || entries > static_cast<unsigned>(most.max_cqe)) {
    return core::library_error::device_limit;
  }
  error_code ec;
  const ibv_port_attr port_attributes = device_->device.query_port(port, ec);
  if (!ec) channel_ = verbs::completion_channel::create(device_->device, ec);
  if (!ec) {
    completions_ = verbs::completion_queue::create(device_->device, static_cast<int>(entries), channel_,
                                                   s.completion_vector, ec);
  }
  if (ec) return io::to_error(ec);

  ibv_qp_init_attr attributes{};
  attributes.send_cq = completions_.native_handle();
  attributes.recv_cq = completions_.native_handle();
  attributes.qp_type = s.transport == core::raw_transport::reliable ? IBV_QPT_RC : IBV_QPT_UD;
  attributes.cap.max_send_wr = s.send_depth;
  attributes.cap.max_recv_wr = s.receive_depth;
  attributes.cap.max_send_sge = s.send_sge;
  attributes.cap.max_recv_sge = s.receive_sge;
  attributes.cap.max_inline_data = s.inline_size;
  if (const core::error e = io::new_queue_pair(device_->domain, attributes, queue_pair_)) return e;
  limits_.send_depth = attributes.cap.max_send_wr;
  limits_.receive_depth = attributes.cap.max_recv_wr;
  limits_.send_sge = attributes.cap.max_send_sge;
  limits_.receive_sge = attributes.cap.max_recv_sge;
  limits_.inline_size = attributes.cap.max_inline_data;
  limits_.max_message = port_attributes.max_msg_sz;
  limits_.port = port;
  limits_.mtu = 128u << port_attributes.active_mtu;
  return {};
}

void queues::destroy() noexcept {
  queue_pair_.reset();
  completions_.reset();
  channel_.reset();
  device_.reset();
}

core::raw_objects queues::objects() const noexcept {
  core::raw_objects o;
  if (!queue_pair_) return o;
  o.context = device_->device.native_handle();
  o.domain = device_->domain.native_handle();
  o.channel = channel_.native_handle();
  o.channel_fd = channel_.fd();
  o.completions = completions_.native_handle();
  o.queue_pair = queue_pair_.native_handle();
  o.table = &queue_pair_.table();
  return o;
}

void queues::look_at_path() noexcept {
  if (queue_pair_.type() != IBV_QPT_RC) return;
  error_code ec;
  const ibv_qp_attr a = queue_pair_.query(
      IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC, ec).attributes;
  if (ec) return;
  limits_.mtu = 128u << a.path_mtu;
  limits_.read_depth = a.max_rd_atomic;
  limits_.peer_read_depth = a.max_dest_rd_atomic;
  if (a.ah_attr.is_global != 0) limits_.gid_index = a.ah_attr.grh.sgid_index;
}

core::error queues::arm(bool solicited_only) noexcept {
  error_code ec;
  completions_.request_notification(solicited_only, ec);
  return io::to_error(ec);
}

core::error queues::take_events() noexcept {
  error_code ec;
  (void)completions_.take_events(ec);
  return io::to_error(ec);
}

core::error queues::to_error() noexcept {
  error_code ec;
  if (queue_pair_) queue_pair_.to_error(ec);
  return io::to_error(ec);
}

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma
