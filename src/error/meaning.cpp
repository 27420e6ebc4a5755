// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What the tables of errors say of one beside its text.

#include "error/tables.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace core {

bool error_means(error e, library_error condition) noexcept {
  if (condition == no_condition) return false;
  const error_entry* const entry = find_error(e);
  return entry != nullptr && entry->condition == condition;
}

int error_as_errno(error e) noexcept {
  if (e.domain == error_domain::system) return e.value;
  const error_entry* const entry = find_error(e);
  return entry != nullptr ? entry->errno_value : 0;
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
