// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_FAILURE_RECORD_HPP
#define ASIO_RDMA_SRC_SOCKET_FAILURE_RECORD_HPP

#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/verbs/event_channel.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// Collects what is known of a failure while it is found out, then writes it to the log.
class failure_record {
public:
  void set_device(const char* name) noexcept;
  void set_peer(const sockaddr_storage& peer) noexcept { failure_.peer = peer; }
  void set_event(const verbs::cm_event& event) noexcept;
  void set_completion(int status, std::uint32_t vendor_error) noexcept;
  /// What and where; detail may add a line of its own.
  void set(const error& e, failure_step step, const char* detail = nullptr) noexcept;

  const failure& get() const noexcept { return failure_; }

private:
  failure failure_;
};

/// "10.0.0.1:7471", "[fe80::1%eth0]:7471".
void address_text(const sockaddr_storage& address, char* buffer, std::size_t size) noexcept;

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
