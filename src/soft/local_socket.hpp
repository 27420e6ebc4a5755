// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_LOCAL_SOCKET_HPP
#define ASIO_RDMA_SRC_SOFT_LOCAL_SOCKET_HPP

#include "soft/descriptor.hpp"

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include <cstddef>
#include <string>

// Unix sockets with abstract names (unix(7)): the kernel makes such a name exclusive within a network namespace, and
// takes it back whenever and however its owner dies. Any user can bind or address one, so that both sides check the
// other's user.
namespace asio_rdma {
inline namespace v1 {
namespace soft {

struct local_address {
  sockaddr_un address{};
  socklen_t size = 0;

  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address); }
};

/// The abstract name of a thing of this user's soft0, such as "process.3" or "port.tcp.7f000001.5000".
local_address local_name(const std::string& what) noexcept;

/// A socket of that type bound to the name; EADDRINUSE in errno if it is taken. Close-on-exec and non-blocking.
descriptor bind_local(int type, const local_address& name) noexcept;
/// A connected one; errno is ECONNREFUSED if nobody has the name, EAGAIN if its owner is too busy, EPERM if it is
/// another user's.
descriptor connect_local(int type, const local_address& name) noexcept;
/// Somebody has the name, whoever it is.
bool is_taken(int type, const local_address& name) noexcept;
/// Takes a connection from a listening one; those of other users are dropped, and all where the process has no
/// descriptors left: nobody waits then for as long as that lasts. errno is EAGAIN if there is none. One thread at a
/// time.
descriptor accept_local(int listener) noexcept;

/// The process at the other end, as it is called here; 0 if it is not visible from here (pid_namespaces(7)).
pid_t process_at(int fd) noexcept;

/// Sends one packet, with a descriptor if fd is not -1. 0 or an errno value.
int send_packet(int fd, const void* data, std::size_t size, int passed = -1) noexcept;
/// Receives one packet: its size, 0 at the end, -1 with errno set. What does not fit is lost.
ssize_t receive_packet(int fd, void* data, std::size_t size, descriptor* passed = nullptr) noexcept;

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
