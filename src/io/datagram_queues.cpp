// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/datagram_queues.hpp"

#include "io/verbs_error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace io {

using verbs::error_code;

namespace {

constexpr std::size_t cache_line = 64;

std::size_t round_up(std::size_t size) noexcept {
  return (size + cache_line - 1) / cache_line * cache_line;
}

unsigned depth_of(unsigned bytes, unsigned least, std::uint32_t mtu, int most) noexcept {
  return std::min(std::max(bytes / mtu, least), static_cast<unsigned>(most));
}

}  // namespace

core::error datagram_queues::create(const verbs::cm_id_ref& id, const sizes& s, const connection_path& wish) {
  const verbs::context_ref device = id.context();
  if (!device) return core::library_error::no_device;  // it has vanished meanwhile
  if (const core::error e = device_domain::get(device, device_)) return e;
  error_code ec;
  const ibv_port_attr port = device.query_port(id.port(), ec);
  if (ec) return io::to_error(ec);
  // There, packets name ports of the fabric and not addresses, so that nobody could be told who has sent one.
  if (port.link_layer == IBV_LINK_LAYER_INFINIBAND) return core::error(EOPNOTSUPP);
  mtu_ = 128u << port.active_mtu;
  receive_depth_ = depth_of(s.receive_bytes, s.receive_depth, mtu_, device_->limits.max_qp_wr);
  send_depth_ = depth_of(s.send_bytes, s.send_depth, mtu_, device_->limits.max_qp_wr);
  inline_size_ = s.inline_size;
  if (static_cast<int>(std::max(receive_depth_, send_depth_)) > device_->limits.max_cqe) {
    return core::library_error::device_limit;
  }
  channel_ = verbs::completion_channel::create(device, ec);
  const int vector = device_->next_vector();
  if (!ec) receives_ = verbs::completion_queue::create(device, static_cast<int>(receive_depth_), channel_, vector, ec);
  if (!ec) sends_ = verbs::completion_queue::create(device, static_cast<int>(send_depth_), channel_, vector, ec);
  if (ec) return io::to_error(ec);
  receive_stride_ = round_up(grh_size + mtu_);
  send_offset_ = receive_stride_ * receive_depth_;
  memory_ = memory_block(send_offset_ + std::size_t{mtu_} * send_depth_);
  if (!memory_) return core::error(errno);
  memory_.prefer_node(device_->numa_node);
  region_ = verbs::memory_region::register_memory(device_->domain, memory_.data(), memory_.size(),
                                                  IBV_ACCESS_LOCAL_WRITE, ec);
  if (ec) return io::to_error(ec);
  if (const core::error e = create_queue_pair(id, wish)) return e;
  return post_all_receives();
}

core::error datagram_queues::create_queue_pair(const verbs::cm_id_ref& id, const connection_path& wish) {
  error_code ec;
  for (unsigned inline_size = inline_size_;; inline_size /= 2) {
    ibv_qp_init_attr a{};
    a.send_cq = sends_.native_handle();
    a.recv_cq = receives_.native_handle();
    a.qp_type = IBV_QPT_UD;
    a.cap.max_send_wr = send_depth_;
    a.cap.max_recv_wr = receive_depth_;
    a.cap.max_send_sge = 1;
    a.cap.max_recv_sge = 1;
    a.cap.max_inline_data = inline_size;
    queue_pair_ = verbs::queue_pair::create(device_->domain, a, ec);
    if (!ec) {
      inline_size_ = a.cap.max_inline_data;
      return make_datagrams_ready(id, queue_pair_, wish, attributes_);
    }
    // As for streams: devices differ in what they take inline.
    if (ec.value() != EINVAL || inline_size == 0) break;
  }
  return ec.value() == ENOMEM ? core::error(core::library_error::device_limit) : io::to_error(ec);
}

core::error datagram_queues::post_all_receives() noexcept {
  for (unsigned slot = 0; slot != receive_depth_; ++slot) give_back(slot);
  post_given_back();
  return receives_posted_ == receive_depth_ ? core::error() : core::error(ENOMEM);
}

void datagram_queues::destroy() noexcept {
  queue_pair_.reset();
  receives_.reset();
  sends_.reset();
  channel_.reset();
  region_.reset();
}

int datagram_queues::index_of(const ibv_gid& gid, error_code& ec) {
  const auto same = [&gid](const ibv_gid& other) { return std::memcmp(gid.raw, other.raw, sizeof gid.raw) == 0; };
  for (const known_gid& k : known_gids_) {
    if (same(k.gid)) return k.index;
  }
  constexpr std::size_t most_remembered = 64;
  known_gid found{gid, -1};
  for (const ibv_gid_entry& entry : device().query_gid_table(ec)) {
    if (entry.port_num != port() || !same(entry.gid)) continue;
    found.index = static_cast<int>(entry.gid_index);
    if (entry.gid_type == IBV_GID_TYPE_ROCE_V2) break;
  }
  if (!ec && known_gids_.size() < most_remembered) known_gids_.push_back(found);
  return found.index;
}

void datagram_queues::give_back(std::uint64_t slot) noexcept {
  if (has_failed()) return waiting_slots_.push_back(slot);
  given_back_[given_back_count_++] = slot;
  if (given_back_count_ == receive_batch) post_given_back();
}

