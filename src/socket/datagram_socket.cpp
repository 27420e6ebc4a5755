// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "socket/datagram_socket.hpp"

#include "io/verbs_error.hpp"
#include "log/log.hpp"
#include "options/defaults.hpp"
#include "socket/address.hpp"
#include "socket/carrier.hpp"
#include "socket/exit_drain.hpp"
#include "socket/path_wish.hpp"
#include "socket/registry.hpp"
#include "verbs/local_addresses.hpp"

#include <asio_rdma/verbs/device_list.hpp>

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace core {

using verbs::error_code;

namespace {

/// The kernel's own limit (rdma_ucm's max_backlog) for questions that the internal thread has not seen yet.
constexpr int kernel_backlog = 1024;

/// What was handed over and has not left the device is given up so long after close(), where the option linger says
/// nothing. The peers that were looked for have been found by then, or never will.
constexpr std::chrono::milliseconds default_linger{6000};

constexpr std::chrono::milliseconds shortest_look{1};
constexpr std::chrono::milliseconds longest_look{32};

bool watch(const io::unique_fd& epoll, int fd) noexcept {
  epoll_event event{};
  event.events = EPOLLIN;
  return ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

/// Bytes of the largest packet that a port takes which is up, 0 if none is.
std::uint32_t smallest_mtu(const verbs::context& device, std::uint32_t smallest, error_code& ec) noexcept {
  const ibv_device_attr attributes = device.query_device(ec);
  if (ec) return smallest;
  for (int port = 1; port <= attributes.phys_port_cnt; ++port) {
    const ibv_port_attr a = device.query_port(static_cast<std::uint8_t>(port), ec);
    if (ec || a.state != IBV_PORT_ACTIVE) continue;
    const std::uint32_t mtu = 128u << a.active_mtu;
    if (smallest == 0 || mtu < smallest) smallest = mtu;
  }
  return smallest;
}

}  // namespace

datagram_socket::datagram_socket(int family, const settings& s) : family_(family), settings_(s) {
  bound_.ss_family = static_cast<sa_family_t>(family);
  local_ = bound_;
}

error datagram_socket::state() const noexcept {
  return closed_ ? error(EBADF) : error();
}

error datagram_socket::open_devices() {
  if (service_) return {};
  if (const error e = check_defaults()) return e;
  if (!devices_.table) {
    if (const error e = choose_device(settings_.device, devices_)) return e;
  }
  if (const error e = open_descriptors()) return e;
  return cm::service::instance(*devices_.table, service_);
}

error datagram_socket::open_descriptors() {
  if (!notifier_.open()) return error(errno);
  if (!channels_) channels_ = io::unique_fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!channels_) return error(errno);
  if (descriptor_) return {};
  io::unique_fd both(::epoll_create1(EPOLL_CLOEXEC));
  if (!both || !watch(both, channels_.get()) || !watch(both, notifier_.fd())) return error(errno);
  descriptor_ = std::move(both);
  return {};
}

error datagram_socket::bind(const sockaddr* address, socklen_t size) {
  const lock_type lock(mutex_);
  if (const error e = state()) return e;
  if (is_bound_) return error(EINVAL);
  sockaddr_storage asked;
  if (!copy_address(address, size, asked)) return error(EINVAL);
  if (asked.ss_family != family_) return error(EAFNOSUPPORT);
  failure_.set_peer(asked);
  const error e = bind_to(asked);
  if (e) failure_.set(e, failure_step::bind);
  return e;
}

error datagram_socket::bind_if_unbound() {
  if (is_bound_) return {};
  sockaddr_storage any{};
  any.ss_family = static_cast<sa_family_t>(family_);
  const error e = bind_to(any);
  if (e) failure_.set(e, failure_step::bind);
  return e;
}

error datagram_socket::bind_to(const sockaddr_storage& asked) {
  if (const error e = open_devices()) return e;
  // One that is bound to a group hears that group alone, as with Linux' UDP.
  sockaddr_storage here = asked;
  if (is_multicast(asked)) {
    here = sockaddr_storage{};
    here.ss_family = asked.ss_family;
    set_port(here, port_of(asked));
  }
  sockaddr_storage carried;
  if (const error e = carrier_of(devices_, here, carried)) return e;
  if (const error e = service_->create_id(shared_from_this(), id_, RDMA_PS_UDP)) return e;
  const bool shares = settings_[option::reuse_address] != 0 && port_of(asked) != 0;
  error_code ec;
  id_.reuse_address(shares, ec);
  if (family_ == AF_INET6) id_.v6_only(settings_[option::v6_only] != 0, ec);
  id_.bind(as_sockaddr(carried), ec);
  error e = explain_bind_error(devices_, io::to_error(ec), carried);
  if (!e && id_.context()) e = check_device(devices_, id_.context().name(), carried);
  if (!e) {
    bound_ = asked;
    set_port(bound_, id_.source_port());
    e = listen(carried);
  }
  // The connection manager lets one id at a time listen. Sockets that share a port have no need to: they hear groups,
  // and answers.
  const bool is_taken = e == error(EADDRINUSE) || (e == error(EADDRNOTAVAIL) && is_any(carried));
  if (e) service_->destroy(std::move(id_));
  if (e && !(shares && is_taken)) return e;
  if (e) bound_ = asked;
  local_ = bound_;
  is_bound_ = true;
  enter_registry();
  return {};
}

error datagram_socket::listen(const sockaddr_storage& carried) {
  queues* ignored = nullptr;
  if (!is_any(carried) && id_.context()) {
    if (const error e = find_queues(id_, ignored)) return e;
  }
  error_code ec;
  id_.listen(kernel_backlog, ec);
  return io::to_error(ec);
}

error datagram_socket::find_queues(const verbs::cm_id_ref& id, queues*& result) {
  if (!id.context()) return library_error::no_device;
  for (const auto& q : queues_) {
    if (q->context() == id.context().native_handle() && q->port() == id.port()) {
      result = q.get();
      return {};
    }
  }
  queues::sizes sizes;
  sizes.receive_bytes = static_cast<unsigned>(settings_[option::receive_buffer_size]);
  sizes.send_bytes = static_cast<unsigned>(settings_[option::send_buffer_size]);
  sizes.receive_depth = sizes.send_depth = static_cast<unsigned>(settings_[option::queue_depth]);
  sizes.inline_size = static_cast<unsigned>(settings_[option::inline_size]);
  auto made = std::make_unique<queues>();
  if (const error e = made->create(id, sizes, wish_of(settings_))) return e;
  if (!watch(channels_, made->fd())) return error(errno);
  failure_.set_device(id.context().name());
  bool taken = false;
  if (const error e = made->arm(false, taken)) return e;
  result = made.get();
  queues_.push_back(std::move(made));
  return {};
}

error datagram_socket::largest_payload(std::size_t& result) {
  if (!queues_.empty()) {
    std::uint32_t smallest = queues_.front()->mtu();
    for (const auto& q : queues_) smallest = std::min(smallest, q->mtu());
    result = smallest - transfer::datagram_header::size;
    return {};
  }
  if (device_payload_ == 0) {
    if (const error e = open_devices()) return e;
    error_code ec, first;
    const verbs::device_list list = verbs::device_list::get(ec, *devices_.table);
    if (ec) return io::to_error(ec);
    std::uint32_t smallest = 0;
    for (ibv_device* const device : list) {
      if (!devices_.allows(list.name(device))) continue;
      const verbs::context opened = verbs::context::open(device, ec, *devices_.table);
      if (!ec) smallest = smallest_mtu(opened, smallest, ec);
      if (!first) first = ec;
    }
    if (smallest == 0) return first ? io::to_error(first) : library_error::no_device;
    device_payload_ = smallest - transfer::datagram_header::size;
  }
  result = device_payload_;
  return {};
}

error datagram_socket::maximum_payload(std::size_t& bytes) {
  const lock_type lock(mutex_);
  bytes = 0;
  if (const error e = state()) return e;
  return largest_payload(bytes);
}

// --- the other ends of waiting

error datagram_socket::not_yet() noexcept {
  threads_.tried_in_vain();
  return error(EAGAIN);
}

error datagram_socket::take_pending_error() noexcept {
  return std::exchange(pending_error_, error());
}

void datagram_socket::wake_everybody() noexcept {
  changed_ = true;
  notifier_.signal();
  threads_.wake_all();
}

bool datagram_socket::arm(bool& taken) noexcept {
  error result;
  for (const auto& q : queues_) {
    if (const error e = q->arm(wants_send_slot_ || q->has_failed(), taken)) result = e;
  }
  if (!result) return false;
  failure_.set(result, failure_step::transfer, "completions cannot be waited for");
  pending_error_ = result;
  threads_.wake_all();
  return true;
}

bool datagram_socket::spin(lock_type& lock) noexcept {
  return spinner_.run(settings_[option::busy_poll], lock, [this] { return progress(); },
                      [this] { return closed_ || changed_ || static_cast<bool>(pending_error_); });
}

int datagram_socket::prepare_wait() noexcept {
  lock_type lock(mutex_);
  if (closed_) return -1;
  owner_waits_ = true;
  // One that is not bound has nothing to wait for yet, and gets its port now.
  if (const error e = bind_if_unbound()) {
    pending_error_ = e;
    return -1;
  }
  if (threads_.changed_since_attempts() || spin(lock) || closed_) return -1;
  bool taken = false;
  if (arm(taken) || progress()) return -1;
  if (std::exchange(changed_, false)) {
    notifier_.clear();
    return -1;
  }
  ++counters_.descriptor_waits;
  return descriptor_.get();
}

void datagram_socket::end_wait() noexcept {
  const lock_type lock(mutex_);
  owner_waits_ = false;
}

void datagram_socket::wait() noexcept {
  lock_type lock(mutex_);
  if (closed_ || pending_error_) return;
  if (const error e = bind_if_unbound()) {
    pending_error_ = e;
    return;
  }
  if (spin(lock) || closed_) return;
  // The event may have been meant for the owner, whom the caller looks after once this returns.
  bool taken = false;
  if (arm(taken) || progress() || (taken && owner_waits_)) return;
  if (threads_.sleep(lock, channels_.get())) ++counters_.thread_sleeps;
}

void datagram_socket::look_after_soon() noexcept {
  if (std::exchange(look_after_scheduled_, true)) return;
  io::background::instance().after(look_after_delay_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->look_after();
  });
}

