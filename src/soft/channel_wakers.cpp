// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/channel_wakers.hpp"

#include "soft/completion_channel.hpp"
#include "soft/peer.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace soft {

bool channel_wakers::wake(const peer& owner, std::uint32_t channel, int fd) noexcept {
  const std::uint64_t process = owner.header().instance;
  entry& e = entries_[(process + channel) % count];
  const std::lock_guard<std::mutex> lock(e.mutex);
  if (e.process != process || e.channel != channel || !e.fd) {
    e.fd = owner.duplicate(fd);
    e.process = process;
    e.channel = channel;
    if (!e.fd) return false;
  }
  wake_channel(e.fd.get());
  return true;
}

void channel_wakers::forget(std::uint64_t process) noexcept {
  for (entry& e : entries_) {
    const std::lock_guard<std::mutex> lock(e.mutex);
    if (e.process == process) e.fd = descriptor();
  }
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
