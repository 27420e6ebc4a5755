// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "raw/exchange_listener.hpp"

#include "log/log.hpp"
#include "socket/address.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

using core::error;
using transfer::reject_reason;
using lock_type = std::lock_guard<std::mutex>;

namespace {

/// For the rest of what a client says, once it has begun. Until then it has all the time that its user takes between
/// the steps of the set-up.
constexpr std::chrono::seconds client_patience{5};

/// When there are no descriptors left, some may be soon.
constexpr std::chrono::milliseconds accept_pause{100};

}  // namespace

/// A client that has not said everything yet. Used on the internal thread alone.
class exchange_listener::client final : public io::background::watched, public std::enable_shared_from_this<client> {
public:
  client(std::weak_ptr<exchange_listener> l, io::unique_fd fd) noexcept
      : listener_(std::move(l)), stream_(std::move(fd)) {}

  void start() {
    io::background& thread = io::background::instance();
    watch_ = thread.add(stream_.fd(), shared_from_this());
    thread.arm(watch_, stream_.fd());
  }

  void on_readable() noexcept override {
    exchange_greeting peer;
    reject_reason reason{};
    const error e = stream_.read(peer, reason);
    if (e == error(EAGAIN)) return wait_for_more();
    if (e) {
      if (e != error(ECONNRESET)) stream_.send_reject(reason);
      return end();
    }
    stop();
    if (const auto l = listener_.lock()) l->heard(shared_from_this(), peer);
  }

  exchange_stream& stream() noexcept { return stream_; }
  bool is_silent() const noexcept { return stream_.is_empty(); }
  void stop() noexcept {
    io::background& thread = io::background::instance();
    thread.cancel(deadline_);
    if (watch_ != 0) thread.remove(watch_, stream_.fd());
    watch_ = 0;
  }

private:
  void wait_for_more() {
    io::background& thread = io::background::instance();
    thread.arm(watch_, stream_.fd());
    if (is_silent() || has_deadline_) return;
    has_deadline_ = true;
    deadline_ = thread.after(client_patience, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->end();
    });
  }
  void end() noexcept {
    const auto self = shared_from_this();
    stop();
    if (const auto l = listener_.lock()) l->forget(self);
    stream_.close();
  }

  std::weak_ptr<exchange_listener> listener_;
  exchange_stream stream_;
  io::background::watch_id watch_ = 0;
  io::background::timer deadline_;
  bool has_deadline_ = false;
};

exchange_listener::~exchange_listener() = default;

error exchange_listener::listen(int backlog) {
  const lock_type lock(mutex_);
  if (!notifier_.open()) return error(errno);
  backlog_ = static_cast<std::size_t>(std::max(backlog, 1));
  fd_ = io::unique_fd(::socket(asked_.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd_) return error(errno);
  const int on = 1;
  (void)::setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd_.get(), core::as_sockaddr(asked_), core::size_of(asked_)) != 0) return error(errno);
  if (::listen(fd_.get(), backlog) != 0) return error(errno);
  socklen_t size = sizeof asked_;
  if (::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&asked_), &size) != 0) return error(errno);
  io::background& thread = io::background::instance();
  if (const int e = thread.start()) return error(e);
  watch_ = thread.add(fd_.get(), weak_from_this());
  thread.arm(watch_, fd_.get());
  return {};
}

void exchange_listener::on_readable() noexcept {
  const lock_type lock(mutex_);
  if (closed_) return;
  io::background& thread = io::background::instance();
  for (;;) {
    io::unique_fd fd(::accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd) {
      add_client(std::move(fd));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      log(log_level::warning, "raw acceptor: cannot take a connection: out of descriptors or memory");
      (void)thread.after(accept_pause, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->on_readable();
      });
      return;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return thread.arm(watch_, fd_.get());
    }
  }
}

void exchange_listener::add_client(io::unique_fd fd) {
  if (clients_.size() + requests_.size() >= backlog_) {
    // Who says nothing takes nobody's place.
    const auto silent = std::find_if(clients_.begin(), clients_.end(), [](const auto& c) { return c->is_silent(); });
    if (silent == clients_.end()) return exchange_stream(std::move(fd)).send_reject(reject_reason::backlog_full);
    (*silent)->stop();
    (*silent)->stream().send_reject(reject_reason::backlog_full);
    clients_.erase(silent);
  }
  const auto c = std::make_shared<client>(weak_from_this(), std::move(fd));
  clients_.push_back(c);
  c->start();
}

void exchange_listener::forget(const std::shared_ptr<client>& c) {
  const lock_type lock(mutex_);
  (void)take_out(c);
}

bool exchange_listener::take_out(const std::shared_ptr<client>& c) {
  const auto place = std::find(clients_.begin(), clients_.end(), c);
  if (place == clients_.end()) return false;
  clients_.erase(place);
  return true;
}

void exchange_listener::heard(const std::shared_ptr<client>& c, const exchange_greeting& peer) {
  const lock_type lock(mutex_);
  if (!take_out(c)) return;
  requests_.push_back({std::move(c->stream()), peer});
  notifier_.signal();
}

error exchange_listener::take(std::shared_ptr<connection>& result) {
  request r;
  if (const error e = take_first(requests_, r)) return e;
  const auto made = std::make_shared<exchange_connection>(settings_, devices_);
  if (const error e = made->take(r.stream, r.peer)) {
    r.stream.send_reject(e == core::library_error::mode_mismatch ? reject_reason::mode_mismatch
                                                                  : reject_reason::out_of_resources);
    return e;
  }
  result = made;
  return {};
}

void exchange_listener::close() noexcept {
  std::deque<std::shared_ptr<client>> clients;
  std::deque<request> requests;
  {
    const lock_type lock(mutex_);
    if (closed_) return;
    closed_ = true;
    if (watch_ != 0) io::background::instance().remove(watch_, fd_.get());
    fd_.reset();
    clients.swap(clients_);
    requests.swap(requests_);
    notifier_.signal();
  }
  for (request& r : requests) r.stream.send_reject(reject_reason::closing);
  // Their streams are used on the internal thread.
  if (!clients.empty()) {
    io::background::instance().post([clients = std::move(clients)] {
      for (const auto& c : clients) c->stop();
    });
  }
}

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma
