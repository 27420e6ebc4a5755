// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_LAST_FAILURE_HPP
#define ASIO_RDMA_LAST_FAILURE_HPP

#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/detail/endpoint_conversion.hpp>
#include <asio_rdma/detail/native_handle.hpp>
#include <asio_rdma/error.hpp>

#include <boost/system/error_code.hpp>

#include <cstdint>
#include <string>

namespace asio_rdma {
inline namespace v1 {

/// The steps at which a connection can fail.
using failure_step = core::failure_step;

/// What is known about the last failure of a socket, beyond the error_code that its user got.
template <class Endpoint>
struct failure {
  failure_step step = failure_step::none;  ///< none if nothing has failed
  boost::system::error_code code;          ///< in the category of its origin, for example a connection manager's reject
  int completion_status = 0;               ///< ibv_wc_status; 0 if no work completion failed
  std::uint32_t vendor_error = 0;          ///< the device's own code for that work completion
  int cm_event = -1;                       ///< rdma_cm_event_type; -1 if there was none
  int cm_status = 0;                       ///< status of that event: an errno value, or the reason of a reject
  std::string device;                      ///< empty if the failure came before a device was found
  Endpoint peer;                           ///< unspecified address if there is no peer
  std::string text;                        ///< one line: step, cause, remedy
};

/// What is known about the last failure of a socket or acceptor. Nothing, if it is closed.
/// Not to be called while another thread uses the object.
template <class Socket>
failure<typename Socket::endpoint_type> last_failure(Socket& socket) {
  failure<typename Socket::endpoint_type> result;
  if (!socket.is_open()) return result;
  core::failure f;
  socket.native_handle().get().last_failure(f);
  result.step = f.step;
  result.code = to_error_code(f.code);
  result.completion_status = f.completion_status;
  result.vendor_error = f.vendor_error;
  result.cm_event = f.cm_event;
  result.cm_status = f.cm_status;
  result.device = f.device;
  if (f.peer.ss_family != 0) detail::from_sockaddr(f.peer, result.peer);
  result.text = f.text;
  return result;
}

}  // namespace v1
}  // namespace asio_rdma

#endif
