// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "raw/exchange_connection.hpp"

#include "socket/address.hpp"
#include "verbs/local_addresses.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

using core::error;
using core::library_error;
using lock_type = std::lock_guard<std::mutex>;

error exchange_connection::watch() {
  io::background& thread = io::background::instance();
  if (const int e = thread.start()) return error(e);
  watch_ = thread.add(stream_.fd(), std::static_pointer_cast<exchange_connection>(shared_from_this()));
  return {};
}

error exchange_connection::open(const sockaddr_storage& address) {
  const lock_type lock(mutex_);
  if (const error e = open_notifier()) return e;
  remote_ = core::unmapped(address);
  io::unique_fd fd(::socket(remote_.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return error(errno);
  const bool connected = ::connect(fd.get(), core::as_sockaddr(remote_), core::size_of(remote_)) == 0;
  if (!connected && errno != EINPROGRESS) return error(errno);
  stream_ = exchange_stream(std::move(fd));
  if (const error e = watch()) return e;
  start_deadline();
  io::background::instance().arm_writable(watch_, stream_.fd());
  return {};
}

error exchange_connection::take(exchange_stream& stream, const exchange_greeting& peer) {
  const lock_type lock(mutex_);
  if (const error e = open_notifier()) return e;
  passive_ = true;
  if (peer.link.datagram == is_reliable()) return library_error::mode_mismatch;
  std::swap(stream_, stream);
  peer_ = peer;
  take_greeting(peer.greeting);
  error e = create_queues();
  if (!e) e = watch();
  if (e) {
    queues_.destroy();
    std::swap(stream_, stream);
    return e;
  }
  become_prepared();
  return {};
}

error exchange_connection::create_queues() {
  socklen_t size = sizeof local_;
  if (::getsockname(stream_.fd(), reinterpret_cast<sockaddr*>(&local_), &size) != 0) return error(errno);
  size = sizeof remote_;
  if (::getpeername(stream_.fd(), reinterpret_cast<sockaddr*>(&remote_), &size) != 0) return error(errno);
  core::gid_choice source;
  error e = core::choose_gid(devices_, local_, settings_.port, settings_.gid_index, source);
  std::shared_ptr<io::device_domain> device;
  if (!e) e = io::device_domain::open(*devices_.table, source.device, device);
  if (!e) e = queues_.create(std::move(device), source.port, settings_);
  if (e) return e;
  path_ = path(source, settings_);
  if (const error failure = path_.describe(queues_)) return failure;
  return path_.initialize(queues_, queues_.device()->all_access());
}

void exchange_connection::on_readable() noexcept {
  const lock_type lock(mutex_);
  if (!stream_) return;
  error e;
  switch (phase_) {
    case phase::opening:
      e = connected();
      break;
    case phase::establishing:
      e = passive_ ? stream_.read_ready() : answered();
      if (!e) become_established();
      break;
    case phase::established:
      e = stream_.read_end();
      break;
    default:
      return;
  }
  if (e && e != error(EAGAIN)) {
    if (phase_ == phase::established) return end(e == error(ECONNRESET) ? e : error(library_error::protocol_error));
    return fail(e);
  }
  // Between the steps nothing is to be heard.
  if (phase_ != phase::prepared) io::background::instance().arm(watch_, stream_.fd());
}

error exchange_connection::connected() {
  int failure = 0;
  socklen_t size = sizeof failure;
  if (::getsockopt(stream_.fd(), SOL_SOCKET, SO_ERROR, &failure, &size) != 0) failure = errno;
  if (failure != 0) return error(failure);
  if (const error e = create_queues()) return e;
  become_prepared();
  return {};
}

error exchange_connection::start_establishing() {
  error e = passive_ ? make_ready() : error();
  if (!e) e = greet();
  if (e && !passive_) {
    // The peer has gone, and may have said why.
    transfer::reject_reason ignored{};
    const error said = stream_.read(peer_, ignored);
    if (said && said != error(EAGAIN)) e = said;
  }
  if (!e) io::background::instance().arm(watch_, stream_.fd());
  return e;
}

error exchange_connection::greet() {
  exchange_greeting own;
  own.greeting = greeting();
  own.link = path_.own();
  return stream_.send(own);
}

error exchange_connection::answered() {
  transfer::reject_reason ignored{};
  if (const error e = stream_.read(peer_, ignored)) return e;
  if (peer_.link.datagram == is_reliable()) return library_error::mode_mismatch;
  take_greeting(peer_.greeting);
  const error e = make_ready();
  return e ? e : stream_.send_ready();
}

error exchange_connection::make_ready() {
  if (const error e = path_.make_ready(queues_, peer_.link)) return e;
  return is_reliable() ? error() : make_remote_queue(path_, peer_.link);
}

void exchange_connection::disconnect() noexcept {
  if (watch_ != 0) io::background::instance().remove(watch_, stream_.fd());
  watch_ = 0;
  stream_.close();
}

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma
