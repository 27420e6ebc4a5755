// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/peer.hpp"

#include "soft/local_socket.hpp"
#include "soft/thread_sanitizer.hpp"

#include <poll.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

std::atomic<bool> may_copy{true};

}  // namespace

void look_at_copy_variable() noexcept {
  const char* const way = std::getenv("ASIO_RDMA_SOFT_COPY");
  may_copy = !way || std::strcmp(way, "shared") != 0;
}

namespace {

local_address name_of(unsigned slot) {
  return local_name("process." + std::to_string(slot));
}

local_address name_of_members(unsigned slot) {
  return local_name("members." + std::to_string(slot));
}

std::size_t total(const iovec* parts, unsigned count) noexcept {
  std::size_t result = 0;
  for (unsigned i = 0; i < count; ++i) result += parts[i].iov_len;
  return result;
}

/// memmove between two lists of memory.
void copy_within(const iovec* to, unsigned tos, const iovec* from, unsigned froms) noexcept {
  const as_a_card card;
  std::size_t to_offset = 0, from_offset = 0;
  for (unsigned i = 0, j = 0; i < tos && j < froms;) {
    const std::size_t size = std::min(to[i].iov_len - to_offset, from[j].iov_len - from_offset);
    if (size != 0) {
      std::memmove(static_cast<char*>(to[i].iov_base) + to_offset, static_cast<char*>(from[j].iov_base) + from_offset,
                   size);
    }
    to_offset += size;
    from_offset += size;
    if (to_offset == to[i].iov_len) ++i, to_offset = 0;
    if (from_offset == from[j].iov_len) ++j, from_offset = 0;
  }
}

/// The system call, which may copy less than all at once.
template <class Call>
bool copy_between(Call call, const iovec* local, unsigned locals, const iovec* remote, unsigned remotes) noexcept {
  const std::size_t size = total(local, locals);
  ssize_t done = call(local, locals, remote, remotes);
  if (done == static_cast<ssize_t>(size)) return true;
  if (done < 0) return false;
  // Rare: go on from where it stopped.
  std::vector<iovec> l(local, local + locals), r(remote, remote + remotes);
  const auto skip = [](std::vector<iovec>& list, std::size_t bytes) {
    while (!list.empty() && bytes >= list.front().iov_len) {
      bytes -= list.front().iov_len;
      list.erase(list.begin());
    }
    if (!list.empty()) {
      list.front().iov_base = static_cast<char*>(list.front().iov_base) + bytes;
      list.front().iov_len -= bytes;
    }
  };
  std::size_t sum = 0;
  while (done > 0) {
    sum += static_cast<std::size_t>(done);
    if (sum == size) return true;
    skip(l, static_cast<std::size_t>(done));
    skip(r, static_cast<std::size_t>(done));
    done = call(l.data(), static_cast<unsigned>(l.size()), r.data(), static_cast<unsigned>(r.size()));
  }
  if (done == 0) errno = EFAULT;
  return false;
}

}  // namespace

std::atomic<void (*)()> before_copy{nullptr};

bool peer::is_alive() const noexcept {
  if (self_) return true;
  if (!is_up() || !process_) return !is_down();
  pollfd ended{process_.get(), POLLIN, 0};
  return ::poll(&ended, 1, 0) == 0;
}

bool peer::is_same_process() const noexcept {
  if (const auto f = before_copy.load(std::memory_order_relaxed)) f();
  // The number of a process that ended and was waited for can belong to another one. A pidfd is readable once its
  // process has ended (pidfd_open(2)).
  pollfd ended{process_.get(), POLLIN, 0};
  return process_ && ::poll(&ended, 1, 0) == 0;
}

bool peer::copy_to(const iovec* local, unsigned locals, const iovec* remote, unsigned remotes) const noexcept {
  if (self_) {
    copy_within(remote, remotes, local, locals);
    return true;
  }
  if (!is_same_process()) return errno = ESRCH, false;
  const auto call = [this](const iovec* l, unsigned ls, const iovec* r, unsigned rs) {
    return ::process_vm_writev(thread_, l, ls, r, rs, 0);
  };
  return copy_between(call, local, locals, remote, remotes);
}

bool peer::copy_from(const iovec* local, unsigned locals, const iovec* remote, unsigned remotes) const noexcept {
  if (self_) {
    copy_within(local, locals, remote, remotes);
    return true;
  }
  if (!is_same_process()) return errno = ESRCH, false;
  const auto call = [this](const iovec* l, unsigned ls, const iovec* r, unsigned rs) {
    return ::process_vm_readv(thread_, l, ls, r, rs, 0);
  };
  return copy_between(call, local, locals, remote, remotes);
}

descriptor peer::duplicate(int fd) const noexcept {
  return process_ ? descriptor(static_cast<int>(::syscall(SYS_pidfd_getfd, process_.get(), fd, 0))) : descriptor();
}