/// The internal thread's part: datagrams that were taken over and could not be sent yet.
void datagram_socket::look_after() noexcept {
  const lock_type lock(mutex_);
  look_after_scheduled_ = false;
  if (torn_down_) return;
  ++counters_.background_turns;
  const bool any = progress();
  if (any && !closed_) wake_everybody();
  look_after_delay_ = any ? shortest_look : std::min(look_after_delay_ * 2, longest_look);
  if (closed_ && (has_drained() || clock::now() >= linger_until_)) return teardown();
  if (closed_ || has_backlog_) look_after_soon();
}

bool datagram_socket::has_drained() noexcept {
  return waiting() == 0 && std::all_of(queues_.begin(), queues_.end(),
                                       [](const auto& q) { return q->all_sent() || q->has_failed(); });
}

bool datagram_socket::drain() noexcept {
  const lock_type lock(mutex_);
  if (torn_down_) return true;
  progress();
  return has_drained();
}

void datagram_socket::close() noexcept {
  const lock_type lock(mutex_);
  if (closed_) return;
  progress();
  closed_ = true;
  owner_waits_ = false;
  threads_.wake_all();
  // At once, so that the port is free when this returns.
  if (id_) service_->destroy(std::move(id_));
  for (const arrival& a : arrived_) {
    ++datagrams_.dropped_closed;
    a.from_queues->give_back(a.slot);
  }
  arrived_.clear();
  const int seconds = settings_[option::linger];
  linger_until_ = clock::now() + (seconds < 0 ? default_linger : std::chrono::seconds(seconds));
  look_after_delay_ = shortest_look;
  if (seconds != 0 && !has_drained()) return look_after_soon();
  if (!service_) return teardown();
  io::background::instance().post([self = shared_from_this()] {
    const lock_type later(self->mutex_);
    self->teardown();
  });
}

void datagram_socket::teardown() noexcept {
  if (std::exchange(torn_down_, true)) return;
  leave_registry();
  for (datagram_peer& p : peers_) {
    end_lookup(p);
    if (p.lookup) p.lookup->end();
  }
  for (membership& m : groups_) end_membership(m);
  retired_.clear();
  peers_.clear();
  groups_.clear();
  queues_.clear();
  descriptor_.reset();
  channels_.reset();
  notifier_.reset();
}

// --- what there is to know

error datagram_socket::local_address(sockaddr_storage& result) noexcept {
  const lock_type lock(mutex_);
  result = local_;
  return state();
}

error datagram_socket::remote_address(sockaddr_storage& result) noexcept {
  const lock_type lock(mutex_);
  if (const error e = state()) return e;
  if (!is_connected_) return error(ENOTCONN);
  result = family_ == AF_INET6 ? mapped(remote_) : remote_;
  return {};
}

bool datagram_socket::is_bound() noexcept {
  const lock_type lock(mutex_);
  return is_bound_;
}

void datagram_socket::apply(const settings& s) noexcept {
  const lock_type lock(mutex_);
  settings_ = s;
}

int datagram_socket::get_option(option name) noexcept {
  const lock_type lock(mutex_);
  if (!queues_.empty()) {
    if (name == option::queue_depth) return static_cast<int>(queues_.front()->receive_depth());
    if (name == option::inline_size) return static_cast<int>(queues_.front()->inline_size());
  }
  return settings_[name];
}

