// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_CONNECTION_HPP
#define ASIO_RDMA_SRC_SOCKET_CONNECTION_HPP

#include "cm/service.hpp"
#include "device/choice.hpp"
#include "io/background.hpp"
#include "io/notifier.hpp"
#include "io/spinner.hpp"
#include "io/wait_list.hpp"
#include "options/settings.hpp"
#include "socket/failure_record.hpp"
#include "socket/stream_engine.hpp"
#include "transfer/handshake.hpp"

#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/detail/core/statistics.hpp>
#include <asio_rdma/verbs/cm_id.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// One stream or message connection from the first step of connecting to the end of lingering. Thread-safe: one mutex
/// guards it.
///
/// Three parties wait for it, and whoever takes completions has to tell the others: its owner's reactor (through the
/// descriptor of prepare_wait()), threads in wait(), and the internal thread, which serves it while there is something
/// to do that neither of the others looks after.
class connection final : public cm::endpoint,
                         public io::background::watched,
                         public std::enable_shared_from_this<connection> {
public:
  /// What a listener is told about a connection that it accepts.
  using decision = std::function<void(const std::shared_ptr<connection>&, bool established)>;

  /// mode is stream or message.
  connection(transfer::mode mode, const settings& s, const device_choice& devices)
      : settings_(s), devices_(devices), engine_(mode) {}

  // Connecting, the active side.

  /// Starts to connect by an id, which may be bound. The outcome is connect_result()'s, except that the errors of
  /// calls that fail at once are returned.
  error connect(verbs::cm_id id, std::shared_ptr<cm::service> service, const sockaddr* address, socklen_t size);
  error connect_result() noexcept;

  // Accepting, the passive side.

  /// Answers a connect request whose handshake is in order; called on the internal thread. On failure the id is given
  /// back for rejecting.
  error accept(verbs::cm_id& id, std::shared_ptr<cm::service> service, const transfer::handshake& peer,
               const rdma_conn_param& request, bool v6_socket, decision decided);

  // Established. Errors as those of core::socket.

  error read(const iovec* buffers, std::size_t count, bool peek, std::size_t& bytes, bool& at_end) noexcept;
  error write(const iovec* buffers, std::size_t count, bool begins, bool ends, bool whole, std::size_t& bytes) noexcept;
  error write_registered(const void* data, std::size_t size, bool begins, bool& more, std::size_t& bytes,
                         std::uint64_t& hold) noexcept;
  void end_writes(std::uint64_t hold) noexcept;
  error released(std::uint64_t hold) noexcept;
  error offer_memory(void* data, std::size_t size, std::uint64_t& ticket) noexcept;
  error read_offered(std::uint64_t ticket, std::size_t& bytes, bool& at_end) noexcept;
  void withdraw_memory(std::uint64_t ticket) noexcept;
  void reclaim_memory() noexcept;
  error write_messages(const socket::message* messages, std::size_t count, std::size_t& done) noexcept;
  error read_messages(socket::message* messages, std::size_t count, std::size_t& done) noexcept;
  void abandon_message() noexcept;
  std::uint64_t write_position() noexcept;
  error acknowledged(std::uint64_t position) noexcept;
  error ready(readiness kind) noexcept;
  std::size_t available() noexcept;
  error shutdown(direction d) noexcept;
  void close() noexcept;

  int prepare_wait() noexcept;
  void end_wait() noexcept;
  void wait() noexcept;

  error local_address(sockaddr_storage& result) noexcept;
  error remote_address(sockaddr_storage& result) noexcept;
  error set_option(option name, int value) noexcept;
  int get_option(option name) noexcept;
  void last_failure(failure& result) noexcept;
  std::size_t device_name(char* buffer, std::size_t size) noexcept;
  void statistics(socket_statistics& result) noexcept;
  void* native_id() noexcept;

  /// For the exit of the process: ends sending in order. True once nothing is left to do.
  bool drain() noexcept;

  void on_event(const verbs::cm_event& event) noexcept override;
  void on_readable() noexcept override;

private:
  enum class phase {
    idle,
    resolving_address,
    resolving_route,
    connecting,  // our request is on its way
    accepting,   // our reply is on its way
    established,
    disconnecting,  // everything is acknowledged and we have said goodbye
    failed,         // never became established
    closed,         // nothing of it is left
  };
  using lock_type = std::unique_lock<std::mutex>;

  /// An owner may wait while nobody runs its context, or while a handler blocks it. What was taken over goes on all the
  /// same: the internal thread stands in, at first often enough to keep a stream going, later once a second, so that a
  /// peer that takes nothing costs next to nothing.
  static constexpr std::chrono::milliseconds shortest_stand_in{10};
  static constexpr std::chrono::milliseconds longest_stand_in{1000};

  error write_some(const iovec* buffers, std::size_t count, bool begins, bool ends, bool whole,
                   std::size_t& bytes) noexcept;
  bool can_send_directly(const void* data, std::size_t size, std::uint64_t hold, std::uint32_t& key) const noexcept;
  error write_direct(const void* data, std::size_t size, bool begins, std::uint32_t key, bool& more, std::size_t& bytes,
                     std::uint64_t& hold) noexcept;
  void ask_back(std::uint64_t ticket) noexcept;
  void withdraw_timed_out() noexcept;
  void stop_holding() noexcept;
  void end_open_writes() noexcept;
  bool is_over() const noexcept;
  error may_write(bool begins) const noexcept;
  error look_for_room() noexcept;
  error write_whole(const iovec* buffers, std::size_t count, bool more) noexcept;
  error read_some(const iovec* buffers, std::size_t count, bool peek, std::size_t& bytes, bool& at_end) noexcept;
  bool keeps_messages() const noexcept { return engine_.mode() == transfer::mode::message; }
  bool is_pending() const noexcept { return phase_ > phase::idle && phase_ < phase::established; }
  bool has_ended() const noexcept { return static_cast<bool>(ended_); }

  // Events of the connection manager, in the order in which they come.
  void address_resolved();
  void route_resolved();
  void established(const verbs::cm_event& event);
  void answered(const verbs::cm_event& event);
  void disconnected(const verbs::cm_event& event);
  void connect_failed(const verbs::cm_event& event);
  void fail_connect(const error& e, failure_step step, const char* detail = nullptr) noexcept;
  void accept_timed_out() noexcept;
  void fail_accept() noexcept;
  void connect_timed_out() noexcept;
  error start_resolving(const sockaddr* address, socklen_t size);
  void become_established();
  void tell_listener(bool is_established);

  connection_state state() const noexcept;
  bool was_established() const noexcept { return established_at_.time_since_epoch().count() != 0; }
  void collect(socket_statistics& result) const noexcept;
  void ask_queue_pair() noexcept;
  void enter_registry();
  void leave_registry() noexcept;

  error not_yet() noexcept;
  bool spin(lock_type& lock) noexcept;
  bool progress() noexcept;
  void judge() noexcept;
  void judge_dead_queue() noexcept;
  bool port_is_down() const noexcept;
  void end(const error& e, const char* detail = nullptr) noexcept;
  void stop() noexcept;
  void decide_silence() noexcept;
  /// Arms the queue of completions and looks once more. taken: an event was taken for that. True if there is something
  /// to try: then nobody may sleep.
  bool arm(bool& taken) noexcept;

  bool needs_background() const noexcept;
  void update_background() noexcept;
  void watch_in_background() noexcept;
  void watch_over_owner() noexcept;
  void stand_in_for_owner() noexcept;
  void wake_everybody() noexcept;

  // Looking after a peer that says nothing.
  void restart_keepalive();
  void stop_keepalive() noexcept;
  void look_for_life() noexcept;

  void start_linger();
  void step_linger() noexcept;
  void linger_timed_out() noexcept;
  void teardown_in_background() noexcept;
  void teardown() noexcept;
  io::background::timer after(std::chrono::milliseconds delay, void (connection::*function)() noexcept);

  std::mutex mutex_;
  settings settings_;
  const device_choice devices_;
  phase phase_ = phase::idle;
  std::shared_ptr<cm::service> service_;
  verbs::cm_id id_;
  stream_engine engine_;
  decision decided_;

  error connect_error_;
  error ended_;  // why reads and writes fail, once they do
  bool peer_disconnected_ = false;
  bool silence_pending_ = false;  // the queue pair is dead and we wait a moment for the peer's word
  bool silence_decided_ = false;
  bool receiving_ended_ = false;  // by our own shutdown
  bool user_closed_ = false;

  /// A message that had to be taken whole did not fit: until so much is free, nobody is told that he can write.
  std::size_t room_wanted_ = 0;

  io::background::clock::time_point withdraw_deadline_{};  // of the last time that the peer was asked for memory
  bool withdrawal_is_timed_ = false;
  bool holding_is_timed_ = false;  // data waits for an offer, and a timer says how long
  bool open_end_is_timed_ = false; // the peer's reader waits for more, and a timer says how long

  bool owner_waits_ = false;
  bool stand_in_scheduled_ = false;
  std::chrono::milliseconds stand_in_delay_ = shortest_stand_in;
  unsigned threads_waiting_ = 0;
  io::wait_list threads_;
  io::notifier notifier_;  // the descriptor while there is no completion channel
  bool channel_handed_out_ = false;
  io::background::watch_id watch_ = 0;
  io::spinner spinner_;

  io::background::timer keepalive_timer_;
  io::background::timer setup_timer_;
  io::background::timer linger_timer_;
  io::background::clock::time_point heard_at_{};  // when the peer's device last showed life; kept with keepalive only

  sockaddr_storage local_{};  // as the user sees them
  sockaddr_storage remote_{};
  transfer::loopback loopback_ = transfer::loopback::none;
  std::uint32_t loopback_v4_ = 0;
  bool v6_socket_ = false;
  failure_record failure_;

  std::uint64_t number_ = 0;
  bool registered_ = false;
  bool passive_ = false;  // made by a listener
  std::chrono::steady_clock::time_point established_at_{};

  /// What the device says of the queue pair. It is asked once, the first time that somebody wants to know.
  struct queue_pair_path {
    bool is_known = false;
    std::uint8_t port = 0;
    ibv_gid gid{};
    int gid_index = -1;
    std::uint32_t mtu = 0;
    std::uint32_t number = 0;
    std::uint32_t peer_number = 0;
    int ack_timeout = -1;
    int retry_count = -1;
    int rnr_retry = -1;
  };
  queue_pair_path path_;
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
