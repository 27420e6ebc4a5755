// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/local_socket.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

bool credentials(int fd, ucred& result) noexcept {
  socklen_t size = sizeof result;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &result, &size) == 0;
}

bool is_of_this_user(int fd) noexcept {
  ucred c{};
  return credentials(fd, c) && c.uid == ::geteuid();
}

descriptor make_spare() noexcept {
  return descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

/// Given up for a moment when there are no others.
descriptor& spare() noexcept {
  static descriptor instance = make_spare();
  return instance;
}

descriptor make_socket(int type) noexcept {
  return descriptor(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

}  // namespace

local_address local_name(const std::string& what) noexcept {
  local_address result;
  result.address.sun_family = AF_UNIX;
  const std::string name = "asio_rdma.soft0." + std::to_string(::geteuid()) + "." + what;
  const std::size_t length = std::min(name.size(), sizeof result.address.sun_path - 1);
  std::memcpy(result.address.sun_path + 1, name.data(), length);
  result.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return result;
}

descriptor bind_local(int type, const local_address& name) noexcept {
  (void)spare();  // there are some now
  descriptor result = make_socket(type);
  if (!result || ::bind(result.get(), name.get(), name.size) != 0) return descriptor();
  return result;
}

descriptor connect_local(int type, const local_address& name) noexcept {
  descriptor result = make_socket(type);
  if (!result || ::connect(result.get(), name.get(), name.size) != 0) return descriptor();
  if (!is_of_this_user(result.get())) {
    errno = EPERM;
    return descriptor();
  }
  return result;
}

bool is_taken(int type, const local_address& name) noexcept {
  const descriptor probe = make_socket(type);
  return probe && ::connect(probe.get(), name.get(), name.size) == 0;
}

descriptor accept_local(int listener) noexcept {
  for (;;) {
    if (!spare()) spare() = make_spare();
    descriptor result(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!result && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (!result && (errno == EMFILE || errno == ENFILE)) {
      if (!spare()) return result;
      spare() = descriptor();
      const descriptor hung_up(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!hung_up) return descriptor();
      continue;
    }
    if (!result || is_of_this_user(result.get())) return result;
  }
}

pid_t process_at(int fd) noexcept {
  ucred c{};
  return credentials(fd, c) ? c.pid : 0;
}

int send_packet(int fd, const void* data, std::size_t size, int passed) noexcept {
  iovec part{const_cast<void*>(data), size};
  msghdr m{};
  m.msg_iov = &part;
  m.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
  if (passed >= 0) {
    m.msg_control = control;
    m.msg_controllen = sizeof control;
    cmsghdr* const c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(c), &passed, sizeof passed);
  }
  while (::sendmsg(fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

ssize_t receive_packet(int fd, void* data, std::size_t size, descriptor* passed) noexcept {
  iovec part{data, size};
  msghdr m{};
  m.msg_iov = &part;
  m.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
  m.msg_control = control;
  m.msg_controllen = sizeof control;
  ssize_t result = -1;
  do {
    result = ::recvmsg(fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (result < 0 && errno == EINTR);
  if (result < 0) return result;
  for (cmsghdr* c = CMSG_FIRSTHDR(&m); c != nullptr; c = CMSG_NXTHDR(&m, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    // Alignment leaves room for a second one, which is no use to us but ours to close.
    for (std::size_t at = 0; at + CMSG_LEN(sizeof(int)) <= c->cmsg_len; at += sizeof(int)) {
      int received = -1;
      std::memcpy(&received, CMSG_DATA(c) + at, sizeof received);
      descriptor owner(received);
      if (passed && at == 0) *passed = std::move(owner);
    }
  }
  return result;
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
