// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// How a connection ends: what was written is sent in the background, then the peer is told, then all is destroyed.

#include "log/log.hpp"
#include "socket/connection.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

/// A closed connection whose peer takes no more bytes is given up after a minute, as TCP gives up an orphan in
/// FIN_WAIT_2 (tcp_fin_timeout, tcp(7)).
constexpr std::chrono::milliseconds default_linger{60'000};

/// The peer's kernel answers a goodbye at once, or never.
constexpr std::chrono::milliseconds goodbye_timeout{1000};

}  // namespace

void connection::close() noexcept {
  const lock_type lock(mutex_);
  if (user_closed_) return;
  progress();
  user_closed_ = true;
  owner_waits_ = false;
  stop_keepalive();
  threads_.wake_all();
  // The peer is not to take half a message for one.
  const bool can_send = phase_ == phase::established && !has_ended() && !peer_disconnected_ && !engine_.dead() &&
                        !engine_.is_within_message();
  if (can_send && settings_[option::linger] != 0) {
    start_linger();
  } else {
    teardown_in_background();
  }
}

void connection::start_linger() {
  engine_.end_sending();
  const int seconds = settings_[option::linger];
  linger_timer_ = after(seconds < 0 ? default_linger : std::chrono::seconds(seconds), &connection::linger_timed_out);
  step_linger();
}

void connection::step_linger() noexcept {
  bool taken = false;
  while (phase_ == phase::established) {
    if (has_ended() || peer_disconnected_ || engine_.dead()) return teardown_in_background();
    if (engine_.all_acknowledged()) {
      phase_ = phase::disconnecting;
      verbs::error_code ec;
      id_.disconnect(ec);
      io::background::instance().cancel(linger_timer_);
      linger_timer_ = after(goodbye_timeout, &connection::linger_timed_out);
      return;
    }
    if (!arm(taken)) return watch_in_background();
  }
}

void connection::linger_timed_out() noexcept {
  if (phase_ != phase::established && phase_ != phase::disconnecting) return;
  if (phase_ == phase::established) log(log_level::warning, "close: the peer took not all that was written in time");
  teardown();
}

void connection::teardown_in_background() noexcept {
  io::background::instance().post([self = shared_from_this()] {
    const lock_type lock(self->mutex_);
    self->teardown();
  });
}

void connection::teardown() noexcept {
  if (phase_ == phase::closed) return;
  phase_ = phase::closed;
  decided_ = nullptr;
  stop_keepalive();
  io::background::instance().cancel(setup_timer_);  // they would keep our memory
  io::background::instance().cancel(linger_timer_);
  if (watch_ != 0) io::background::instance().remove(watch_, engine_.queues().fd());
  watch_ = 0;
  if (id_) {
    engine_.destroy(id_);
    service_->destroy(std::move(id_));
    threads_.wake_all();  // who waits for his memory has it back
  }
  leave_registry();
}

bool connection::drain() noexcept {
  const lock_type lock(mutex_);
  if (phase_ != phase::established || has_ended() || peer_disconnected_ || engine_.is_within_message()) return true;
  engine_.end_sending();
  progress();
  return has_ended() || peer_disconnected_ || engine_.dead() || engine_.all_acknowledged();
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
