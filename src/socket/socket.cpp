// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include <asio_rdma/detail/core/device.hpp>
#include <asio_rdma/detail/core/socket.hpp>

#include "cm/service.hpp"
#include "device/choice.hpp"
#include "io/forked.hpp"
#include "io/verbs_error.hpp"
#include "options/defaults.hpp"
#include "socket/address.hpp"
#include "socket/carrier.hpp"
#include "socket/connection.hpp"
#include "socket/datagram_socket.hpp"
#include "socket/failure_record.hpp"
#include "socket/listener.hpp"
#include "socket/registry.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// What a socket is now: unbound, bound, a listener or a connection; or, for ever, a datagram socket. Its mutex guards
/// the change from one to the other; the operations themselves run under the listener's or the connection's.
class socket_impl {
public:
  explicit socket_impl(int family, transfer::mode mode = transfer::mode::stream)
      : family_(family), mode_(mode), id_(next_id()), settings_(default_settings()) {
    bound_.ss_family = static_cast<sa_family_t>(family);
  }
  ~socket_impl() { close(); }

  static socket make(socket_impl* impl) noexcept { return socket(impl); }
  void become_datagram() { datagram_ = std::make_shared<datagram_socket>(family_, settings_); }
  static socket make_accepted(std::shared_ptr<connection> c, const socket_impl& listener) {
    socket s(new socket_impl(listener.family_, listener.mode_));
    s.impl_->connection_ = std::move(c);
    return s;
  }

  std::atomic<unsigned> references{1};

  std::uint64_t id() const noexcept { return id_; }
  int family() const noexcept { return family_; }

  std::shared_ptr<connection> get_connection() const noexcept {
    if (io::forked()) return nullptr;
    const std::lock_guard<std::mutex> lock(mutex_);
    return connection_;
  }
  std::shared_ptr<listener> get_listener() const noexcept {
    if (io::forked()) return nullptr;
    const std::lock_guard<std::mutex> lock(mutex_);
    return listener_;
  }
  /// It stays the same for ever, so that no lock is needed.
  datagram_socket* get_datagram() const noexcept { return io::forked() ? nullptr : datagram_.get(); }
  /// Why nothing can be done with it, if so.
  error state() const noexcept {
    if (io::forked()) return library_error::forked;
    const std::lock_guard<std::mutex> lock(mutex_);
    return closed_ ? error(EBADF) : error();
  }
  /// Why there is no connection to do something with.
  error no_connection() const noexcept {
    const error e = state();
    return e ? e : error(ENOTCONN);
  }

  /// Why nothing can be done with datagrams.
  error no_datagrams() const noexcept {
    const error e = state();
    return e ? e : error(EOPNOTSUPP);
  }

  error bind(const sockaddr* address, socklen_t size) {
    if (io::forked()) return library_error::forked;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return error(EBADF);
    if (datagram_) return datagram_->bind(address, size);
    if (is_bound_ || connection_ || listener_) return error(EINVAL);
    sockaddr_storage asked;
    if (!copy_address(address, size, asked)) return error(EINVAL);
    if (asked.ss_family != family_) return error(EAFNOSUPPORT);
    failure_.set_peer(asked);
    const error e = bind_to(asked);
    if (e) failure_.set(e, failure_step::bind);
    return e;
  }

  error listen(int backlog) {
    if (io::forked()) return library_error::forked;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return error(EBADF);
    if (datagram_) return error(EOPNOTSUPP);
    if (connection_) return error(EINVAL);
    if (listener_) {
      listener_->set_backlog(backlog);
      return {};
    }
    error e;
    if (!is_bound_) {
      const sockaddr_storage any = bound_;
      e = bind_to(any);
    }
    if (!e) {
      auto made = std::make_shared<listener>(mode_, settings_, bound_, devices_);
      e = made->listen(std::move(cm_id_), service_, backlog);
      if (!e) listener_ = std::move(made);
    }
    if (e) failure_.set(e, failure_step::listen);
    return e;
  }

