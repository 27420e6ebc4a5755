// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_REGISTRY_HPP
#define ASIO_RDMA_SRC_SOCKET_REGISTRY_HPP

#include <asio_rdma/detail/core/statistics.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace core {

class connection;
class datagram_socket;
class listener;

/// All connections, listeners and datagram sockets of the process, from the first step of connecting, or from bind, to
/// the end of lingering, and the sums of those that are gone. Thread-safe. It calls nothing, so that its mutex may be
/// locked under theirs.
class registry {
public:
  /// The process's instance, which is never destroyed.
  static registry& instance();

  /// All give the number.
  std::uint64_t add(std::shared_ptr<connection> c);
  std::uint64_t add(std::shared_ptr<listener> l);
  std::uint64_t add(std::shared_ptr<datagram_socket> d);
  /// It ends; last is what is to be said of it. The caller holds a reference of its own.
  void remove_connection(const socket_statistics& last) noexcept;
  void remove_listener(const socket_statistics& last) noexcept;
  void remove_datagrams(const socket_statistics& last) noexcept;
  /// A connect that failed before there was a connection.
  void count_failed_connect() noexcept;

  struct contents {
    std::map<std::uint64_t, std::shared_ptr<connection>> connections;
    std::map<std::uint64_t, std::shared_ptr<listener>> listeners;
    std::map<std::uint64_t, std::shared_ptr<datagram_socket>> datagrams;
    process_totals ended;  ///< sums of those that are in none
  };
  contents get() const;

private:
  mutable std::mutex mutex_;
  std::uint64_t last_number_ = 0;
  contents contents_;
};

/// Adds a connection or listener to the sums.
void add_to(process_totals& totals, const socket_statistics& s) noexcept;

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
