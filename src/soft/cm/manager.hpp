// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_CM_MANAGER_HPP
#define ASIO_RDMA_SRC_SOFT_CM_MANAGER_HPP

#include "soft/cm/event_channel.hpp"
#include "soft/cm/identifier.hpp"
#include "soft/cm/message.hpp"
#include "soft/device.hpp"
#include "soft/peer.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

/// How long another process may take to answer a goodbye.
constexpr std::chrono::milliseconds goodbye_timeout{5000};
/// And anything before, or to decide: about as long as the kernel asks again, 16 times 4.3 s. A process that is dead is
/// known at once; a slow one need not be.
constexpr std::chrono::milliseconds answer_timeout{70'000};

/// All ids of this process. The helper thread keeps an id's number only: it looks the id up and works on it with the
/// mutex held. Destroying an id takes it out first.
class manager {
public:
  /// Only after the device was opened.
  static manager& instance() noexcept;

  std::mutex mutex;
  std::condition_variable acknowledged;  // some event was

  // With the mutex held:

  identifier* find(std::uint64_t number) const noexcept;
  identifier& add(std::unique_ptr<identifier> i);
  std::unique_ptr<identifier> remove(identifier& i) noexcept;
  template <class Function>
  void for_each(Function f) {
    for (auto& entry : ids_) f(*entry.second);
  }
  std::uint64_t next_number() noexcept { return ++last_number_; }

  /// Sends to the other side of a connection.
  void send(identifier& i, message m);
  /// Sends to a process, m.to and m.from being set.
  void send(const std::shared_ptr<peer>& to, message m);
  /// Answers a message, whether there is an id that it is for or not.
  void answer(const std::shared_ptr<peer>& to, const message& m, message_type type, std::uint32_t why = 0);

  /// Reports an event.
  void report(identifier& i, rdma_cm_event_type type, int status = 0, const message& cause = {});
  /// From now on, expire() is called for the id when its deadline is over, or up to a second later.
  void set_deadline(identifier& i, std::chrono::milliseconds delay);

  /// Ends a connection, or the attempt at one, without waiting for anything: the other side is told if it knows of it.
  void give_up(identifier& i);
  /// The same, and whatever else an id that is destroyed has.
  void shut_down(identifier& i);

  device& soft0() const noexcept { return device_; }
  std::uint64_t own_instance() const noexcept { return device_.processes().self()->header().instance; }

private:
  explicit manager(device& d) noexcept : device_(d) {}
  void look_at_deadlines();

  device& device_;
  std::uint64_t last_number_ = 0;
  bool looks_at_deadlines_ = false;  // while any id has one: a timer for each would stay long after most of the ids
  std::unordered_map<std::uint64_t, std::unique_ptr<identifier>> ids_;
};

using lock_type = std::unique_lock<std::mutex>;

/// Sets errno for -1, as librdmacm's functions do.
inline int fail(int e) noexcept {
  errno = e;
  return -1;
}

// The steps that happen on the helper thread, with the manager's mutex held.

/// Gives up waiting for the other side.
void expire(manager& m, identifier& i);
/// Sends the request, if the listener's process is still the one that was found.
void send_request(manager& m, identifier& i);
/// Nobody takes the request.
void refuse_locally(manager& m, identifier& i);
/// The other side's process has ended.
void lose(manager& m, identifier& i);
/// A request for one of this process's listeners.
void receive_request(manager& m, const std::shared_ptr<peer>& from, const message& request);

// On the user's threads, without the mutex.

/// Takes the port and the address; address gets the port.
int bind(manager& m, identifier& i, sockaddr_storage address);
/// Shows in the public struct what is known about the id.
void publish(manager& m, identifier& i);
/// Ends a call that has begun something: waits for its event if the id is synchronous.
int complete(identifier& i);
/// Brings the queue pair to RTS. 0 or an errno value; with qp_mutex held.
int make_ready(identifier& i);
void to_error(identifier& i) noexcept;
/// How to reach an address from a local one.
ibv_ah_attr path_to(const ibv_gid& destination, const ibv_gid& source);
/// Attaches the queue pair to the group that was joined. 0 or an errno value.
int attach(manager& m, identifier& i, std::uint64_t group);

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