  error connect(const sockaddr* address, socklen_t size) {
    if (io::forked()) return library_error::forked;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return error(EBADF);
    if (datagram_) return datagram_->connect(address, size);
    if (listener_) return error(EOPNOTSUPP);
    if (address && address->sa_family != family_) return error(EAFNOSUPPORT);
    if (connection_) {
      const error state = connection_->connect_result();
      if (!state) return error(EISCONN);
      if (state == error(EAGAIN)) return error(EALREADY);
    }
    if (!cm_id_) {
      // A bound socket stays bound after a failed connect, as TCP's does.
      const sockaddr_storage asked = bound_;
      const error e = is_bound_ ? bind_to(asked) : make_id();
      if (e) {
        failure_.set(e, failure_step::open_device);
        registry::instance().count_failed_connect();
        return e;
      }
    }
    connection_ = std::make_shared<connection>(mode_, settings_, devices_);
    return connection_->connect(std::move(cm_id_), service_, address, size);
  }

  void cancel_connect() noexcept {
    if (io::forked()) return;
    std::shared_ptr<connection> c;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      c = std::move(connection_);
    }
    if (c) c->close();
  }

  void close() noexcept {
    if (io::forked()) return;
    std::shared_ptr<connection> c;
    std::shared_ptr<listener> l;
    verbs::cm_id id;
    std::shared_ptr<cm::service> service;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (closed_) return;
      closed_ = true;
      c = connection_;
      l = listener_;
      id = std::move(cm_id_);
      service = service_;
    }
    if (c) c->close();
    if (l) l->close();
    if (datagram_) datagram_->close();
    if (id) service->destroy(std::move(id));
  }

  error set_option(option name, int value) noexcept {
    if (io::forked()) return library_error::forked;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return error(EBADF);
    const option_entry* const o = find_option(name);
    if (o == nullptr || !has_option(name)) return error(ENOPROTOOPT);
    if (is_too_late(o->deadline)) return error(EINVAL);
    if (const error e = settings_.set(name, value)) return e;
    if (connection_) (void)connection_->set_option(name, value);
    if (listener_) listener_->set_option(name, value);
    if (datagram_) datagram_->apply(settings_);
    return {};
  }

  error get_option(option name, int& value) const noexcept {
    if (io::forked()) return library_error::forked;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return error(EBADF);
    const option_entry* const o = find_option(name);
    if (o == nullptr || o->type == option_type::policy || !has_option(name)) return error(ENOPROTOOPT);
    value = connection_ ? connection_->get_option(name)
            : datagram_ ? datagram_->get_option(name)
                        : settings_[name];
    return {};
  }

  error set_text_option(option name, const char* text) {
    if (io::forked()) return library_error::forked;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return error(EBADF);
    const option_entry* const o = find_option(name);
    if (o == nullptr || o->type != option_type::policy) return error(ENOPROTOOPT);
    if (is_too_late(o->deadline)) return error(EINVAL);
    device_choice choice;
    if (*text != '\0') {
      if (const error e = choose_device(text, choice)) return e;
    }
    settings_.device = text;
    if (datagram_) datagram_->apply(settings_);
    return {};
  }

  error get_text_option(option name, char* buffer, std::size_t size, std::size_t& length) const {
    if (io::forked()) return library_error::forked;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return error(EBADF);
    const option_entry* const o = find_option(name);
    if (o == nullptr || o->type != option_type::policy) return error(ENOPROTOOPT);
    length = connection_ ? connection_->device_name(buffer, size)
             : datagram_ ? datagram_->device_name(buffer, size)
                         : 0;
    if (length != 0) return {};
    if (settings_.device.empty()) {
      length = device_policy(buffer, size);
    } else {
      length = settings_.device.size();
      std::snprintf(buffer, size, "%s", settings_.device.c_str());
    }
    return {};
  }

  error local_address(sockaddr_storage& result) const noexcept {
    if (io::forked()) return library_error::forked;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return error(EBADF);
    if (datagram_) return datagram_->local_address(result);
    if (connection_ && !connection_->connect_result()) return connection_->local_address(result);
    result = bound_;
    return {};
  }

  void last_failure(failure& result) const noexcept {
    if (io::forked()) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (datagram_) return datagram_->last_failure(result);
    result = failure_.get();
    if (connection_ && result.step == failure_step::none) connection_->last_failure(result);
  }

  std::size_t device_name(char* buffer, std::size_t size) const noexcept {
    std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
    if (!io::forked()) lock.lock();
    if (lock && datagram_) return datagram_->device_name(buffer, size);
    if (lock && connection_) return connection_->device_name(buffer, size);
    std::snprintf(buffer, size, "%s", "");
    return 0;
  }

  void statistics(socket_statistics& result) const noexcept {
    if (io::forked()) {
      result.state = connection_state::closed;
      return;
    }
    if (datagram_) return datagram_->statistics(result);
    const auto c = get_connection();
    const auto l = get_listener();
    if (c) {
      c->statistics(result);
    } else if (l) {
      l->statistics(result);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!c && !l) {
      result.state = closed_ ? connection_state::closed : connection_state::unconnected;
      result.local = is_bound_ ? bound_ : sockaddr_storage{};
    }
    // As last_failure() has it: what failed before there was a connection comes first.
    const failure& own = failure_.get();
    if (own.step == failure_step::none) return;
    result.last_error = own.code;
    std::memcpy(result.failure, own.text, sizeof result.failure);
  }

  void* native_id() const noexcept {
    if (io::forked()) return nullptr;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (datagram_) return datagram_->native_id();
    if (connection_) return connection_->native_id();
    if (listener_) return listener_->native_id();
    return cm_id_.native_handle();
  }

