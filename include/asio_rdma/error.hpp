// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_ERROR_HPP
#define ASIO_RDMA_ERROR_HPP

#include <asio_rdma/detail/core/error.hpp>
#include <asio_rdma/detail/core/system.hpp>

#include <boost/system/error_code.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <type_traits>

namespace asio_rdma {
inline namespace v1 {

/// What can go wrong beyond what errno has names for, as error conditions: compare an error_code with them, whatever
/// its category. Most codes are equivalent to a condition of boost::system::errc too, for example errc::no_device to
/// no_such_device; doc/errors.md has the table.
enum class errc : int {
  /// The peer has ended its sending direction in order.
  eof = static_cast<int>(core::library_error::eof),
  /// The socket is open already.
  already_open = static_cast<int>(core::library_error::already_open),
  /// This machine, or container, has no usable RDMA device. The message says what is missing.
  no_device = static_cast<int>(core::library_error::no_device),
  /// An address of this host that no RDMA device owns, or not the one that the device policy names. The message names
  /// the addresses that would work.
  foreign_address = static_cast<int>(core::library_error::foreign_address),
  /// The peer speaks only other versions of the wire protocol.
  incompatible_version = static_cast<int>(core::library_error::incompatible_version),
  /// The peer speaks another protocol on this port.
  not_asio_rdma = static_cast<int>(core::library_error::not_asio_rdma),
  /// The peer is a socket of another kind, for example a stream socket that met a seq_packet listener.
  mode_mismatch = static_cast<int>(core::library_error::mode_mismatch),
  /// The peer broke the wire protocol.
  protocol_error = static_cast<int>(core::library_error::protocol_error),
  /// Memory could not be registered because of RLIMIT_MEMLOCK. The message says how to raise it.
  memlock_limit = static_cast<int>(core::library_error::memlock_limit),
  /// The device has no more queues, regions or entries of the size asked for.
  device_limit = static_cast<int>(core::library_error::device_limit),
  /// The peer's connection manager refused because it had no queue pairs or the like.
  peer_out_of_resources = static_cast<int>(core::library_error::peer_out_of_resources),
  /// The device policy names a device that this machine does not have. The message names those that it has.
  unknown_device = static_cast<int>(core::library_error::unknown_device),
  /// An address of another host, where the software device is used, which reaches this host only. The message says how
  /// to choose hardware.
  other_host = static_cast<int>(core::library_error::other_host),
  /// A default of a socket option, from the environment or the file that ASIO_RDMA_CONFIG names, is wrong. The message
  /// says where it stands, and what is allowed.
  bad_default = static_cast<int>(core::library_error::bad_default),
  /// The device or the connection manager cannot do what a socket option asks for. The message says what it did in its
  /// place, and the remedy.
  option_refused = static_cast<int>(core::library_error::option_refused),
  /// This process was forked from one that had RDMA sockets: those are the parent's, and it can have none of its own
  /// before it executes a program.
  forked = static_cast<int>(core::library_error::forked),
  /// A request that a raw connection's checks found wrong before it was posted. The message says what, and the remedy.
  misuse = static_cast<int>(core::library_error::misuse),
};

namespace detail {

// Boost.System keeps the destructor of its categories trivial on purpose: they must work after main.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

/// One category per error domain. It lives in headers, so that the library binary does not depend on the version of
/// Boost; the id makes copies in several shared objects the same category.
class error_category final : public boost::system::error_category {
public:
  constexpr error_category(core::error_domain domain, const char* name) noexcept
      : boost::system::error_category(0x9d1f6a30c54be270u + static_cast<unsigned>(domain)),
        domain_(domain),
        name_(name) {}

  const char* name() const noexcept override { return name_; }

  /// Cause and remedy, found out when asked. Thread-safe.
  std::string message(int value) const override {
    char buffer[512];
    const std::size_t size = core::error_text(core::error(value, domain_), buffer, sizeof buffer);
    if (size < sizeof buffer) return std::string(buffer, size);
    std::string text(size + 1, '\0');
    text.resize(std::min(size, core::error_text(core::error(value, domain_), &text[0], text.size())));
    return text;
  }

  const char* message(int value, char* buffer, std::size_t size) const noexcept override {
    core::error_text(core::error(value, domain_), buffer, size);
    return buffer;
  }

  boost::system::error_condition default_error_condition(int value) const noexcept override {
    const int number = core::error_as_errno(core::error(value, domain_));
    if (number != 0) return boost::system::error_condition(number, boost::system::generic_category());
    return boost::system::error_condition(value, *this);
  }

  bool equivalent(int value, const boost::system::error_condition& condition) const noexcept override;

private:
  core::error_domain domain_;
  const char* name_;
};

#pragma GCC diagnostic pop

template <core::error_domain Domain>
const boost::system::error_category& category(const char* name) noexcept {
  static const error_category instance(Domain, name);
  return instance;
}

}  // namespace detail

/// Category of errc, and of codes that the library makes itself.
inline const boost::system::error_category& library_category() noexcept {
  return detail::category<core::error_domain::library>("asio_rdma");
}

/// Category of failed work completions; values are ibv_wc_status.
inline const boost::system::error_category& completion_category() noexcept {
  return detail::category<core::error_domain::completion>("asio_rdma.completion");
}

/// Category of connection manager events that mean failure; values are rdma_cm_event_type.
inline const boost::system::error_category& cm_event_category() noexcept {
  return detail::category<core::error_domain::cm_event>("asio_rdma.cm_event");
}

/// Category of rejected connections; values are the reasons of the InfiniBand connection manager (IBTA 12.6.7.2).
inline const boost::system::error_category& cm_reject_category() noexcept {
  return detail::category<core::error_domain::cm_reject>("asio_rdma.cm_reject");
}

/// Category of addresses that no RDMA device owns; equivalent to errc::foreign_address. Values mean nothing outside
/// this process.
inline const boost::system::error_category& foreign_address_category() noexcept {
  return detail::category<core::error_domain::foreign_address>("asio_rdma.foreign_address");
}

/// Category of what the device policy (device.hpp) has refused; equivalent to errc::unknown_device, errc::other_host or
/// errc::foreign_address. Values mean nothing outside this process.
inline const boost::system::error_category& device_policy_category() noexcept {
  return detail::category<core::error_domain::device_policy>("asio_rdma.device_policy");
}

/// Category of what was wrong with socket options (socket_options.hpp) and with requests of raw connections; equivalent
/// to errc::bad_default, errc::option_refused or errc::misuse. Values mean nothing outside this process.
inline const boost::system::error_category& option_category() noexcept {
  return detail::category<core::error_domain::option>("asio_rdma.option");
}

namespace detail {

/// The code of an errno value as the system's own sockets have it.
inline boost::system::error_code system_error_code(int number) noexcept {
#ifdef _WIN32
  // Windows has no errno, and numbers of its own.
  switch (number) {
    case EBADF:
      return {WSAEBADF, boost::system::system_category()};
    case EINVAL:
      return {WSAEINVAL, boost::system::system_category()};
    case EOPNOTSUPP:
      return {WSAEOPNOTSUPP, boost::system::system_category()};
    default:
      return {number, boost::system::generic_category()};
  }
#else
  return {number, boost::system::system_category()};
#endif
}

}  // namespace detail

/// For comparisons with any error_code: ec == errc::no_device.
inline boost::system::error_condition make_error_condition(errc e) noexcept {
  return boost::system::error_condition(static_cast<int>(e), library_category());
}

/// The error_code of an error of the compiled core. errno values are boost::system::system_category()'s.
inline boost::system::error_code to_error_code(core::error e) noexcept {
  if (!e) return {};
  switch (e.domain) {
    case core::error_domain::library:
      return {e.value, library_category()};
    case core::error_domain::completion:
      return {e.value, completion_category()};
    case core::error_domain::cm_event:
      return {e.value, cm_event_category()};
    case core::error_domain::cm_reject:
      return {e.value, cm_reject_category()};
    case core::error_domain::foreign_address:
      return {e.value, foreign_address_category()};
    case core::error_domain::device_policy:
      return {e.value, device_policy_category()};
    case core::error_domain::option:
      return {e.value, option_category()};
    case core::error_domain::system:
      break;
  }
  return detail::system_error_code(e.value);
}

inline bool detail::error_category::equivalent(int value,
                                               const boost::system::error_condition& condition) const noexcept {
  const core::error e(value, domain_);
  if (condition.category() == library_category())
    return core::error_means(e, static_cast<core::library_error>(condition.value()));
  return default_error_condition(value) == condition;
}

}  // namespace v1
}  // namespace asio_rdma

namespace boost {
namespace system {

template <>
struct is_error_condition_enum<asio_rdma::errc> : std::true_type {};

}  // namespace system
}  // namespace boost

#endif
