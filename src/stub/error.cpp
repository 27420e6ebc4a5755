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

const error_entry* find_error(error e) noexcept {
  return e.domain == error_domain::library ? find_library_error(e.value) : nullptr;
}

namespace {

const char* text_of(error e) noexcept {
  if (!e) return "success";
  if (const error_entry* const entry = find_error(e)) return entry->text;
  if (e == error(EOPNOTSUPP)) return "this system cannot have RDMA: asio_rdma needs Linux";
  return e.domain == error_domain::system ? std::strerror(e.value) : "unknown error of asio_rdma";
}

}  // namespace

std::size_t error_text(error e, char* buffer, std::size_t size) noexcept {
  const char* const text = text_of(e);
  std::snprintf(buffer, size, "%s", text);
  return std::strlen(text);
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
