// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_VERBS_DEVICE_FIXTURE_HPP
#define ASIO_RDMA_TEST_VERBS_DEVICE_FIXTURE_HPP

#include <asio_rdma/verbs/verbs.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace verbs_test {

namespace verbs = asio_rdma::verbs;

/// The first device of those that sockets use with an active port that has an IPv4 address, a protection domain on it,
/// and a completion queue with its channel. Throws where there is no such device.
struct device_fixture {
  device_fixture();

  /// The next completion, waited for by the channel; throws if none comes in ten seconds.
  ibv_wc next_completion();
  /// The next completion of a request with this id; others are kept for later calls.
  ibv_wc completion_of(std::uint64_t wr_id);

  /// The next asynchronous event, acknowledged; throws if none comes in ten seconds.
  ibv_async_event next_async_event() const;

  /// The path from the port to itself.
  ibv_ah_attr path_to_self() const;
  /// The port's address, with port number 0.
  sockaddr_in address() const;

  /// Attributes of a queue pair on the completion queue, with room for 16 requests each way.
  ibv_qp_init_attr queue_attributes(ibv_qp_type type) const;

  const verbs::api& table = verbs::policy_table();
  verbs::context device;
  ibv_gid_entry gid{};
  std::uint8_t port = 0;
  ibv_mtu mtu{};
  verbs::protection_domain domain;
  verbs::completion_channel channel;
  verbs::completion_queue completions;

private:
  std::vector<ibv_wc> kept_;
};

/// Memory that is registered for everything.
struct buffer {
  buffer(const device_fixture& f, std::size_t size)
      : bytes(size),
        region(f.domain, bytes.data(), size,
               IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC) {}

  ibv_sge piece(std::size_t offset, std::size_t size) {
    return {reinterpret_cast<std::uintptr_t>(bytes.data() + offset), static_cast<std::uint32_t>(size), region.lkey()};
  }
  ibv_sge whole() { return piece(0, bytes.size()); }
  void write(const std::string& text) { text.copy(bytes.data(), bytes.size()); }
  std::string read(std::size_t size) const { return std::string(bytes.data(), size); }

  std::vector<char> bytes;
  verbs::memory_region region;
};

/// A signaled request over one piece of memory, which has to outlive the post.
ibv_send_wr send_request(std::uint64_t wr_id, ibv_wr_opcode opcode, ibv_sge& piece);
ibv_recv_wr receive_request(std::uint64_t wr_id, ibv_sge& piece);

/// Two RC queue pairs connected to each other through the device's own port.
struct connected_pairs : device_fixture {
  connected_pairs();

  static verbs::queue_pair make(const device_fixture& f, ibv_srq* shared = nullptr);
  static void connect(const device_fixture& f, const verbs::queue_pair_ref& from, const verbs::queue_pair_ref& to);

  verbs::queue_pair a, b;
};

}  // namespace verbs_test

#endif
