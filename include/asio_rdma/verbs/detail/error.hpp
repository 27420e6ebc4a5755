// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_DETAIL_ERROR_HPP
#define ASIO_RDMA_VERBS_DETAIL_ERROR_HPP

#include <asio_rdma/error.hpp>

#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>

#include <cerrno>
#include <cstddef>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

using boost::system::error_code;

namespace detail {

/// What an errno of a call that pins memory means: library_error::memlock_limit for an ENOMEM that RLIMIT_MEMLOCK
/// explains (bytes more would exceed it), the errno itself otherwise.
ASIO_RDMA_DECL core::error memory_error(int errno_value, std::size_t bytes) noexcept;

/// What an errno of the first call that looks for a device means: library_error::no_device or the errno itself.
ASIO_RDMA_DECL core::error device_error(int errno_value) noexcept;

inline error_code make_error(int errno_value) noexcept {
  return error_code(errno_value, boost::system::system_category());
}

/// The same as an error_code. The software device needs none of what is missing there.
inline error_code device_error_code(int errno_value, bool is_software) noexcept {
  return is_software ? make_error(errno_value) : to_error_code(device_error(errno_value));
}

/// The calls of verbs say 0 for success and return an errno; old providers, and all of rdma_*, return -1 and set errno.
inline int to_errno(int result) noexcept {
  return result >= 0 ? result : errno;
}

/// True if the call succeeded; sets ec either way.
inline bool check(int result, error_code& ec) noexcept {
  if (result == 0) {
    ec = error_code();
    return true;
  }
  ec = make_error(to_errno(result));
  return false;
}

/// True if the call returned an object; sets ec either way.
template <class T>
T* check(T* result, error_code& ec) noexcept {
  ec = result != nullptr ? error_code() : make_error(errno);
  return result;
}

inline void throw_error(const error_code& ec, const char* call) {
  if (ec) boost::throw_exception(boost::system::system_error(ec, call));
}

}  // namespace detail
}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
