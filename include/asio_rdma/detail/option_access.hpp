// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_OPTION_ACCESS_HPP
#define ASIO_RDMA_DETAIL_OPTION_ACCESS_HPP

#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/detail/socket_option.hpp>
#include <asio_rdma/detail/socket_state.hpp>

#ifndef ASIO_RDMA_STUB
#include <asio_rdma/detail/multicast_options.hpp>
#include <asio_rdma/detail/tcp_options.hpp>
#endif

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

#ifdef ASIO_RDMA_STUB

inline core::error set_socket_option(socket_state&, int, int, const void*, std::size_t) noexcept {
  return core::error(EOPNOTSUPP);
}
inline core::error get_socket_option(const socket_state&, int, int, void*, std::size_t) noexcept {
  return core::error(EOPNOTSUPP);
}

#else

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

/// A value of TCP's as the core's option takes it; false if it is out of TCP's own range.
inline bool convert_hint(const tcp_option& o, int& value) noexcept {
  if (o.kind == tcp_option_kind::buffer_size) {
    core::option_range range;
    core::find_option_range(o.option, range);
    value = std::clamp(value, range.least, range.most);
  } else if (o.kind == tcp_option_kind::traffic_class) {
    if (value != -1) value &= 0xff;  // the kernel cuts it too; -1 is the default
  } else {
    if (value == 0 || value < -1 || value > 255) return false;
    value = std::max(value, 0);
  }
  return true;
}

inline core::error set_tcp_option(core::socket& s, const tcp_option& o, int value) noexcept {
  if (o.kind == tcp_option_kind::plain) return s.set_option(o.option, value);
  if (o.kind == tcp_option_kind::keep_alive) {
    int seconds = 0;
    if (value != 0) {
      // A time that was set before, by our own option or by the process's default, holds.
      if (const core::error e = s.get_option(core::option::keepalive, seconds)) return e;
      if (seconds == 0) s.get_option(core::option::keepalive_idle, seconds);
    }
    return s.set_option(core::option::keepalive, seconds);
  }
  int converted = value;
  if (!convert_hint(o, converted)) return core::error(EINVAL);
  if (const core::error e = s.set_option(o.hint, value)) return e;
  s.set_option(o.option, converted);  // what comes too late is remembered, and does nothing
  return {};
}

inline core::error get_tcp_option(const core::socket& s, const tcp_option& o, int& value) noexcept {
  if (o.hint != core::option{}) {
    if (const core::error e = s.get_option(o.hint, value)) return e;
    if (value != INT_MIN) return {};
  }
  const core::error e = s.get_option(o.option, value);
  if (o.kind == tcp_option_kind::keep_alive) value = value != 0;
  if (o.kind == tcp_option_kind::traffic_class) value = std::max(value, 0);
  if (o.kind == tcp_option_kind::hop_limit && value == 0) value = 64;  // as for TCP (ip(7))
  return e;
}

inline bool is_text_option(int level, int name) noexcept {
  return level == rdma_option_level && name == static_cast<int>(core::option::device);
}

/// setsockopt. ENOPROTOOPT for an option that is unknown.
inline core::error set_socket_option(socket_state& s, int level, int name, const void* data,
                                     std::size_t size) noexcept {
  if (level == SOL_SOCKET && name == SO_LINGER) return set_linger(s.core(), data, size);
  if (level == SOL_SOCKET && name == SO_SNDLOWAT) return core::error(ENOPROTOOPT);  // as Linux' TCP, which has it as 1
  if (const multicast_option o = find_multicast_option(level, name); o != multicast_option::none) {
    return set_multicast_option(s.core(), o, data, size);
  }
  if (is_text_option(level, name)) {
    return s.core().set_text_option(static_cast<core::option>(name), static_cast<const char*>(data));
  }
  const tcp_option* const of_tcp = find_tcp_option(level, name);
  if (!of_tcp && level != rdma_option_level) return core::error(ENOPROTOOPT);
  int value = 0;
  if (size != sizeof value) return core::error(EINVAL);
  std::memcpy(&value, data, size);
  if (of_tcp) return set_tcp_option(s.core(), *of_tcp, value);
  const auto option = static_cast<core::option>(name);
  const core::error e = s.core().set_option(option, value);
  if (!e && option == core::option::acknowledged_writes) s.acknowledged_writes = value != 0;
  return e;
}

/// getsockopt. ENOPROTOOPT for an option that is unknown.
inline core::error get_socket_option(const socket_state& s, int level, int name, void* data,
                                     std::size_t size) noexcept {
  if (level == SOL_SOCKET && name == SO_LINGER) return get_linger(s.core(), data, size);
  if (const multicast_option o = find_multicast_option(level, name); o != multicast_option::none) {
    return get_multicast_option(s.core(), o, data, size);
  }
  if (is_text_option(level, name)) {
    std::size_t length = 0;
    return s.core().get_text_option(static_cast<core::option>(name), static_cast<char*>(data), size, length);
  }
  const tcp_option* const of_tcp = find_tcp_option(level, name);
  if (!of_tcp && level != rdma_option_level) return core::error(ENOPROTOOPT);
  int value = 0;
  if (size != sizeof value) return core::error(EINVAL);
  const core::error e = of_tcp ? get_tcp_option(s.core(), *of_tcp, value)
                               : s.core().get_option(static_cast<core::option>(name), value);
  if (!e) std::memcpy(data, &value, size);
  return e;
}

#endif

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