void datagram_queues::post_given_back() noexcept {
  if (has_failed()) {
    waiting_slots_.insert(waiting_slots_.end(), given_back_, given_back_ + given_back_count_);
    given_back_count_ = 0;
  }
  if (given_back_count_ == 0) return;
  ibv_recv_wr list[receive_batch] = {};
  ibv_sge pieces[receive_batch];
  for (unsigned i = 0; i != given_back_count_; ++i) {
    pieces[i].addr = reinterpret_cast<std::uintptr_t>(received(given_back_[i]));
    pieces[i].length = static_cast<std::uint32_t>(grh_size) + mtu_;
    pieces[i].lkey = region_.lkey();
    list[i].wr_id = given_back_[i];
    list[i].sg_list = &pieces[i];
    list[i].num_sge = 1;
    list[i].next = i + 1 != given_back_count_ ? &list[i + 1] : nullptr;
  }
  ibv_recv_wr* bad = nullptr;
  const int e = ::ibv_post_recv(queue_pair_.native_handle(), list, &bad);
  const unsigned posted = e == 0 ? given_back_count_ : static_cast<unsigned>(bad - list);
  receives_posted_ += posted;
  if (e != 0) {
    // Without its receives the socket would grow deaf. They are posted again when the queue pair begins anew.
    waiting_slots_.insert(waiting_slots_.end(), given_back_ + posted, given_back_ + given_back_count_);
    not_taken();
  }
  given_back_count_ = 0;
}

void datagram_queues::not_taken() noexcept {
  if (!has_failed()) failed_status_ = IBV_WC_GENERAL_ERR;
}

void datagram_queues::add_send(std::size_t bytes, const destination& to) noexcept {
  ibv_sge& piece = pieces_[batch_size_];
  piece.addr = reinterpret_cast<std::uintptr_t>(next_send());
  piece.length = static_cast<std::uint32_t>(bytes);
  piece.lkey = region_.lkey();
  ibv_send_wr& wr = batch_[batch_size_];
  wr = ibv_send_wr();
  wr.wr_id = ++posted_;
  wr.sg_list = &piece;
  wr.num_sge = 1;
  wr.opcode = IBV_WR_SEND;
  wr.send_flags = bytes <= inline_size_ ? unsigned{IBV_SEND_INLINE} : 0u;
  wr.wr.ud.ah = to.address;
  wr.wr.ud.remote_qpn = to.queue_pair;
  wr.wr.ud.remote_qkey = to.qkey;
  if (batch_size_ != 0) batch_[batch_size_ - 1].next = &wr;
  ++batch_size_;
}

int datagram_queues::post_sends(unsigned& lost) noexcept {
  lost = 0;
  if (batch_size_ == 0) return 0;
  // The last one's completion tells of all before it.
  batch_[batch_size_ - 1].send_flags |= IBV_SEND_SIGNALED;
  ibv_send_wr* bad = nullptr;
  const int e = ::ibv_post_send(queue_pair_.native_handle(), batch_, &bad);
  if (e != 0) {
    const auto sent = static_cast<std::size_t>(bad - batch_);
    lost = static_cast<unsigned>(batch_size_ - sent);
    posted_ -= lost;
    // What went out before it has no completion of its own, and there may be no next one.
    is_tail_silent_ = sent != 0;
    if (is_tail_silent_) not_taken();
  }
  batch_size_ = 0;
  return e;
}

unsigned datagram_queues::poll_sends() noexcept {
  ibv_wc wcs[16];
  unsigned total = 0;
  for (;;) {
    const int n = sends_.poll(wcs, 16);
    for (int i = 0; i < n; ++i) {
      completed_ = std::max(completed_, wcs[i].wr_id);
      if (wcs[i].status != IBV_WC_SUCCESS) count_failure(wcs[i]);
    }
    if (n > 0) total += static_cast<unsigned>(n);
    if (n < 16) return total;
  }
}

void datagram_queues::count_failure(const ibv_wc& wc) noexcept {
  // What is flushed after the first failure says nothing.
  if (has_failed() && wc.status == IBV_WC_WR_FLUSH_ERR) return;
  failed_status_ = wc.status;
  vendor_error_ = wc.vendor_err;
}

void datagram_queues::to_error() noexcept {
  error_code ec;
  queue_pair_.to_error(ec);
  is_failing_ = !ec;
}

bool datagram_queues::revive() noexcept {
  // Those without a completion are over when the receives have come back: both queues are flushed.
  if (receives_posted_ != 0 || batch_size_ != 0 || !(all_sent() || is_tail_silent_)) return false;
  error_code ec;
  queue_pair_.to_reset(ec);
  if (ec || make_datagrams_ready(queue_pair_, attributes_)) return false;
  completed_ = posted_;
  is_tail_silent_ = false;
  failed_status_ = IBV_WC_SUCCESS;
  is_failing_ = false;
  const std::vector<std::uint64_t> slots = std::exchange(waiting_slots_, {});
  for (const std::uint64_t slot : slots) give_back(slot);
  post_given_back();
  return !has_failed();
}

core::error datagram_queues::request(verbs::completion_queue& queue, bool& armed) noexcept {
  if (armed) return {};
  error_code ec;
  queue.request_notification(false, ec);
  armed = !ec;
  ++events_armed_;
  return io::to_error(ec);
}

core::error datagram_queues::arm(bool sends, bool& taken) noexcept {
  error_code ec;
  if (receives_armed_ || sends_armed_) {
    while (const ibv_cq* const queue = channel_.get_event(ec)) {
      const bool of_receives = queue == receives_.native_handle();
      (of_receives ? receives_ : sends_).count_event();
      (of_receives ? receives_armed_ : sends_armed_) = false;
      ++events_taken_;
      taken = true;
    }
    if (const core::error e = event_error(ec)) return e;
  }
  const core::error e = request(receives_, receives_armed_);
  return e || !sends ? e : request(sends_, sends_armed_);
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
