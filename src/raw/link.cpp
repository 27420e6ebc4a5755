// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include <asio_rdma/detail/core/raw.hpp>

#include "io/forked.hpp"
#include "options/defaults.hpp"
#include "raw/cm_connection.hpp"
#include "raw/cm_listener.hpp"
#include "raw/exchange_connection.hpp"
#include "raw/exchange_listener.hpp"
#include "raw/link_impl.hpp"
#include "socket/address.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace core {

struct raw_listener_impl {
  std::shared_ptr<raw::listener> listener;
};

namespace {

/// What both ends need before they begin.
error prepare(const raw_settings& s, const char* device, const sockaddr* address, socklen_t size,
              sockaddr_storage& asked, device_choice& devices) {
  if (!raw::is_valid(s) || !copy_address(address, size, asked)) return error(EINVAL);
  if (const error e = check_defaults()) return e;
  return choose_device(device ? device : "", devices);
}

template <class Connection>
error begin(const raw_settings& s, const device_choice& devices, const sockaddr_storage& asked,
            std::shared_ptr<raw::connection>& result) {
  const auto made = std::make_shared<Connection>(s, devices);
  const error e = made->open(asked);
  if (e) {
    made->close();
  } else {
    result = made;
  }
  return e;
}

template <class Listener>
error begin(const raw_settings& s, const device_choice& devices, const sockaddr_storage& asked, int backlog,
            std::shared_ptr<raw::listener>& result) {
  const auto made = std::make_shared<Listener>(s, devices, asked);
  const error e = made->listen(backlog);
  if (e) {
    made->close();
  } else {
    result = made;
  }
  return e;
}

}  // namespace

bool raw_probe_wanted() noexcept {
  const char* const value = ::secure_getenv("ASIO_RDMA_PROBE");
  return value && *value != '\0' && std::strcmp(value, "0") != 0;
}

raw_link::raw_link(raw_link&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
raw_link& raw_link::operator=(raw_link&& other) noexcept {
  if (this != &other) {
    close();
    impl_ = std::exchange(other.impl_, nullptr);
  }
  return *this;
}
raw_link::~raw_link() {
  close();
}

error raw_link::open(const raw_settings& s, const char* device, const sockaddr* address, socklen_t size,
                     raw_link& result) noexcept {
  if (io::forked()) return library_error::forked;
  try {
    sockaddr_storage asked;
    device_choice devices;
    if (const error e = prepare(s, device, address, size, asked, devices)) return e;
    std::shared_ptr<raw::connection> made;
    const error e = s.setup == raw_setup::exchange ? begin<raw::exchange_connection>(s, devices, asked, made)
                                                   : begin<raw::cm_connection>(s, devices, asked, made);
    if (e) return e;
    result = raw_link();
    result.impl_ = new raw_link_impl{std::move(made)};
    return {};
  } catch (const std::bad_alloc&) {
    return error(ENOMEM);
  }
}

error raw_link::prepared() noexcept {
  if (io::forked()) return library_error::forked;
  return impl_ ? impl_->connection->prepared() : error(EBADF);
}

error raw_link::offer(const raw_memory& memory) noexcept {
  if (io::forked()) return library_error::forked;
  return impl_ ? impl_->connection->offer(memory) : error(EBADF);
}

error raw_link::establish() noexcept {
  if (io::forked()) return library_error::forked;
  return impl_ ? impl_->connection->establish() : error(EBADF);
}

error raw_link::established() noexcept {
  if (io::forked()) return library_error::forked;
  return impl_ ? impl_->connection->established() : error(EBADF);
}

int raw_link::setup_fd() const noexcept {
  return impl_ && !io::forked() ? impl_->connection->setup_fd() : -1;
}

void raw_link::wait() noexcept {
  if (impl_ && !io::forked()) impl_->connection->wait();
}

error raw_link::ended() noexcept {
  if (io::forked()) return library_error::forked;
  return impl_ ? impl_->connection->ended() : error(EBADF);
}

error raw_link::flush() noexcept {
  if (io::forked()) return library_error::forked;
  return impl_ ? impl_->connection->flush() : error(EBADF);
}

void raw_link::close() noexcept {
  // What a forked child lets go of is the parent's.
  if (!impl_ || io::forked()) return;
  impl_->connection->close();
  delete std::exchange(impl_, nullptr);
}

error raw_link::arm(bool solicited_only) noexcept {
  if (io::forked()) return library_error::forked;
  return impl_ ? impl_->connection->arm(solicited_only) : error(EBADF);
}

error raw_link::take_events() noexcept {
  if (io::forked()) return library_error::forked;
  return impl_ ? impl_->connection->take_events() : error(EBADF);
}

namespace {

template <class Request>
error check_list(const raw_link_impl* link, const Request* first, const Request*& bad) noexcept {
  bad = first;
  if (io::forked()) return library_error::forked;
  if (!link) return error(EBADF);
  try {
    return link->connection->check(first, bad);
  } catch (const std::bad_alloc&) {
    return error(ENOMEM);
  }
}

/// Without memory to count, checks come too late, and that is all.
template <class Request>
void count_list(const raw_link_impl* link, const Request* first, const Request* end) noexcept {
  if (!link || io::forked()) return;
  try {
    link->connection->posted(first, end);
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

error raw_link::check(const ibv_send_wr* first, const ibv_send_wr*& bad) noexcept {
  return check_list(impl_, first, bad);
}
error raw_link::check(const ibv_recv_wr* first, const ibv_recv_wr*& bad) noexcept {
  return check_list(impl_, first, bad);
}
void raw_link::posted(const ibv_send_wr* first, const ibv_send_wr* end) noexcept {
  count_list(impl_, first, end);
}
void raw_link::posted(const ibv_recv_wr* first, const ibv_recv_wr* end) noexcept {
  count_list(impl_, first, end);
}
void raw_link::completed(const ibv_wc* completions, int count) noexcept {
  if (impl_ && !io::forked()) impl_->connection->completed(completions, count);
}

raw_objects raw_link::objects() const noexcept {
  return impl_ && !io::forked() ? impl_->connection->objects() : raw_objects();
}

raw_limits raw_link::limits() const noexcept {
  return impl_ && !io::forked() ? impl_->connection->limits() : raw_limits();
}

raw_memory raw_link::remote_memory() const noexcept {
  return impl_ && !io::forked() ? impl_->connection->remote_memory() : raw_memory();
}

raw_address raw_link::remote_queue() const noexcept {
  return impl_ && !io::forked() ? impl_->connection->remote_queue() : raw_address();
}

error raw_link::local_address(sockaddr_storage& result) const noexcept {
  if (io::forked()) return library_error::forked;
  return impl_ ? impl_->connection->local_address(result) : error(EBADF);
}

error raw_link::remote_address(sockaddr_storage& result) const noexcept {
  if (io::forked()) return library_error::forked;
  return impl_ ? impl_->connection->remote_address(result) : error(EBADF);
}

raw_listener::raw_listener(raw_listener&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
raw_listener& raw_listener::operator=(raw_listener&& other) noexcept {
  if (this != &other) {
    close();
    impl_ = std::exchange(other.impl_, nullptr);
  }
  return *this;
}
raw_listener::~raw_listener() {
  close();
}

error raw_listener::listen(const raw_settings& s, const char* device, const sockaddr* address, socklen_t size,
                           int backlog, raw_listener& result) noexcept {
  if (io::forked()) return library_error::forked;
  try {
    sockaddr_storage asked;
    device_choice devices;
    if (const error e = prepare(s, device, address, size, asked, devices)) return e;
    std::shared_ptr<raw::listener> made;
    const error e = s.setup == raw_setup::exchange
                        ? begin<raw::exchange_listener>(s, devices, asked, backlog, made)
                        : begin<raw::cm_listener>(s, devices, asked, backlog, made);
    if (e) return e;
    result = raw_listener();
    result.impl_ = new raw_listener_impl{std::move(made)};
    return {};
  } catch (const std::bad_alloc&) {
    return error(ENOMEM);
  }
}

error raw_listener::take(raw_link& result) noexcept {
  if (io::forked()) return library_error::forked;
  if (!impl_) return error(EBADF);
  try {
    std::shared_ptr<raw::connection> made;
    if (const error e = impl_->listener->take(made)) return e;
    result = raw_link();
    result.impl_ = new raw_link_impl{std::move(made)};
    return {};
  } catch (const std::bad_alloc&) {
    return error(ENOMEM);
  }
}

int raw_listener::fd() const noexcept {
  return impl_ && !io::forked() ? impl_->listener->fd() : -1;
}

void raw_listener::wait() noexcept {
  if (impl_ && !io::forked()) impl_->listener->wait();
}

error raw_listener::local_address(sockaddr_storage& result) const noexcept {
  if (io::forked()) return library_error::forked;
  if (!impl_) return error(EBADF);
  result = impl_->listener->local_address();
  return {};
}

void raw_listener::close() noexcept {
  if (!impl_ || io::forked()) return;
  impl_->listener->close();
  delete std::exchange(impl_, nullptr);
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
