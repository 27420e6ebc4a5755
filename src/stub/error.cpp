// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The texts of errors on a system that cannot have RDMA: few errors occur there.

#include <asio_rdma/detail/core/error.hpp>

#include "error/tables.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

const error_entry* find(error e) noexcept {
  return e.domain == error_domain::library ? find_library_error(e.value) : nullptr;
}

const char* text_of(error e) noexcept {
  if (!e) return "success";
  if (const error_entry* const entry = find(e)) return entry->text;
  if (e == error(EOPNOTSUPP)) return "this system cannot have RDMA: asio_rdma needs Linux";
  return e.domain == error_domain::system ? std::strerror(e.value) : "unknown error of asio_rdma";
}

}  // namespace

std::size_t error_text(error e, char* buffer, std::size_t size) noexcept {
  const char* const text = text_of(e);
  std::snprintf(buffer, size, "%s", text);
  return std::strlen(text);
}

bool error_means(error e, library_error condition) noexcept {
  const error_entry* const entry = find(e);
  return entry != nullptr && entry->condition == condition && condition != no_condition;
}

int error_as_errno(error e) noexcept {
  if (e.domain == error_domain::system) return e.value;
  const error_entry* const entry = find(e);
  return entry != nullptr ? entry->errno_value : 0;
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
