// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "cm/answers.hpp"

#include "io/verbs_error.hpp"

#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace cm {

core::error reject_error(const verbs::cm_event& event, const char*& detail) noexcept {
  const auto reject = transfer::decode_reject(event.private_data.data(), event.private_data_size);
  if (reject) return reject_error(*reject, detail);
  constexpr int invalid_service_id = 8;  // nobody listens
  constexpr int consumer_reject = 28;    // a listener that is not ours said no
  const bool refused = event.status == invalid_service_id || event.status == consumer_reject;
  return refused ? core::error(ECONNREFUSED) : io::to_error(event.error());
}

core::error reject_error(const transfer::reject& reject, const char*& detail) noexcept {
  using core::library_error;
  switch (reject.reason) {
    case transfer::reject_reason::incompatible_version:
      return library_error::incompatible_version;
    case transfer::reject_reason::mode_mismatch:
      return library_error::mode_mismatch;
    case transfer::reject_reason::not_ours:
    case transfer::reject_reason::bad_handshake:
      return library_error::protocol_error;
    case transfer::reject_reason::backlog_full:
      detail = "the listener's backlog is full";
      break;
    case transfer::reject_reason::out_of_resources:
      detail = "the listener has no memory, descriptors or queue pairs left";
      break;
    case transfer::reject_reason::not_loopback:
      detail = "the listener is bound to another address";
      break;
    case transfer::reject_reason::closing:
      detail = "the listener was closed";
      break;
  }
  return core::error(ECONNREFUSED);
}

core::error handshake_error(transfer::handshake_error e) noexcept {
  using core::library_error;
  switch (e) {
    case transfer::handshake_error::not_ours:
      return library_error::not_asio_rdma;
    case transfer::handshake_error::incompatible_version:
      return library_error::incompatible_version;
    default:
      return library_error::protocol_error;
  }
}

core::error establish(const verbs::cm_id_ref& id) noexcept {
  verbs::error_code ec;
  id.establish(ec);
  return io::to_connection_error(ec);
}

}  // namespace cm
}  // namespace v1
}  // namespace asio_rdma
