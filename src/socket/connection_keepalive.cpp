// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A peer that says nothing may be gone: a queue pair finds that out only when it sends something.

#include "socket/connection.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace core {

using clock = io::background::clock;

void connection::stop_keepalive() noexcept {
  io::background::instance().cancel(keepalive_timer_);
  keepalive_timer_ = {};
}

/// The option was set, or has a connection to act on now.
void connection::restart_keepalive() {
  stop_keepalive();
  if (phase_ != phase::established || user_closed_ || settings_[option::keepalive] == 0) return;
  heard_at_ = clock::now();
  keepalive_timer_ = after(std::chrono::seconds(settings_[option::keepalive]), &connection::look_for_life);
}

void connection::look_for_life() noexcept {
  const std::chrono::seconds limit(settings_[option::keepalive]);
  if (phase_ != phase::established || user_closed_ || has_ended() || peer_disconnected_ || limit.count() == 0) return;
  // What has come meanwhile is no silence, although nobody may have taken it.
  progress();
  const auto silent = clock::now() - heard_at_;
  const bool too_long = silent >= limit;
  if (too_long) engine_.ask_for_life();
  judge();  // the device may not even take the question
  const auto wait = too_long ? clock::duration(limit) : limit - silent;
  keepalive_timer_ = after(std::chrono::ceil<std::chrono::milliseconds>(wait), &connection::look_for_life);
  update_background();
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