void datagram_socket::last_failure(failure& result) noexcept {
  const lock_type lock(mutex_);
  result = failure_.get();
}

std::size_t datagram_socket::device_name(char* buffer, std::size_t size) noexcept {
  const lock_type lock(mutex_);
  return static_cast<std::size_t>(std::snprintf(buffer, size, "%s", failure_.get().device));
}

void* datagram_socket::native_id() noexcept {
  const lock_type lock(mutex_);
  return id_.native_handle();
}

void datagram_socket::statistics(socket_statistics& result) noexcept {
  const lock_type lock(mutex_);
  if (!torn_down_) progress();
  collect(result);
}

std::uint64_t datagram_socket::waiting() noexcept {
  std::uint64_t result = 0;
  if (waiting_bytes_ == 0) return 0;
  for (const datagram_peer& p : peers_) result += p.waiting.size();
  return result;
}

void datagram_socket::collect(socket_statistics& result) noexcept {
  result.number = number_;
  result.is_datagram = true;
  result.state = torn_down_      ? connection_state::closed
                 : closed_       ? connection_state::lingering
                 : is_connected_ ? connection_state::established
                                 : connection_state::unconnected;
  result.sending_ended = sending_ended_;
  if (is_bound_) result.local = local_;
  if (is_connected_) result.remote = family_ == AF_INET6 ? mapped(remote_) : remote_;
  std::memcpy(result.device, failure_.get().device, sizeof result.device);
  result.counters = counters_;
  result.datagrams = datagrams_;
  result.datagrams.peers = peers_.size();
  result.datagrams.groups = groups_.size();
  result.datagrams.waiting = waiting();
  result.datagrams.unread = arrived_.size();
  for (const arrival& a : arrived_) result.levels.receive_buffer_used += a.bytes;
  result.levels.send_buffer_unsent = waiting_bytes_;
  for (const auto& q : queues_) {
    result.port = q->port();
    result.path_mtu = q->mtu();
    result.queue_pair = q->number();
    result.counters.events_armed += q->events_armed();
    result.counters.events_taken += q->events_taken();
    result.levels.receive_buffer_size += std::uint64_t{q->receive_depth()} * q->mtu();
    result.levels.send_buffer_size += std::uint64_t{q->send_depth()} * q->mtu();
    result.levels.receive_queue_depth += q->receive_depth();
    result.levels.send_queue_depth += q->send_depth();
    result.levels.send_queue_used += q->posted() - q->completed();
    result.levels.registered_memory += q->registered();
  }
  result.last_error = failure_.get().code;
  std::memcpy(result.failure, failure_.get().text, sizeof result.failure);
}

void datagram_socket::enter_registry() {
  number_ = registry::instance().add(shared_from_this());
  registered_ = true;
  drain_at_exit();  // the first datagram may still wait for its peer then
}

void datagram_socket::leave_registry() noexcept {
  if (!std::exchange(registered_, false)) return;
  socket_statistics last;
  collect(last);
  last.levels = stream_levels();
  registry::instance().remove_datagrams(last);
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
