// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_RAW_QUEUES_HPP
#define ASIO_RDMA_SRC_RAW_QUEUES_HPP

#include "io/device_domain.hpp"

#include <asio_rdma/detail/core/raw.hpp>
#include <asio_rdma/verbs/completion_channel.hpp>
#include <asio_rdma/verbs/completion_queue.hpp>
#include <asio_rdma/verbs/queue_pair.hpp>

#include <memory>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

/// The verbs objects of a raw connection: a completion channel, one completion queue for both directions, and the queue
/// pair, which is in no state yet.
class queues {
public:
  core::error create(std::shared_ptr<io::device_domain> device, std::uint8_t port, const core::raw_settings& s);
  void destroy() noexcept;
  explicit operator bool() const noexcept { return static_cast<bool>(queue_pair_); }

  verbs::queue_pair_ref queue_pair() const noexcept { return queue_pair_; }
  const std::shared_ptr<io::device_domain>& device() const noexcept { return device_; }
  core::raw_objects objects() const noexcept;
  const core::raw_limits& limits() const noexcept { return limits_; }

  /// Asks the device what the connection has, once the queue pair is ready.
  void look_at_path() noexcept;
  core::error arm(bool solicited_only) noexcept;
  core::error take_events() noexcept;
  /// Every outstanding request completes.
  core::error to_error() noexcept;

private:
  std::shared_ptr<io::device_domain> device_;
  verbs::completion_channel channel_;
  verbs::completion_queue completions_;
  verbs::queue_pair queue_pair_;
  core::raw_limits limits_;
};

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma

#endif
