// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DEVICE_HPP
#define ASIO_RDMA_DEVICE_HPP

#include <asio_rdma/detail/core/device.hpp>
#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/detail/native_handle.hpp>
#include <asio_rdma/error.hpp>

#include <boost/asio/ip/address.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace asio_rdma {
inline namespace v1 {

/// Says which devices sockets may use. The policy is one of:
///
/// "auto", the default: hardware if rdma-core lists a device, otherwise the software device soft0, with one warning in
/// the log. That is decided at the first use, once for the process, and by what is listed, not by what works: a card
/// that fails gives errors.
///
/// "hardware": the devices that rdma-core lists, which includes the kernel's own software devices, rxe and siw. Without
/// one, errc::no_device.
///
/// "soft0": the software device. It needs no hardware and no privilege, and reaches processes of the same user on this
/// host by any of the host's addresses; others give errc::other_host.
///
/// The name of another device, as rdma-core lists it, such as "mlx5_0": that one alone. Addresses of others give
/// errc::foreign_address.
///
/// What a program sets here comes before the environment variable ASIO_RDMA_DEVICE and the file that ASIO_RDMA_CONFIG
/// names, which take the same words (doc/options.md); null takes it back. The socket option device (socket_options.hpp)
/// gives a socket a policy of its own. A socket or acceptor uses what holds when it is first bound, connected or made
/// to listen, and keeps that. An invalid default is reported there, as errc::unknown_device.
///
/// Errors: errc::unknown_device for a device that this machine does not have, invalid_argument for an empty string; the
/// former policy stays. Thread-safe.
inline void set_device_policy(const char* policy, boost::system::error_code& ec) noexcept {
  ec = to_error_code(core::set_device_policy(policy));
}
/// Throws boost::system::system_error.
inline void set_device_policy(const char* policy) {
  boost::system::error_code ec;
  set_device_policy(policy, ec);
  if (ec) boost::throw_exception(boost::system::system_error(ec, "set_device_policy"));
}

/// The policy that is in force: what the program has set, else what environment or file say, valid or not, else "auto".
/// Thread-safe.
inline std::string device_policy() {
  std::string text(64, '\0');
  std::size_t size = core::device_policy(&text[0], text.size());
  if (size >= text.size()) {  // longer than any name of a device
    text.resize(size + 1);
    size = std::min(core::device_policy(&text[0], text.size()), size);
  }
  text.resize(size);
  return text;
}

/// hardware: rdma-core lists it, the kernel's software devices included; software: it is this library's own.
using device_kind = core::device_kind;

/// A device of this machine.
struct device_info {
  std::string name;                                 ///< such as "mlx5_0", "rxe0", "soft0"
  device_kind kind = device_kind::hardware;         ///< whether it is the machine's or this library's
  bool active = false;                              ///< whether a port of it is up
  std::vector<boost::asio::ip::address> addresses;  ///< those of this host that it carries; the best first
};

/// The devices of this machine, hardware first, whatever the policy. Opens none of them. A machine without hardware, or
/// without rdma-core, is no error. Errors: what rdma-core has listing fail with, such as not_enough_memory;
/// operation_not_supported on other systems than Linux. Thread-safe.
inline std::vector<device_info> devices(boost::system::error_code& ec) {
  std::vector<device_info> result;
  const auto add = [](const core::device& d, void* context) {
    device_info info;
    info.name = d.name;
    info.kind = d.kind;
    info.active = d.active;
    for (std::size_t i = 0; i < d.address_count; ++i) {
      const sockaddr_storage& a = d.addresses[i];
      if (a.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(a);
        info.addresses.push_back(boost::asio::ip::address_v4(ntohl(v4.sin_addr.s_addr)));
      } else if (a.ss_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(a);
        boost::asio::ip::address_v6::bytes_type bytes;
        std::copy(std::begin(v6.sin6_addr.s6_addr), std::end(v6.sin6_addr.s6_addr), bytes.begin());
        info.addresses.push_back(boost::asio::ip::address_v6(bytes, v6.sin6_scope_id));
      }
    }
    static_cast<std::vector<device_info>*>(context)->push_back(std::move(info));
  };
  ec = to_error_code(core::visit_devices(add, &result));
  return result;
}
/// Throws boost::system::system_error.
inline std::vector<device_info> devices() {
  boost::system::error_code ec;
  auto result = devices(ec);
  if (ec) boost::throw_exception(boost::system::system_error(ec, "devices"));
  return result;
}

/// What a port of a device has counted.
struct device_counter {
  std::string name;         ///< as the device's driver calls it
  unsigned port = 0;        ///< of the device, from 1 on
  std::uint64_t value = 0;  ///< events or bytes, as the driver defines it
};

/// The counters that a device keeps of itself. A kernel's device: what its driver shows in the folders hw_counters and
/// counters of each port in /sys/class/infiniband, for all processes together, since the driver was loaded; the kernel
/// shows them anew every 10 ms or so (the file hw_counters/lifespan). soft0: what it has counted for this process
/// (doc/statistics.md). Errors: errc::unknown_device for a device that this machine does not have. Thread-safe.
inline std::vector<device_counter> device_counters(const std::string& device, boost::system::error_code& ec) {
  std::vector<device_counter> result;
  const auto add = [](const core::device_counter& c, void* context) {
    static_cast<std::vector<device_counter>*>(context)->push_back({c.name, c.port, c.value});
  };
  ec = to_error_code(core::visit_device_counters(device.c_str(), add, &result));
  return result;
}
/// Throws boost::system::system_error.
inline std::vector<device_counter> device_counters(const std::string& device) {
  boost::system::error_code ec;
  auto result = device_counters(device, ec);
  if (ec) boost::throw_exception(boost::system::system_error(ec, "device_counters"));
  return result;
}

/// The name of the device that a socket's connection runs on, also after it ended; empty before it is connected, and
/// for a socket that is closed. Not to be called while another thread uses the socket.
template <class Socket>
std::string device_name(Socket& socket) {
  if (!socket.is_open()) return {};
  char name[64];
  socket.native_handle().get().device_name(name, sizeof name);
  return name;
}

}  // namespace v1
}  // namespace asio_rdma

#endif