private:
  static std::uint64_t next_id() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  /// Streams know nothing of multicast, as TCP does not.
  bool has_option(option name) const noexcept {
    return datagram_ || name < option::multicast_loopback || name > option::multicast_interface_v6;
  }

  /// After a connect that failed there is another try.
  bool has_connection() const noexcept {
    if (!connection_) return false;
    const error e = connection_->connect_result();
    return !e || e == error(EAGAIN);
  }

  bool is_too_late(option_deadline deadline) const noexcept {
    switch (deadline) {
      case option_deadline::none:
        return false;
      case option_deadline::connection:
        return has_connection() || listener_ || (datagram_ && datagram_->is_bound());
      case option_deadline::bind:
        break;
    }
    if (datagram_) return datagram_->is_bound();
    return is_bound_ || connection_ || listener_;
  }

  error make_id() {
    if (const error e = check_defaults()) return e;
    // The first time decides: a socket that failed to connect stays with its devices.
    if (!devices_.table) {
      if (const error e = choose_device(settings_.device, devices_)) return e;
    }
    if (const error e = cm::service::instance(*devices_.table, service_)) return e;
    return service_->create_id(nullptr, cm_id_);
  }

  error bind_to(const sockaddr_storage& asked) {
    error e = make_id();
    if (e) return e;
    verbs::error_code ec;
    cm_id_.reuse_address(settings_[option::reuse_address] != 0, ec);
    if (family_ == AF_INET6) cm_id_.v6_only(settings_[option::v6_only] != 0, ec);
    sockaddr_storage carried;
    e = carrier_of(devices_, asked, carried);
    if (!e) {
      cm_id_.bind(as_sockaddr(carried), ec);
      e = explain_bind_error(devices_, io::to_error(ec), carried);
    }
    // An address that is not specific binds to no device; the listener looks at each request.
    if (!e && cm_id_.context()) e = check_device(devices_, cm_id_.context().name(), carried);
    if (e) {
      service_->destroy(std::move(cm_id_));
      return e;
    }
    bound_ = asked;
    set_port(bound_, cm_id_.source_port());
    is_bound_ = true;
    return {};
  }

  mutable std::mutex mutex_;
  const int family_;
  const transfer::mode mode_;
  const std::uint64_t id_;
  settings settings_;
  bool closed_ = false;
  bool is_bound_ = false;
  sockaddr_storage bound_{};  // as the user asked, with the port chosen
  device_choice devices_;     // no table before the first use
  std::shared_ptr<cm::service> service_;
  verbs::cm_id cm_id_;  // until it goes to a listener or a connection
  std::shared_ptr<connection> connection_;
  std::shared_ptr<listener> listener_;
  std::shared_ptr<datagram_socket> datagram_;
  failure_record failure_;
};

