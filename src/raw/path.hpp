// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_RAW_PATH_HPP
#define ASIO_RDMA_SRC_RAW_PATH_HPP

#include "device/gid_choice.hpp"
#include "raw/queues.hpp"
#include "transfer/link_record.hpp"

#include <asio_rdma/verbs/address_handle.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

/// The transitions of a queue pair whose ends have told each other what a connection manager would tell, and for
/// datagrams the way to the peer.
class path {
public:
  path() noexcept = default;
  path(const core::gid_choice& source, const core::raw_settings& s) noexcept : source_(source), settings_(s) {}

  /// Finds out what the peer has to know, which is own() then, and chooses the number of the first packet.
  core::error describe(const queues& q);
  const transfer::link_record& own() const noexcept { return own_; }

  /// RESET to INIT: receives can be posted.
  core::error initialize(const queues& q, unsigned access) const;
  /// INIT to RTS, once the peer has said who it is.
  core::error make_ready(const queues& q, const transfer::link_record& peer) const;
  core::error make_address(const queues& q, const transfer::link_record& peer, verbs::address_handle& result) const;

private:
  ibv_ah_attr route(const transfer::link_record& peer) const noexcept;

  core::gid_choice source_;
  core::raw_settings settings_;
  transfer::link_record own_;
};

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma

#endif
