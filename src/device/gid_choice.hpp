// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_DEVICE_GID_CHOICE_HPP
#define ASIO_RDMA_SRC_DEVICE_GID_CHOICE_HPP

#include "device/choice.hpp"

#include <asio_rdma/detail/core/error.hpp>
#include <asio_rdma/verbs/api.hpp>

#include <sys/socket.h>

#include <cstdint>
#include <string>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// A port of a device and one of its GIDs.
struct gid_choice {
  std::string device;
  std::uint8_t port = 0;
  int index = -1;
  ibv_gid gid{};
};

/// The GID to use where no connection manager chooses: of those of the devices allowed, on active ports, the one that
/// is the given address of this host; among several, or if none is, RoCE v2 before InfiniBand before RoCE v1, and those
/// that routers forward before those that belong to one link. port and index are given, or 0 and -1. ENODEV if there is
/// no such GID.
error choose_gid(const device_choice& devices, const sockaddr_storage& own_address, int port, int index,
                 gid_choice& result);

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
