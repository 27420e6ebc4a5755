// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_ASIO_ERROR_HPP
#define ASIO_RDMA_DETAIL_ASIO_ERROR_HPP

#include <asio_rdma/detail/core/error.hpp>
#include <asio_rdma/error.hpp>

#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>

#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// True if an operation of the core has to be tried again later.
inline bool must_wait(core::error e) noexcept {
  return e == core::error(EAGAIN);
}

/// The error_code that a socket hands to its user. Programs written for TCP compare codes with Asio's enumerators,
/// which match one category only; so where an errno value says what happened to a connection, that is the code, and
/// last_failure() has the rest.
inline boost::system::error_code to_asio_error(core::error e) noexcept {
  if (!e) return {};
  switch (e.domain) {
    case core::error_domain::library:
      if (e == core::library_error::eof) return boost::asio::error::eof;
      if (e == core::library_error::already_open) return boost::asio::error::already_open;
      break;
    case core::error_domain::completion:
    case core::error_domain::cm_event:
    case core::error_domain::cm_reject:
      if (const int number = core::error_as_errno(e)) return {number, boost::system::system_category()};
      break;
    case core::error_domain::system:
    case core::error_domain::foreign_address:
    case core::error_domain::device_policy:
    case core::error_domain::option:
      break;
  }
  return to_error_code(e);
}

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
