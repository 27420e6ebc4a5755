// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_PEER_HPP
#define ASIO_RDMA_SRC_SOFT_PEER_HPP

#include "soft/descriptor.hpp"
#include "soft/loop.hpp"
#include "soft/segment.hpp"

#include <sys/types.h>
#include <sys/uio.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// What a message between two processes is about; the first four bytes of each.
enum class message_kind : std::uint32_t {
  hello,       // with the sender's segment
  device,      // something happened to one of the receiver's objects: two words, device_event and its number
  connection,  // of the connection manager
  request,     // indirect_request, answered by
  answer,      // indirect_answer
  datagram,    // datagram_header, and its bytes
};
constexpr std::size_t max_message_size = 8192;

/// How two processes get to know each other. The segment's descriptor comes with it.
struct hello {
  message_kind kind;
  std::uint32_t version;
  std::uint32_t slot;
  std::uint32_t is_answer;
  std::int32_t thread;  // the sender's helper
  std::uint64_t instance;
  std::uint64_t base;  // of the segment, in the sender
};

/// Takes ASIO_RDMA_SOFT_COPY from the environment, which is for trying out what happens where processes may not copy
/// each other's memory. Not on an internal thread: the program may be changing its environment.
void look_at_copy_variable() noexcept;

/// Called just before bytes are copied to or from another process, when everything has been checked. Only tests set it.
extern std::atomic<void (*)()> before_copy;

/// A process that uses soft0: this one, or another of the same user.
class peer : public std::enable_shared_from_this<peer> {
public:
  peer(loop& l, unsigned slot) noexcept : loop_(l), slot_(slot) {}

  unsigned slot() const noexcept { return slot_; }
  bool is_self() const noexcept { return self_ != nullptr; }
  /// Its segment is mapped, and it is not known to be dead.
  bool is_up() const noexcept { return up_.load(std::memory_order_acquire); }
  bool is_down() const noexcept { return down_.load(std::memory_order_acquire); }
  /// It has just been called, and will be up in a moment, unless it is stopped. On a busy host that may take a while:
  /// programs are not used to losing datagrams on one.
  bool is_coming_up() const noexcept {
    return !is_up() && !is_down() && loop::clock::now() - called_ < std::chrono::seconds(5);
  }
  segment_header& header() const noexcept { return self_ ? self_->header() : memory_.header(); }
  void* base() const noexcept { return self_ ? self_->base() : memory_.base(); }
  /// Its memory can be reached by process_vm_readv() and process_vm_writev().
  bool is_direct() const noexcept { return self_ != nullptr || direct_; }

  /// False once it has ended, asked of the kernel.
  bool is_alive() const noexcept;

  /// Copies to or from its memory. False if that is refused or it is dead; the bytes in local and remote agree.
  bool copy_to(const iovec* local, unsigned locals, const iovec* remote, unsigned remotes) const noexcept;
  bool copy_from(const iovec* local, unsigned locals, const iovec* remote, unsigned remotes) const noexcept;

  /// A duplicate of a descriptor of its, if that is allowed.
  descriptor duplicate(int fd) const noexcept;

  /// Sends a message, in order, whenever the receiver gets round to taking it. Thread-safe.
  void send(message_kind kind, const void* data, std::size_t size);

private:
  friend class peers;

  bool is_same_process() const noexcept;
  void flush() noexcept;

  loop& loop_;
  const unsigned slot_;
  const loop::clock::time_point called_ = loop::clock::now();
  segment* self_ = nullptr;
  segment memory_;
  pid_t pid_ = 0;
  pid_t thread_ = 0;  // a thread that lives as long as the process, which its first need not
  descriptor process_;
  bool direct_ = false;
  std::atomic<bool> up_{false};
  std::atomic<bool> down_{false};
  std::vector<descriptor> sockets_;
  int speaking_ = -1;  // the one that send() uses: that on which it became known who is there
  std::mutex mutex_;
  std::deque<std::vector<unsigned char>> outbox_;
  bool flush_scheduled_ = false;
};

/// The processes that this one knows. Thread-safe; what is watched is called on the helper thread.
class peers {
public:
  peers(loop& l, segment& own) noexcept : loop_(l), own_(own) {}

  /// Takes a free slot and listens there. 0 or an errno value.
  int open(unsigned& slot) noexcept;
  /// After the own segment was made.
  void start();

  const std::shared_ptr<peer>& self() const noexcept { return self_; }
  /// The process in a slot, if it is known and alive.
  std::shared_ptr<peer> find(unsigned slot) const;
  /// The same; gets to know it if it is not. It may not be up yet. Null if no process has the slot.
  std::shared_ptr<peer> reach(unsigned slot);
  /// Gets to know everybody.
  void reach_all();
  /// The same, once.
  void have_reached_all();
  /// From now on this process has members of groups, which those can see who do not know it yet.
  void announce_members() noexcept;
  /// A datagram to a group has to wait: a process is coming up that has members of groups. One that has none may be
  /// stopped for as long as it likes.
  bool members_are_coming_up() const;
  std::vector<std::shared_ptr<peer>> all() const;

  // Set before start().
  std::function<void(const std::shared_ptr<peer>&)> on_up;
  std::function<void(const std::shared_ptr<peer>&)> on_down;
  std::function<void(const std::shared_ptr<peer>&, message_kind, const unsigned char*, std::size_t)> on_message;

private:
  void accept_all();
  void watch(const std::shared_ptr<peer>& p, descriptor socket);
  void receive(const std::shared_ptr<peer>& p, int fd);
  void receive_first(int fd, const std::shared_ptr<descriptor>& socket);
  int say_hello(int fd, bool is_answer) const noexcept;
  /// False if it is not what it says, or has ended.
  bool come_up(const std::shared_ptr<peer>& p, const hello& h, const descriptor& memory, int fd);
  void hang_up(const std::shared_ptr<peer>& p, int fd);
  void go_down(const std::shared_ptr<peer>& p);

  loop& loop_;
  segment& own_;
  descriptor listener_;
  std::shared_ptr<peer> self_;
  mutable std::mutex mutex_;
  std::array<std::shared_ptr<peer>, max_processes> known_;
  std::atomic<bool> has_reached_all_{false};
  descriptor members_;  // its name says that there are some
};

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
