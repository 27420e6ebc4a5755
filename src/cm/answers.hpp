// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_CM_ANSWERS_HPP
#define ASIO_RDMA_SRC_CM_ANSWERS_HPP

#include "transfer/handshake.hpp"

#include <asio_rdma/detail/core/error.hpp>
#include <asio_rdma/verbs/cm_event.hpp>
#include <asio_rdma/verbs/cm_id.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace cm {

/// What a refusal means, in the terms of connect(2) where there are such. detail may get a line of its own.
core::error reject_error(const verbs::cm_event& event, const char*& detail) noexcept;

/// The same of a refusal of ours.
core::error reject_error(const transfer::reject& reject, const char*& detail) noexcept;

/// What it means that a peer's handshake cannot be accepted.
core::error handshake_error(transfer::handshake_error e) noexcept;

/// Tells the peer that the connection stands (rdma_establish). ECONNRESET if the peer has gone meanwhile.
core::error establish(const verbs::cm_id_ref& id) noexcept;

}  // namespace cm
}  // namespace v1
}  // namespace asio_rdma

#endif
