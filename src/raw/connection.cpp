// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "raw/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

using core::error;
using lock_type = std::lock_guard<std::mutex>;

namespace {

/// A device that refuses to flush what is posted is asked again.
constexpr std::chrono::milliseconds try_again{100};

}  // namespace

bool is_valid(const core::raw_settings& s) noexcept {
  const auto in = [](int value, int least, int most) { return value >= least && value <= most; };
  const bool known = in(static_cast<int>(s.transport), 0, 1) && in(static_cast<int>(s.setup), 0, 1);
  const bool mtu = s.mtu == 0 || s.mtu == 256 || s.mtu == 512 || s.mtu == 1024 || s.mtu == 2048 || s.mtu == 4096;
  return known && mtu && s.send_depth > 0 && s.receive_depth > 0 && s.send_sge > 0 && s.receive_sge > 0 &&
         in(s.read_depth, 0, 255) && in(s.ack_timeout, 0, 31) && in(s.retry_count, 0, 7) && in(s.rnr_retry, 0, 7) &&
         in(s.traffic_class, -1, 255) && in(s.service_level, -1, 15) && in(s.hop_limit, 0, 255) &&
         in(s.port, 0, 255) && in(s.gid_index, -1, 255) && s.completion_vector >= 0 && s.setup_timeout > 0;
}

error connection::open_notifier() noexcept {
  return notifier_.open() ? error() : error(errno);
}

void connection::start_deadline() {
  stop_deadline();
  deadline_ = io::background::instance().after(
      std::chrono::milliseconds(settings_.setup_timeout), [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        const lock_type lock(self->mutex_);
        // One that was stopped in the very moment finds another phase, or the next step's deadline later than now.
        const bool pending = self->phase_ == phase::opening || self->phase_ == phase::establishing;
        if (pending && self->deadline_.when <= io::background::clock::now()) self->fail(error(ETIMEDOUT));
      });
}

void connection::stop_deadline() noexcept {
  io::background::instance().cancel(deadline_);
}

void connection::become_prepared() noexcept {
  stop_deadline();
  phase_ = phase::prepared;
  notifier_.signal();
}

void connection::become_established() noexcept {
  stop_deadline();
  queues_.look_at_path();
  phase_ = phase::established;
  notifier_.signal();
}

void connection::fail(const error& e) noexcept {
  if (phase_ == phase::closed || phase_ == phase::failed) return;
  stop_deadline();
  const bool has_user = phase_ != phase::opening;
  phase_ = phase::failed;
  error_ = e;
  disconnect();
  // Receives may be posted, so that the queues are left for close().
  if (has_user) {
    give_back_requests();
  } else {
    queues_.destroy();
  }
  notifier_.signal();
}

void connection::end(const error& e) noexcept {
  if (phase_ != phase::established || error_) return;
  error_ = e;
  // On rxe of Linux 6.1 a disconnect flushes nothing.
  give_back_requests();
}

void connection::give_back_requests() noexcept {
  if (!queues_.to_error()) return;
  // Who waits for them would wait for ever.
  io::background::instance().after(try_again, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    const lock_type lock(self->mutex_);
    if (self->phase_ != phase::closed) self->give_back_requests();
  });
}

error connection::prepared() noexcept {
  const lock_type lock(mutex_);
  switch (phase_) {
    case phase::opening:
      notifier_.clear();
      return error(EAGAIN);
    case phase::failed:
      return error_;
    case phase::closed:
      return error(EBADF);
    default:
      return {};
  }
}

error connection::offer(const core::raw_memory& memory) noexcept {
  const lock_type lock(mutex_);
  if (phase_ == phase::opening) return error(ENOTCONN);
  if (phase_ != phase::prepared) return error(EISCONN);
  offered_ = memory;
  return {};
}

error connection::establish() noexcept {
  const lock_type lock(mutex_);
  switch (phase_) {
    case phase::opening:
      return error(ENOTCONN);
    case phase::establishing:
      return error(EALREADY);
    case phase::established:
      return error(EISCONN);
    case phase::failed:
      return error_;
    case phase::closed:
      return error(EBADF);
    case phase::prepared:
      break;
  }
  phase_ = phase::establishing;
  start_deadline();
  if (const error e = start_establishing()) fail(e);
  return phase_ == phase::failed ? error_ : error();
}

error connection::established() noexcept {
  const lock_type lock(mutex_);
  switch (phase_) {
    case phase::established:
      return {};
    case phase::failed:
      return error_;
    case phase::closed:
      return error(EBADF);
    case phase::prepared:
      return error(ENOTCONN);
    default:
      notifier_.clear();
      return error(EAGAIN);
  }
}

