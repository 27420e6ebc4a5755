// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_OPTION_ACCESS_HPP
#define ASIO_RDMA_DETAIL_OPTION_ACCESS_HPP

#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/detail/remembered_options.hpp>
#include <asio_rdma/detail/socket_option.hpp>
#include <asio_rdma/detail/socket_state.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// The core's option for a level and name of setsockopt.
inline std::optional<core::option> find_core_option(int level, int name) noexcept {
  if (level == rdma_option_level) return static_cast<core::option>(name);
  if (level == SOL_SOCKET && name == SO_REUSEADDR) return core::option::reuse_address;
  if (level == SOL_SOCKET && name == SO_RCVBUF) return core::option::receive_buffer_size;
  if (level == SOL_SOCKET && name == SO_SNDBUF) return core::option::send_buffer_size;
  if (level == IPPROTO_IPV6 && name == IPV6_V6ONLY) return core::option::v6_only;
  return std::nullopt;
}

inline bool is_buffer_size(core::option name) noexcept {
  return name == core::option::receive_buffer_size || name == core::option::send_buffer_size;
}

inline core::error set_linger(core::socket& s, const void* data, std::size_t size) noexcept {
  ::linger value = {};
  if (size != sizeof value) return core::error(EINVAL);
  std::memcpy(&value, data, size);
  return s.set_option(core::option::linger, value.l_onoff ? value.l_linger : -1);
}

inline core::error get_linger(const core::socket& s, void* data, std::size_t size) noexcept {
  ::linger value = {};
  if (size != sizeof value) return core::error(EINVAL);
  int seconds = -1;
  if (const core::error e = s.get_option(core::option::linger, seconds)) return e;
  value.l_onoff = seconds >= 0;
  value.l_linger = seconds >= 0 ? seconds : 0;
  std::memcpy(data, &value, size);
  return {};
}

/// setsockopt. ENOPROTOOPT for an option that is unknown.
inline core::error set_socket_option(socket_state& s, int level, int name, const void* data,
                                     std::size_t size) noexcept {
  if (level == SOL_SOCKET && name == SO_LINGER) return set_linger(s.core(), data, size);
  if (level == SOL_SOCKET && name == SO_SNDLOWAT) return core::error(ENOPROTOOPT);  // as Linux' TCP, which has it as 1
  int value = 0;
  if (size != sizeof value) return core::error(EINVAL);
  std::memcpy(&value, data, size);
  if (int* remembered = s.options.find(level, name)) {
    *remembered = value;
    return {};
  }
  const std::optional<core::option> option = find_core_option(level, name);
  if (!option) return core::error(ENOPROTOOPT);
  const core::error e = s.core().set_option(*option, value);
  if (level == SOL_SOCKET && is_buffer_size(*option)) {
    // TCP's is a hint that never fails: keep what was asked for, even if it comes too late to act on.
    (*option == core::option::receive_buffer_size ? s.options.receive_buffer_size : s.options.send_buffer_size) = value;
    return {};
  }
  if (!e && *option == core::option::acknowledged_writes) s.acknowledged_writes = value != 0;
  return e;
}

/// getsockopt. ENOPROTOOPT for an option that is unknown.
inline core::error get_socket_option(const socket_state& s, int level, int name, void* data,
                                     std::size_t size) noexcept {
  if (level == SOL_SOCKET && name == SO_LINGER) return get_linger(s.core(), data, size);
  int value = 0;
  if (size != sizeof value) return core::error(EINVAL);
  if (const int* remembered = s.options.find(level, name)) {
    value = *remembered;
  } else {
    const std::optional<core::option> option = find_core_option(level, name);
    if (!option) return core::error(ENOPROTOOPT);
    if (const core::error e = s.core().get_option(*option, value)) return e;
    if (level == SOL_SOCKET && *option == core::option::receive_buffer_size && s.options.receive_buffer_size)
      value = *s.options.receive_buffer_size;
    if (level == SOL_SOCKET && *option == core::option::send_buffer_size && s.options.send_buffer_size)
      value = *s.options.send_buffer_size;
  }
  std::memcpy(data, &value, size);
  return {};
}

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
