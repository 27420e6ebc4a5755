// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_RAW_CONNECTION_HPP
#define ASIO_RDMA_SRC_RAW_CONNECTION_HPP

#include "io/background.hpp"
#include "io/connection_path.hpp"
#include "io/notifier.hpp"
#include "raw/checker.hpp"
#include "raw/path.hpp"
#include "raw/queues.hpp"
#include "transfer/raw_greeting.hpp"

#include <asio_rdma/detail/core/raw.hpp>
#include <asio_rdma/verbs/address_handle.hpp>

#include <memory>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

/// One end of a raw connection, whichever way it is set up. Its set-up goes on on the internal thread; what is sent and
/// received over its queues is no business of this class. Thread-safe.
class connection : public std::enable_shared_from_this<connection> {
public:
  virtual ~connection() = default;

  core::error prepared() noexcept;
  core::error offer(const core::raw_memory& memory) noexcept;
  core::error establish() noexcept;
  core::error established() noexcept;
  int setup_fd() const noexcept { return notifier_.fd(); }
  void wait() const noexcept { notifier_.wait(); }

  core::error ended() noexcept;
  core::error flush() noexcept;
  void close() noexcept;

  core::error arm(bool solicited_only) noexcept;
  core::error take_events() noexcept;

  template <class Request>
  core::error check(const Request* first, const Request*& bad) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return checker_.check(facts(), first, bad);
  }
  template <class Request>
  void posted(const Request* first, const Request* end) {
    const std::lock_guard<std::mutex> lock(mutex_);
    checker_.posted(first, end);
  }
  void completed(const ibv_wc* completions, int count) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    checker_.completed(completions, count);
  }

  core::raw_objects objects() const noexcept;
  core::raw_limits limits() const noexcept;
  core::raw_memory remote_memory() const noexcept;
  core::raw_address remote_queue() const noexcept;
  core::error local_address(sockaddr_storage& result) const noexcept;
  core::error remote_address(sockaddr_storage& result) const noexcept;
  std::shared_ptr<io::device_domain> device() const noexcept;

protected:
  enum class phase { opening, prepared, establishing, established, failed, closed };

  explicit connection(const core::raw_settings& s) noexcept : settings_(s) {}

  // All of these are called under the mutex.
  virtual core::error start_establishing() = 0;
  virtual rdma_cm_id* native_id() const noexcept { return nullptr; }
  /// Gives up everything that leads to the peer. Not the queues.
  virtual void disconnect() noexcept = 0;

  core::error open_notifier() noexcept;
  void start_deadline();
  void become_prepared() noexcept;
  void become_established() noexcept;
  void fail(const core::error& e) noexcept;
  /// The connection, that stood, ends: what is outstanding is flushed.
  void end(const core::error& e) noexcept;
  /// Flushes what is outstanding, now or as soon as the device does.
  void give_back_requests() noexcept;
  io::connection_path wish() const noexcept;
  /// Datagrams: makes the way to the peer's queue pair.
  core::error make_remote_queue(const path& p, const transfer::link_record& peer);
  transfer::raw_greeting greeting() const noexcept;
  void take_greeting(const transfer::raw_greeting& g) noexcept;
  bool is_reliable() const noexcept { return settings_.transport == core::raw_transport::reliable; }

  mutable std::mutex mutex_;
  const core::raw_settings settings_;
  phase phase_ = phase::opening;
  queues queues_;
  sockaddr_storage local_{};
  sockaddr_storage remote_{};
  core::raw_memory offered_;
  core::raw_memory remote_memory_;
  verbs::address_handle remote_handle_;  // datagrams
  core::raw_address remote_queue_;
  unsigned peer_receive_depth_ = 0;

private:
  void stop_deadline() noexcept;
  checker::facts facts() const noexcept;

  checker checker_;
  core::error error_;  // why it failed, or ended
  io::notifier notifier_;
  io::background::timer deadline_;
};

/// True if each of the settings is in range, whatever the device.
bool is_valid(const core::raw_settings& s) noexcept;

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma

#endif