error connection::ended() noexcept {
  const lock_type lock(mutex_);
  if (phase_ == phase::closed) return error(EBADF);
  return phase_ == phase::established || phase_ == phase::failed ? error_ : error(ENOTCONN);
}

error connection::flush() noexcept {
  const lock_type lock(mutex_);
  if (phase_ == phase::closed) return error(EBADF);
  if (!queues_ && phase_ != phase::opening) return error(ENOTCONN);
  if (phase_ == phase::established) {
    end(error(ECONNABORTED));
    disconnect();
  } else {
    fail(error(ECONNABORTED));
  }
  return {};
}

void connection::close() noexcept {
  const lock_type lock(mutex_);
  if (phase_ == phase::closed) return;
  stop_deadline();
  if (phase_ != phase::failed) disconnect();
  phase_ = phase::closed;
  remote_handle_.reset();
  queues_.destroy();
  notifier_.reset();
}

error connection::arm(bool solicited_only) noexcept {
  const lock_type lock(mutex_);
  if (!queues_) return error(ENOTCONN);
  const error e = queues_.arm(solicited_only);
  // On rxe of Linux 6.1, what is posted when the queue pair has failed already is flushed by the next transition only.
  if (!e && error_) give_back_requests();
  return e;
}

error connection::take_events() noexcept {
  const lock_type lock(mutex_);
  return queues_ ? queues_.take_events() : error(ENOTCONN);
}

core::raw_objects connection::objects() const noexcept {
  const lock_type lock(mutex_);
  core::raw_objects result = queues_.objects();
  result.id = native_id();
  return result;
}

core::raw_limits connection::limits() const noexcept {
  const lock_type lock(mutex_);
  core::raw_limits result = queues_.limits();
  result.peer_receive_depth = peer_receive_depth_;
  return result;
}

core::raw_memory connection::remote_memory() const noexcept {
  const lock_type lock(mutex_);
  return remote_memory_;
}

core::raw_address connection::remote_queue() const noexcept {
  const lock_type lock(mutex_);
  return remote_queue_;
}

error connection::local_address(sockaddr_storage& result) const noexcept {
  const lock_type lock(mutex_);
  result = local_;
  return local_.ss_family != 0 ? error() : error(ENOTCONN);
}

error connection::remote_address(sockaddr_storage& result) const noexcept {
  const lock_type lock(mutex_);
  result = remote_;
  return remote_.ss_family != 0 ? error() : error(ENOTCONN);
}

std::shared_ptr<io::device_domain> connection::device() const noexcept {
  const lock_type lock(mutex_);
  return queues_.device();
}

checker::facts connection::facts() const noexcept {
  checker::facts f;
  f.domain = queues_.objects().domain;
  f.reliable = is_reliable();
  f.limits = queues_.limits();
  f.remote = remote_memory_;
  return f;
}

error connection::make_remote_queue(const path& p, const transfer::link_record& peer) {
  if (const error e = p.make_address(queues_, peer, remote_handle_)) return e;
  remote_queue_.handle = remote_handle_.native_handle();
  return {};
}

io::connection_path connection::wish() const noexcept {
  io::connection_path w;
  w.ack_timeout = settings_.ack_timeout;
  w.retry_count = settings_.retry_count;
  w.rnr_retry = settings_.rnr_retry;
  w.traffic_class = settings_.traffic_class;
  w.service_level = settings_.service_level;
  w.hop_limit = settings_.hop_limit;
  w.gid_index = settings_.gid_index;
  w.access = queues_.device()->all_access();
  return w;
}

transfer::raw_greeting connection::greeting() const noexcept {
  transfer::raw_greeting g;
  g.receive_depth = static_cast<std::uint16_t>(std::min(queues_.limits().receive_depth, 65535u));
  g.address = offered_.address;
  g.length = offered_.length;
  g.key = offered_.key;
  if (!is_reliable()) {
    g.queue_pair = queues_.queue_pair().number();
    g.qkey = RDMA_UDP_QKEY;
  }
  return g;
}

void connection::take_greeting(const transfer::raw_greeting& g) noexcept {
  peer_receive_depth_ = g.receive_depth;
  remote_memory_ = {g.address, g.length, g.key};
  remote_queue_.queue_pair = g.queue_pair;
  remote_queue_.qkey = g.qkey;
}

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma
