// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include <asio_rdma/detail/core/error.hpp>

#include "error/diagnosis.hpp"
#include "error/errno_text.hpp"
#include "error/foreign_address.hpp"
#include "error/option_error.hpp"
#include "error/refusal.hpp"
#include "error/tables.hpp"
#include "error/text.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace core {

const error_entry* find_error(error e) noexcept {
  switch (e.domain) {
    case error_domain::library:
      return find_library_error(e.value);
    case error_domain::completion:
      return find_completion_error(e.value);
    case error_domain::cm_event:
      return find_cm_event_error(e.value);
    case error_domain::cm_reject:
      return find_cm_reject_error(e.value);
    case error_domain::foreign_address:
      return find_library_error(static_cast<int>(library_error::foreign_address));
    case error_domain::device_policy:
      return find_library_error(static_cast<int>(refusal_meaning(e.value)));
    case error_domain::option:
      return find_library_error(static_cast<int>(option_error_meaning(e.value)));
    case error_domain::system:
      break;
  }
  return nullptr;
}

namespace {

const char* domain_name(error_domain domain) noexcept {
  switch (domain) {
    case error_domain::system:
      return "system error";
    case error_domain::library:
      return "asio_rdma error";
    case error_domain::completion:
      return "work completion status";
    case error_domain::cm_event:
      return "connection manager event";
    case error_domain::cm_reject:
      return "connection manager reject reason";
    case error_domain::foreign_address:
      return "foreign address";
    case error_domain::device_policy:
      return "refusal of the device policy";
    case error_domain::option:
      return "error of a socket option";
  }
  return "error of an unknown domain";
}

void describe(error e, text& out) {
  if (!e) return out.add("success");
  if (e.domain == error_domain::system) return out.add("%s", errno_text(e.value).get());
  if (e.domain == error_domain::foreign_address) return describe_foreign_address(e.value, out);
  if (e.domain == error_domain::device_policy) return describe_refusal(e.value, out);
  if (e.domain == error_domain::option) return describe_option_error(e.value, out);
  const error_entry* const entry = find_error(e);
  if (entry == nullptr) return out.add("unknown %s %d", domain_name(e.domain), e.value);
  out.add("%s", entry->text);
  if (e == library_error::no_device) describe_missing_device(out);
  if (e == library_error::memlock_limit) describe_memlock_limit(out);
}

}  // namespace

std::size_t error_text(error e, char* buffer, std::size_t size) noexcept {
  try {
    text out(buffer, size);
    describe(e, out);
    return out.length();
  } catch (...) {  // no memory to look at the machine
    text out(buffer, size);
    out.add("%s %d", domain_name(e.domain), e.value);
    return out.length();
  }
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
