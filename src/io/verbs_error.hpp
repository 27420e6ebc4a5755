// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_IO_VERBS_ERROR_HPP
#define ASIO_RDMA_SRC_IO_VERBS_ERROR_HPP

#include <asio_rdma/error.hpp>

#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// What an error_code of the verbs layer is in the core: the inverse of to_error_code().
inline core::error to_error(const boost::system::error_code& ec) noexcept {
  if (!ec) return {};
  if (ec.category() == library_category()) return {ec.value(), core::error_domain::library};
  if (ec.category() == completion_category()) return {ec.value(), core::error_domain::completion};
  if (ec.category() == cm_event_category()) return {ec.value(), core::error_domain::cm_event};
  if (ec.category() == cm_reject_category()) return {ec.value(), core::error_domain::cm_reject};
  if (ec.category() == foreign_address_category()) return {ec.value(), core::error_domain::foreign_address};
  if (ec.category() == device_policy_category()) return {ec.value(), core::error_domain::device_policy};
  if (ec.category() == option_category()) return {ec.value(), core::error_domain::option};
  return core::error(ec.value());
}

/// What taking an event from a channel that does not block came to: that none waits is no error.
inline core::error event_error(const boost::system::error_code& ec) noexcept {
  return ec == boost::system::errc::resource_unavailable_try_again ? core::error() : to_error(ec);
}

/// What a call of the connection manager for a connection that is coming about came to. If the peer has gone meanwhile,
/// of which the event is still to come, the kernel knows of no connection and calls it an invalid argument.
inline core::error to_connection_error(const boost::system::error_code& ec) noexcept {
  return ec == boost::system::errc::invalid_argument ? core::error(ECONNRESET) : to_error(ec);
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma

#endif
