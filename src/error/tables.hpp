// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_ERROR_TABLES_HPP
#define ASIO_RDMA_SRC_ERROR_TABLES_HPP

#include <asio_rdma/detail/core/error.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// What is known about one value of a domain.
struct error_entry {
  int value;
  int errno_value;          ///< the errno that says the same, 0 if there is none
  library_error condition;  ///< the library_error that it means too, no_condition if there is none
  const char* text;         ///< cause and remedy
};

constexpr library_error no_condition = library_error{0};

// Each gives null for a value that it does not know.
const error_entry* find_library_error(int value) noexcept;
const error_entry* find_completion_error(int status) noexcept;
const error_entry* find_cm_event_error(int event) noexcept;
const error_entry* find_cm_reject_error(int reason) noexcept;
/// Of whichever domain.
const error_entry* find_error(error e) noexcept;

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
