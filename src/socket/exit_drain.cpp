// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "socket/exit_drain.hpp"

#include "io/background.hpp"
#include "log/log.hpp"
#include "socket/connection.hpp"
#include "socket/datagram_socket.hpp"
#include "socket/registry.hpp"

#include <asio_rdma/exit_linger.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

std::atomic<int> exit_linger_milliseconds{2000};

void drain_all() {
  using clock = std::chrono::steady_clock;
  const int bound = exit_linger_milliseconds.load();
  if (bound == 0) return;
  std::vector<std::function<bool()>> left;
  const registry::contents all = registry::instance().get();
  for (const auto& numbered : all.connections) left.push_back([c = numbered.second] { return c->drain(); });
  for (const auto& numbered : all.datagrams) left.push_back([d = numbered.second] { return d->drain(); });
  const auto deadline = clock::now() + std::chrono::milliseconds(bound);
  for (;;) {
    left.erase(std::remove_if(left.begin(), left.end(), [](const auto& drain) { return drain(); }), left.end());
    if (left.empty()) return;
    if (clock::now() >= deadline) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  log(log_level::warning, "exit: %zu sockets still had something to send after %d ms", left.size(), bound);
}

}  // namespace

void drain_at_exit() {
  static std::once_flag once;
  std::call_once(once, [] { io::background::instance().at_exit(drain_all); });
}

}  // namespace core

void set_exit_linger(int milliseconds) noexcept {
  core::exit_linger_milliseconds.store(milliseconds < 0 ? 0 : milliseconds);
}

}  // namespace v1
}  // namespace asio_rdma
