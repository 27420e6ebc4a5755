// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "socket/failure_record.hpp"

#include "log/log.hpp"

#include <netdb.h>
#include <netinet/in.h>

#include <cstdio>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

const char* step_text(failure_step step) noexcept {
  switch (step) {
    case failure_step::open_device:
      return "open device";
    case failure_step::bind:
      return "bind";
    case failure_step::listen:
      return "listen";
    case failure_step::resolve_address:
      return "resolve address";
    case failure_step::resolve_route:
      return "resolve route";
    case failure_step::create_resources:
      return "create queues";
    case failure_step::connect:
      return "connect";
    case failure_step::accept:
      return "accept";
    case failure_step::transfer:
      return "transfer";
    case failure_step::close:
      return "close";
    case failure_step::none:
      break;
  }
  return "";
}

}  // namespace

void address_text(const sockaddr_storage& address, char* buffer, std::size_t size) noexcept {
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  const bool v6 = address.ss_family == AF_INET6;
  const socklen_t length = v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  const bool known = (v6 || address.ss_family == AF_INET) &&
                     ::getnameinfo(reinterpret_cast<const sockaddr*>(&address), length, host, sizeof host, port,
                                   sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) == 0;
  if (!known) {
    std::snprintf(buffer, size, "(no address)");
  } else {
    std::snprintf(buffer, size, v6 ? "[%s]:%s" : "%s:%s", host, port);
  }
}

void failure_record::set_device(const char* name) noexcept {
  std::snprintf(failure_.device, sizeof failure_.device, "%s", name ? name : "");
}

void failure_record::set_event(const verbs::cm_event& event) noexcept {
  failure_.cm_event = event.type;
  failure_.cm_status = event.status;
}

void failure_record::set_completion(int status, std::uint32_t vendor_error) noexcept {
  failure_.completion_status = status;
  failure_.vendor_error = vendor_error;
}

void failure_record::set(const error& e, failure_step step, const char* detail) noexcept {
  failure_.code = e;
  failure_.step = step;
  char peer[128];
  char cause[700];
  address_text(failure_.peer, peer, sizeof peer);
  error_text(e, cause, sizeof cause);
  std::snprintf(failure_.text, sizeof failure_.text, "%s, peer %s%s%s: %s%s%s", step_text(step), peer,
                failure_.device[0] ? ", device " : "", failure_.device, cause, detail ? ": " : "",
                detail ? detail : "");
  log(log_level::warning, "%s", failure_.text);
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
