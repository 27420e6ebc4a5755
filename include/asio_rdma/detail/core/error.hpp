// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_CORE_ERROR_HPP
#define ASIO_RDMA_DETAIL_CORE_ERROR_HPP

#include <asio_rdma/detail/core/config.hpp>

#include <cstddef>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// Where an error's number comes from.
enum class error_domain : int {
  system = 0,       ///< errno
  library = 1,      ///< library_error below
  completion = 2,   ///< ibv_wc_status
  cm_event = 3,     ///< rdma_cm_event_type of an event that means failure
  cm_reject = 4,    ///< reason of a connection manager reject (IBTA 12.6.7.2)
  foreign_address = 5, ///< index into the table of addresses that no RDMA device owns, see intern_foreign_address()
  device_policy = 6,   ///< index into the table of what the device policy has refused, see error/refusal.hpp
  option = 7,          ///< index into the table of what was wrong with options or requests, see error/option_error.hpp
};

/// Failures that neither errno nor verbs have a name for. Part of the ABI: numbers never change.
enum class library_error : int {
  eof = 1,                    ///< the peer has ended its sending direction in order
  already_open = 2,
  no_device = 3,              ///< this machine (or container) has no usable RDMA device
  foreign_address = 4,        ///< condition only; the codes are those of error_domain::foreign_address
  incompatible_version = 5,   ///< no protocol version in common with the peer
  not_asio_rdma = 6,          ///< the peer speaks another protocol on this port
  mode_mismatch = 7,          ///< for example a stream socket that met a seq_packet listener
  protocol_error = 8,         ///< the peer broke the wire protocol
  memlock_limit = 9,          ///< registering memory failed because of RLIMIT_MEMLOCK
  device_limit = 10,          ///< the device has no more queues, regions or entries of the size asked for
  peer_out_of_resources = 11, ///< the listener refused because it had no memory, file descriptors or queue pairs
  unknown_device = 12,        ///< condition only, as the next one; the codes are those of error_domain::device_policy
  other_host = 13,            ///< soft0 reaches this host only
  bad_default = 14,           ///< condition only, as the next one; the codes are those of error_domain::option
  option_refused = 15,        ///< the device or the connection manager cannot do what a socket option asks for
  forked = 16,                ///< this process was forked from one that had sockets
  misuse = 17,                ///< condition only; the codes are those of error_domain::option
};

/// An error as the compiled core hands it over. It is plain data, so that one library binary serves programs that
/// were built with different versions of Boost.
struct error {
  int value = 0;
  error_domain domain = error_domain::system;

  constexpr error() noexcept = default;
  constexpr error(int v, error_domain d) noexcept : value(v), domain(d) {}
  /// An errno value.
  constexpr explicit error(int errno_value) noexcept : value(errno_value) {}
  constexpr error(library_error e) noexcept : value(static_cast<int>(e)), domain(error_domain::library) {}

  constexpr explicit operator bool() const noexcept { return value != 0; }
  friend constexpr bool operator==(error a, error b) noexcept { return a.value == b.value && a.domain == b.domain; }
  friend constexpr bool operator!=(error a, error b) noexcept { return !(a == b); }
};

/// Writes the text of an error, with its cause and remedy where there is one, as snprintf does: at most size bytes,
/// always terminated; returns the length of the whole text. Thread-safe.
ASIO_RDMA_DECL std::size_t error_text(error e, char* buffer, std::size_t size) noexcept;

/// True if an error of any domain means the same as the library_error.
ASIO_RDMA_DECL bool error_means(error e, library_error condition) noexcept;

/// The errno value that says the same, or 0 if there is none. Connection_refused for a reject, timed_out for
/// IBV_WC_RETRY_EXC_ERR and so on: doc/errors.md has the table.
ASIO_RDMA_DECL int error_as_errno(error e) noexcept;

} // namespace core
} // namespace v1
} // namespace asio_rdma

#endif