void peer::send(message_kind kind, const void* data, std::size_t size) {
  std::vector<unsigned char> packet(sizeof kind + size);
  std::memcpy(packet.data(), &kind, sizeof kind);
  std::memcpy(packet.data() + sizeof kind, data, size);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_down()) return;
  outbox_.push_back(std::move(packet));
  flush();
}

void peer::flush() noexcept {
  // Until it is up there is nobody to send to: come_up() calls again.
  while (is_up() && !outbox_.empty()) {
    const int e = send_packet(speaking_, outbox_.front().data(), outbox_.front().size());
    if (e == EAGAIN || e == ENOBUFS) {
      // Its thread is slow, or stopped.
      if (flush_scheduled_) return;
      flush_scheduled_ = true;
      loop_.after(std::chrono::milliseconds(2), [self = shared_from_this()] {
        const std::lock_guard<std::mutex> lock(self->mutex_);
        self->flush_scheduled_ = false;
        self->flush();
      });
      return;
    }
    outbox_.pop_front();
  }
}

int peers::open(unsigned& slot) noexcept {
  for (slot = 0; slot < max_processes; ++slot) {
    listener_ = bind_local(SOCK_SEQPACKET, name_of(slot));
    if (!listener_ && errno != EADDRINUSE) return errno;
    if (listener_) return ::listen(listener_.get(), 128) == 0 ? 0 : errno;
  }
  return EMFILE;
}

void peers::start() {
  self_ = std::make_shared<peer>(loop_, own_.header().slot);
  self_->self_ = &own_;
  self_->up_ = true;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    known_[self_->slot()] = self_;
  }
  loop_.watch(listener_.get(), [this] { accept_all(); });
}

std::shared_ptr<peer> peers::find(unsigned slot) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return slot < known_.size() ? known_[slot] : nullptr;
}

std::vector<std::shared_ptr<peer>> peers::all() const {
  std::vector<std::shared_ptr<peer>> result;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& p : known_) {
    if (p) result.push_back(p);
  }
  return result;
}

std::shared_ptr<peer> peers::reach(unsigned slot) {
  if (slot >= known_.size()) return nullptr;
  std::shared_ptr<peer> p;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (known_[slot]) return known_[slot];
    descriptor socket = connect_local(SOCK_SEQPACKET, name_of(slot));
    if (!socket && errno != EAGAIN) return nullptr;
    p = known_[slot] = std::make_shared<peer>(loop_, slot);
    if (socket && say_hello(socket.get(), false) == 0) {
      watch(p, std::move(socket));
      return p;
    }
  }
  // Its queue of connections is full, or it has just ended: try again from scratch, unless it comes to us meanwhile.
  loop_.after(std::chrono::milliseconds(5), [this, p, slot] {
    if (p->is_up() || p->is_down()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (known_[slot] == p) known_[slot] = nullptr;
    }
    p->down_ = true;
    if (!reach(slot)) on_down(p);  // who waits for it has to know
  });
  return p;
}

void peers::reach_all() {
  for (unsigned slot = 0; slot < max_processes; ++slot) (void)reach(slot);
  has_reached_all_ = true;
}

void peers::have_reached_all() {
  if (!has_reached_all_.load()) reach_all();
}

void peers::announce_members() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!members_) members_ = bind_local(SOCK_DGRAM, name_of_members(self_->slot()));
}

bool peers::members_are_coming_up() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::any_of(known_.begin(), known_.end(), [](const auto& p) {
    return p && p->is_coming_up() && is_taken(SOCK_DGRAM, name_of_members(p->slot()));
  });
}

int peers::say_hello(int fd, bool is_answer) const noexcept {
  hello h{};
  h.kind = message_kind::hello;
  h.version = segment_header::right_version;
  h.slot = own_.header().slot;
  h.is_answer = is_answer ? 1 : 0;
  h.thread = loop_.thread_id();
  h.instance = own_.header().instance;
  h.base = reinterpret_cast<std::uintptr_t>(own_.base());
  return send_packet(fd, &h, sizeof h, own_.fd());
}

void peers::accept_all() {
  while (descriptor accepted = accept_local(listener_.get())) {
    const int fd = accepted.get();
    const auto socket = std::make_shared<descriptor>(std::move(accepted));
    loop_.watch(fd, [this, fd, socket] { receive_first(fd, socket); });
  }
}