socket::socket(const socket& other) noexcept : impl_(other.impl_) {
  if (impl_) impl_->references.fetch_add(1, std::memory_order_relaxed);
}

socket::socket(socket&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}

socket& socket::operator=(socket other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

socket::~socket() {
  // What a forked child lets go of is the parent's, and stays as it was.
  if (impl_ && !io::forked() && impl_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete impl_;
}

bool socket::is_lost() noexcept {
  return io::forked();
}

namespace {

error open_connected(int family, transfer::mode mode, socket& result) noexcept {
  if (io::forked()) return library_error::forked;
  if (family != AF_INET && family != AF_INET6) return error(EAFNOSUPPORT);
  try {
    result = socket_impl::make(new socket_impl(family, mode));
    return {};
  } catch (const std::bad_alloc&) {
    return error(ENOMEM);
  }
}

}  // namespace

error socket::open_stream(int family, socket& result) noexcept {
  return open_connected(family, transfer::mode::stream, result);
}

error socket::open_messages(int family, socket& result) noexcept {
  return open_connected(family, transfer::mode::message, result);
}

error socket::open_datagram(int family, socket& result) noexcept {
  const error e = open_stream(family, result);
  try {
    if (!e) result.impl_->become_datagram();
    return e;
  } catch (const std::bad_alloc&) {
    result = socket();
    return error(ENOMEM);
  }
}

error socket::bind(const sockaddr* address, socklen_t size) noexcept {
  return impl_->bind(address, size);
}
error socket::listen(int backlog) noexcept {
  return impl_->listen(backlog);
}
error socket::connect(const sockaddr* address, socklen_t size) noexcept {
  return impl_->connect(address, size);
}

error socket::accept(socket& peer) noexcept {
  const auto l = impl_->get_listener();
  if (!l) {
    const error e = impl_->state();
    return e ? e : error(EINVAL);
  }
  std::shared_ptr<connection> c;
  if (const error e = l->accept(c)) return e;
  peer = socket_impl::make_accepted(std::move(c), *impl_);
  return {};
}

error socket::connect_result() noexcept {
  if (impl_->get_datagram()) return impl_->state();
  const auto c = impl_->get_connection();
  return c ? c->connect_result() : impl_->no_connection();
}

void socket::cancel_connect() noexcept {
  impl_->cancel_connect();
}

error socket::read(const iovec* buffers, std::size_t count, bool peek, std::size_t& bytes) noexcept {
  bytes = 0;
  sockaddr_storage ignored;
  if (datagram_socket* const d = impl_->get_datagram()) return d->receive_from(buffers, count, peek, ignored, bytes);
  const auto c = impl_->get_connection();
  bool ignored_end;
  return c ? c->read(buffers, count, peek, bytes, ignored_end) : impl_->no_connection();
}

error socket::write(const iovec* buffers, std::size_t count, std::size_t& bytes) noexcept {
  bytes = 0;
  if (datagram_socket* const d = impl_->get_datagram()) return d->send_to(buffers, count, nullptr, 0, bytes);
  const auto c = impl_->get_connection();
  return c ? c->write(buffers, count, false, true, false, bytes) : impl_->no_connection();
}

error socket::read_message(const iovec* buffers, std::size_t count, bool peek, std::size_t& bytes,
                           bool& at_end) noexcept {
  bytes = 0;
  at_end = false;
  const auto c = impl_->get_connection();
  return c ? c->read(buffers, count, peek, bytes, at_end) : impl_->no_connection();
}

error socket::write_message(const iovec* buffers, std::size_t count, bool begins, bool ends, bool whole,
                            std::size_t& bytes) noexcept {
  bytes = 0;
  const auto c = impl_->get_connection();
  return c ? c->write(buffers, count, begins, ends, whole, bytes) : impl_->no_connection();
}

error socket::write_registered(const void* data, std::size_t size, bool begins, bool& more, std::size_t& bytes,
                               std::uint64_t& hold) noexcept {
  bytes = 0;
  const auto c = impl_->get_connection();
  return c ? c->write_registered(data, size, begins, more, bytes, hold) : impl_->no_connection();
}

void socket::end_writes(std::uint64_t hold) noexcept {
  if (const auto c = impl_->get_connection()) c->end_writes(hold);
}

error socket::released(std::uint64_t hold) noexcept {
  const auto c = impl_->get_connection();
  return c ? c->released(hold) : impl_->no_connection();
}

error socket::offer_memory(void* data, std::size_t size, std::uint64_t& ticket) noexcept {
  const auto c = impl_->get_connection();
  return c ? c->offer_memory(data, size, ticket) : error(EAGAIN);
}

error socket::read_offered(std::uint64_t ticket, std::size_t& bytes, bool& at_end) noexcept {
  bytes = 0;
  at_end = false;
  const auto c = impl_->get_connection();
  return c ? c->read_offered(ticket, bytes, at_end) : error(ENODATA);
}

void socket::withdraw_memory(std::uint64_t ticket) noexcept {
  if (const auto c = impl_->get_connection()) c->withdraw_memory(ticket);
}

void socket::reclaim_memory() noexcept {
  if (const auto c = impl_->get_connection()) c->reclaim_memory();
}

error socket::write_messages(const message* messages, std::size_t count, std::size_t& done) noexcept {
  done = 0;
  const auto c = impl_->get_connection();
  return c ? c->write_messages(messages, count, done) : impl_->no_connection();
}

error socket::read_messages(message* messages, std::size_t count, std::size_t& done) noexcept {
  done = 0;
  const auto c = impl_->get_connection();
  return c ? c->read_messages(messages, count, done) : impl_->no_connection();
}

void socket::abandon_message() noexcept {
  if (const auto c = impl_->get_connection()) c->abandon_message();
}

std::uint64_t socket::write_position() const noexcept {
  const auto c = impl_->get_connection();
  return c ? c->write_position() : 0;
}

error socket::acknowledged(std::uint64_t position) noexcept {
  const auto c = impl_->get_connection();
  return c ? c->acknowledged(position) : impl_->no_connection();
}

error socket::send_to(const iovec* buffers, std::size_t count, const sockaddr* address, socklen_t size,
                      std::size_t& bytes) noexcept {
  bytes = 0;
  datagram_socket* const d = impl_->get_datagram();
  return d ? d->send_to(buffers, count, address, size, bytes) : impl_->no_datagrams();
}

error socket::receive_from(const iovec* buffers, std::size_t count, bool peek, sockaddr_storage& from,
                           std::size_t& bytes) noexcept {
  bytes = 0;
  datagram_socket* const d = impl_->get_datagram();
  return d ? d->receive_from(buffers, count, peek, from, bytes) : impl_->no_datagrams();
}

error socket::send_many(datagram* datagrams, std::size_t count, std::size_t& done) noexcept {
  done = 0;
  datagram_socket* const d = impl_->get_datagram();
  return d ? d->send_many(datagrams, count, done) : impl_->no_datagrams();
}

error socket::receive_many(datagram* datagrams, std::size_t count, std::size_t& done) noexcept {
  done = 0;
  datagram_socket* const d = impl_->get_datagram();
  return d ? d->receive_many(datagrams, count, done) : impl_->no_datagrams();
}

error socket::maximum_payload(std::size_t& bytes) noexcept {
  bytes = 0;
  datagram_socket* const d = impl_->get_datagram();
  return d ? d->maximum_payload(bytes) : impl_->no_datagrams();
}

error socket::join_group(const sockaddr_storage& group, const sockaddr_storage& by, unsigned index) noexcept {
  datagram_socket* const d = impl_->get_datagram();
  return d ? d->join_group(group, by, index) : impl_->no_datagrams();
}

error socket::leave_group(const sockaddr_storage& group, const sockaddr_storage& by, unsigned index) noexcept {
  datagram_socket* const d = impl_->get_datagram();
  return d ? d->leave_group(group, by, index) : impl_->no_datagrams();
}

error socket::ready(readiness kind) noexcept {
  if (datagram_socket* const d = impl_->get_datagram()) return d->ready(kind);
  if (const auto c = impl_->get_connection()) return c->ready(kind);
  if (const auto l = impl_->get_listener()) return l->ready(kind);
  return impl_->state();
}

std::size_t socket::available(error& e) noexcept {
  if (datagram_socket* const d = impl_->get_datagram()) {
    e = impl_->state();
    return d->available();
  }
  const auto c = impl_->get_connection();
  e = impl_->state();
  return c && !e ? c->available() : 0;
}

error socket::shutdown(direction d) noexcept {
  if (datagram_socket* const datagrams = impl_->get_datagram()) return datagrams->shutdown(d);
  const auto c = impl_->get_connection();
  return c ? c->shutdown(d) : impl_->no_connection();
}

void socket::close() noexcept {
  impl_->close();
}

int socket::prepare_wait() noexcept {
  if (datagram_socket* const d = impl_->get_datagram()) return d->prepare_wait();
  if (const auto c = impl_->get_connection()) return c->prepare_wait();
  if (const auto l = impl_->get_listener()) return l->prepare_wait();
  return -1;
}

void socket::end_wait() noexcept {
  if (datagram_socket* const d = impl_->get_datagram()) return d->end_wait();
  if (const auto c = impl_->get_connection()) c->end_wait();
}

void socket::wait() noexcept {
  if (datagram_socket* const d = impl_->get_datagram()) return d->wait();
  if (const auto c = impl_->get_connection()) return c->wait();
  if (const auto l = impl_->get_listener()) return l->wait();
}

error socket::local_address(sockaddr_storage& result) const noexcept {
  return impl_->local_address(result);
}

error socket::remote_address(sockaddr_storage& result) const noexcept {
  if (datagram_socket* const d = impl_->get_datagram()) return d->remote_address(result);
  const auto c = impl_->get_connection();
  return c ? c->remote_address(result) : impl_->no_connection();
}

error socket::set_option(option name, int value) noexcept {
  return impl_->set_option(name, value);
}
error socket::get_option(option name, int& value) const noexcept {
  return impl_->get_option(name, value);
}
error socket::set_text_option(option name, const char* text) noexcept {
  try {
    return impl_->set_text_option(name, text);
  } catch (const std::bad_alloc&) {
    return error(ENOMEM);
  }
}
error socket::get_text_option(option name, char* buffer, std::size_t size, std::size_t& length) const noexcept {
  try {
    return impl_->get_text_option(name, buffer, size, length);
  } catch (const std::bad_alloc&) {
    return error(ENOMEM);
  }
}
void socket::last_failure(failure& result) const noexcept {
  impl_->last_failure(result);
}
std::size_t socket::device_name(char* buffer, std::size_t size) const noexcept {
  return impl_->device_name(buffer, size);
}
void socket::statistics(socket_statistics& result) const noexcept {
  result = socket_statistics();
  impl_->statistics(result);
}
void* socket::native_id() const noexcept {
  return impl_->native_id();
}
std::uint64_t socket::id() const noexcept {
  return impl_->id();
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
