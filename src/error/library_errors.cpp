// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "error/tables.hpp"

#include <cerrno>
#include <iterator>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

// In the order of library_error, from 1 on. error_text() adds what it finds out about this machine to no_device and
// memlock_limit.
constexpr error_entry entries[] = {
    {static_cast<int>(library_error::eof), 0, library_error::eof,
     "end of stream: the peer ended its sending direction"},
    {static_cast<int>(library_error::already_open), 0, library_error::already_open, "the socket is open already"},
    {static_cast<int>(library_error::no_device), ENODEV, library_error::no_device, "no usable RDMA device"},
    {static_cast<int>(library_error::foreign_address), EADDRNOTAVAIL, library_error::foreign_address,
     "an address of this host that no RDMA device owns"},
    {static_cast<int>(library_error::incompatible_version), EPROTONOSUPPORT, library_error::incompatible_version,
     "the peer's asio_rdma speaks no protocol version in common with this one: upgrade the older side"},
    {static_cast<int>(library_error::not_asio_rdma), EPROTO, library_error::not_asio_rdma,
     "the peer does not speak asio_rdma's protocol: something else uses RDMA on that port"},
    {static_cast<int>(library_error::mode_mismatch), EPROTOTYPE, library_error::mode_mismatch,
     "the peer's socket is of another kind: stream, seq_packet and raw sockets connect to their own kind only"},
    {static_cast<int>(library_error::protocol_error), EPROTO, library_error::protocol_error,
     "the peer broke the wire protocol; the connection was ended. The log has the details"},
    {static_cast<int>(library_error::memlock_limit), ENOMEM, library_error::memlock_limit,
     "memory could not be registered: the limit on locked memory is too low"},
    {static_cast<int>(library_error::device_limit), ENOBUFS, library_error::device_limit,
     "the RDMA device has no more queues, regions or entries of the size asked for: use smaller queues and buffers or "
     "fewer connections; ibv_devinfo -v shows the limits"},
    {static_cast<int>(library_error::peer_out_of_resources), ECONNREFUSED, library_error::peer_out_of_resources,
     "the listener had no memory, file descriptors or queue pairs left for this connection: see its log"},
    {static_cast<int>(library_error::unknown_device), ENODEV, library_error::unknown_device,
     "the device policy names a device that this machine does not have"},
    {static_cast<int>(library_error::other_host), EHOSTUNREACH, library_error::other_host,
     "an address of another host, which the software device soft0 does not reach"},
    {static_cast<int>(library_error::bad_default), EINVAL, library_error::bad_default,
     "a default of a socket option, from the environment or the file that ASIO_RDMA_CONFIG names, is wrong"},
    {static_cast<int>(library_error::option_refused), EOPNOTSUPP, library_error::option_refused,
     "the device or the connection manager cannot do what a socket option asks for"},
    {static_cast<int>(library_error::forked), EBADF, library_error::forked,
     "this process was forked from one that used RDMA, whose queue pairs and threads it does not have: fork before the "
     "first socket is bound, connected or made to listen, or let the child execute a program"},
    {static_cast<int>(library_error::misuse), EINVAL, library_error::misuse, "a request is wrong in itself"},
};

}  // namespace

const error_entry* find_library_error(int value) noexcept {
  if (value < 1 || value > static_cast<int>(std::size(entries))) return nullptr;
  return &entries[value - 1];
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