void peers::receive_first(int fd, const std::shared_ptr<descriptor>& socket) {
  hello h{};
  descriptor memory;
  const ssize_t size = receive_packet(fd, &h, sizeof h, &memory);
  if (size < 0 && errno == EAGAIN) return;
  const std::shared_ptr<descriptor> owner = socket;
  loop_.unwatch(fd);
  if (size != sizeof h || h.kind != message_kind::hello || h.version != segment_header::right_version ||
      h.slot >= max_processes || h.slot == self_->slot()) {
    return;
  }
  // It may have ended meanwhile, and the process that has its slot now be known already.
  if (say_hello(fd, true) != 0) return;
  std::shared_ptr<peer> p = find(h.slot);
  if (p && p->is_up() && p->header().instance != h.instance) {
    if (p->process_ && p->is_alive()) return;
    go_down(p);
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<peer>& known = known_[h.slot];
    if (!known) known = std::make_shared<peer>(loop_, h.slot);
    p = known;
  }
  descriptor kept = std::move(*owner);
  watch(p, std::move(kept));
  if (!come_up(p, h, memory, fd)) hang_up(p, fd);
}

void peers::watch(const std::shared_ptr<peer>& p, descriptor socket) {
  const int fd = socket.get();
  {
    const std::lock_guard<std::mutex> lock(p->mutex_);
    p->sockets_.push_back(std::move(socket));
  }
  loop_.watch(fd, [this, p, fd] { receive(p, fd); });
}

void peers::receive(const std::shared_ptr<peer>& p, int fd) {
  for (;;) {
    alignas(hello) unsigned char data[max_message_size];
    descriptor memory;
    const ssize_t size = receive_packet(fd, data, sizeof data, &memory);
    if (size < 0 && errno == EAGAIN) return;
    if (size < static_cast<ssize_t>(sizeof(message_kind))) return hang_up(p, fd);
    message_kind kind{};
    std::memcpy(&kind, data, sizeof kind);
    if (kind == message_kind::hello) {
      hello h{};
      if (size != sizeof h) return hang_up(p, fd);
      std::memcpy(&h, data, sizeof h);
      if (!come_up(p, h, memory, fd)) return hang_up(p, fd);
      if (p->is_down()) return;
    } else if (p->is_up()) {
      on_message(p, kind, data + sizeof kind, static_cast<std::size_t>(size) - sizeof kind);
      if (p->is_down()) return;
    }
  }
}

bool peers::come_up(const std::shared_ptr<peer>& p, const hello& h, const descriptor& memory, int fd) {
  if (p->is_up()) return true;  // each has called the other
  if (h.slot != p->slot() || h.version != segment_header::right_version || p->memory_.map(memory.get()) != 0 ||
      p->header().instance != h.instance) {
    return false;
  }
  p->thread_ = h.thread;
  p->pid_ = process_at(fd);
  if (p->pid_ > 0) p->process_ = descriptor(static_cast<int>(::syscall(SYS_pidfd_open, p->pid_, 0)));
  // The socket is still open at the other end, so that it is this process that the number meant.
  pollfd hung_up{fd, POLLRDHUP, 0};
  if (::poll(&hung_up, 1, 0) != 0 && (hung_up.revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0) return false;
  std::uint64_t instance = 0;
  const iovec local{&instance, sizeof instance};
  const std::uintptr_t address = static_cast<std::uintptr_t>(h.base) + offsetof(segment_header, instance);
  const iovec remote{reinterpret_cast<void*>(address), sizeof instance};
  p->direct_ = may_copy && p->process_ && p->copy_from(&local, 1, &remote, 1) && instance == h.instance;
  {
    const std::lock_guard<std::mutex> lock(p->mutex_);
    p->speaking_ = fd;
    p->up_ = true;
    p->flush();
  }
  // Its sockets tell of its end too, unless it has left them to a child that it forked.
  if (p->process_) loop_.watch(p->process_.get(), [this, p] { go_down(p); });
  on_up(p);
  return true;
}

void peers::hang_up(const std::shared_ptr<peer>& p, int fd) {
  descriptor closed;
  {
    const std::lock_guard<std::mutex> lock(p->mutex_);
    const auto found =
        std::find_if(p->sockets_.begin(), p->sockets_.end(), [fd](const descriptor& s) { return s.get() == fd; });
    // Another one may lead to a process that had the slot before.
    if (fd != p->speaking_ && p->sockets_.size() > 1 && found != p->sockets_.end()) {
      closed = std::move(*found);
      p->sockets_.erase(found);
    }
  }
  if (!closed) return go_down(p);
  loop_.unwatch(fd);
}

void peers::go_down(const std::shared_ptr<peer>& p) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (known_[p->slot()] == p) known_[p->slot()] = nullptr;
  }
  std::vector<descriptor> sockets;
  {
    const std::lock_guard<std::mutex> lock(p->mutex_);
    if (p->is_down()) return;
    p->down_ = true;
    p->up_ = false;
    p->speaking_ = -1;
    sockets.swap(p->sockets_);
    p->outbox_.clear();
  }
  for (const descriptor& s : sockets) loop_.unwatch(s.get());
  if (p->process_) loop_.unwatch(p->process_.get());
  on_down(p);
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
