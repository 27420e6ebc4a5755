// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_DATAGRAM_SOCKET_HPP
#define ASIO_RDMA_SRC_SOCKET_DATAGRAM_SOCKET_HPP

#include "cm/service.hpp"
#include "device/choice.hpp"
#include "io/background.hpp"
#include "io/datagram_queues.hpp"
#include "io/notifier.hpp"
#include "io/spinner.hpp"
#include "io/unique_fd.hpp"
#include "io/wait_list.hpp"
#include "options/settings.hpp"
#include "socket/datagram_peers.hpp"
#include "socket/failure_record.hpp"
#include "socket/peer_lookup.hpp"
#include "transfer/datagram.hpp"

#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/detail/core/statistics.hpp>
#include <asio_rdma/verbs/cm_id.hpp>

#include <chrono>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// A datagram socket, from open to the end of lingering. Thread-safe: one mutex guards it, and whoever takes
/// completions takes those of both directions, so that reader and writer lose nothing to each other.
///
/// It has a queue pair on each device that it uses, made when the device is first needed. Its port is an id of the
/// connection manager that listens, so that peers can ask for the queue pair.
class datagram_socket final : public cm::endpoint,
                              public lookup_owner,
                              public std::enable_shared_from_this<datagram_socket> {
public:
  datagram_socket(int family, const settings& s);

  // As those of core::socket.

  error bind(const sockaddr* address, socklen_t size);
  error connect(const sockaddr* address, socklen_t size);
  error send_to(const iovec* buffers, std::size_t count, const sockaddr* address, socklen_t size, std::size_t& bytes);
  error receive_from(const iovec* buffers, std::size_t count, bool peek, sockaddr_storage& from, std::size_t& bytes);
  error send_many(socket::datagram* datagrams, std::size_t count, std::size_t& done);
  error receive_many(socket::datagram* datagrams, std::size_t count, std::size_t& done);
  error maximum_payload(std::size_t& bytes);
  error join_group(const sockaddr_storage& group, const sockaddr_storage& by, unsigned index);
  error leave_group(const sockaddr_storage& group, const sockaddr_storage& by, unsigned index);
  error ready(readiness kind) noexcept;
  std::size_t available() noexcept;
  error shutdown(direction d) noexcept;
  void close() noexcept;

  int prepare_wait() noexcept;
  void end_wait() noexcept;
  void wait() noexcept;

  error local_address(sockaddr_storage& result) noexcept;
  error remote_address(sockaddr_storage& result) noexcept;
  bool is_bound() noexcept;
  void apply(const settings& s) noexcept;
  int get_option(option name) noexcept;
  void last_failure(failure& result) noexcept;
  std::size_t device_name(char* buffer, std::size_t size) noexcept;
  void statistics(socket_statistics& result) noexcept;
  void* native_id() noexcept;

  /// For the exit of the process. True once nothing is left to send.
  bool drain() noexcept;

  void on_event(const verbs::cm_event& event) noexcept override;
  void on_lookup_event(const std::shared_ptr<peer_lookup>& lookup, const verbs::cm_event& event) noexcept override;

private:
  using lock_type = std::unique_lock<std::mutex>;
  using clock = datagram_peer::clock;
  using queues = io::datagram_queues;

  struct arrival {
    queues* from_queues;
    std::uint64_t slot;
    std::size_t bytes;
    sockaddr_storage from;
  };
  struct membership {
    sockaddr_storage group{};
    sockaddr_storage by{};
    unsigned index = 0;
    std::shared_ptr<peer_lookup> lookup;
    queues* joined = nullptr;  // null until it is
    ibv_gid gid{};
    int gid_index = 0;
    bool is_decided = false;
    error result;
  };
  /// An address handle that sends under way still use.
  struct retired_handle {
    queues* of;
    std::uint64_t until;
    verbs::address_handle handle;
  };

  // Binding and devices.
  error state() const noexcept;
  error open_devices();
  error bind_to(const sockaddr_storage& asked);
  error listen(const sockaddr_storage& carried);
  error bind_if_unbound();
  error find_queues(const verbs::cm_id_ref& id, queues*& result);
  error largest_payload(std::size_t& result);
  void requested(const verbs::cm_event& event);
  bool reaches_us(transfer::loopback asked, bool from_own_host) const noexcept;

  // Peers.
  error normalise(const sockaddr* address, socklen_t size, sockaddr_storage& result) const noexcept;
  transfer::loopback loopback_of(const sockaddr_storage& address) const noexcept;
  /// One more that can be sent to, which is looked up.
  error add_peer(const sockaddr_storage& address, datagram_peer*& result);
  error start_lookup(datagram_peer& p);
  error describe_lookup(const sockaddr_storage& destination, peer_lookup::question& q);
  error group_source(const sockaddr_storage& group, sockaddr_storage& result);
  void peer_found(datagram_peer& p, const std::shared_ptr<peer_lookup>& lookup);
  void peer_failed(datagram_peer& p, const error& e, failure_step step) noexcept;
  void lookup_timed_out(const std::shared_ptr<peer_lookup>& lookup) noexcept;
  void end_lookup(datagram_peer& p) noexcept;
  datagram_peer* peer_of(const std::shared_ptr<peer_lookup>& lookup) noexcept;
  void group_decided(membership& m, const error& e, failure_step step);
  void end_membership(membership& m) noexcept;
  void retire(datagram_peer& p) noexcept;
  void retire_handle(datagram_peer& p) noexcept;
  void reap_retired() noexcept;
  void learn(const sockaddr_storage& from, queues& q, const ibv_wc& wc, const io::grh_addresses& addresses);
  bool is_peer(const sockaddr_storage& address) const noexcept;

  // Data.
  error send_one(const iovec* buffers, std::size_t count, const sockaddr_storage& to, std::size_t& bytes);
  bool spares_own_host(const datagram_peer& p) const noexcept;
  error send_now(datagram_peer& p, const iovec* buffers, std::size_t count, std::size_t bytes, bool not_to_own_host);
  error keep(datagram_peer& p, const iovec* buffers, std::size_t count, std::size_t bytes);
  void flush_waiting(datagram_peer& p) noexcept;
  void post_sends() noexcept;
  void take_out(const iovec* buffers, std::size_t count, bool peek, sockaddr_storage& from,
                std::size_t& bytes) noexcept;
  bool progress();
  bool take_completions(queues& q);
  void arrived(queues& q, const ibv_wc& wc);
  void broken_queue() noexcept;
  void look_at_failure(queues& q) noexcept;
  std::uint64_t waiting() noexcept;

  // Waiting.
  error not_yet() noexcept;
  error take_pending_error() noexcept;
  bool spin(lock_type& lock) noexcept;
  /// Arms the queues. True if one cannot be: then an error is pending, and nobody may sleep.
  bool arm(bool& taken) noexcept;
  error open_descriptors();
  void wake_everybody() noexcept;
  void look_after_soon() noexcept;
  void look_after() noexcept;
  bool has_drained() noexcept;
  void teardown() noexcept;
  void collect(socket_statistics& result) noexcept;
  void enter_registry();
  void leave_registry() noexcept;

  std::mutex mutex_;
  const int family_;
  settings settings_;
  device_choice devices_;
  std::shared_ptr<cm::service> service_;
  verbs::cm_id id_;  // listens on the port; empty if another socket of this host does
  std::vector<std::unique_ptr<queues>> queues_;
  std::size_t device_payload_ = 0;  // asked of the devices while there are no queues; 0: not yet

  sockaddr_storage bound_{};  // as the user asked, with the port chosen
  sockaddr_storage local_{};  // the same, with the address that leads to the peer
  bool is_bound_ = false;
  sockaddr_storage remote_{};  // unmapped
  bool is_connected_ = false;
  error pending_error_;  // what came back, if connected
  bool sending_ended_ = false;
  bool receiving_ended_ = false;
  bool closed_ = false;
  bool torn_down_ = false;

  datagram_peers peers_;
  std::list<membership> groups_;
  std::deque<arrival> arrived_;
  std::size_t waiting_bytes_ = 0;
  bool has_backlog_ = false;  // a peer that was found has datagrams waiting
  std::deque<retired_handle> retired_;
  clock::time_point now_{};  // of the operation under way

  bool owner_waits_ = false;
  bool changed_ = false;  // without a completion, since the owner last looked
  bool wants_send_slot_ = false;
  bool waits_for_peer_ = false;  // a send has found no room among what waits for its peer
  io::wait_list threads_;
  io::notifier notifier_;
  io::unique_fd channels_;     // epoll: the completion channels of all devices
  io::unique_fd descriptor_;   // epoll: those and the notifier
  io::spinner spinner_;
  bool look_after_scheduled_ = false;
  std::chrono::milliseconds look_after_delay_{1};
  clock::time_point linger_until_{};

  stream_counters counters_;
  datagram_counters datagrams_;
  failure_record failure_;
  std::uint64_t number_ = 0;
  bool registered_ = false;
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
