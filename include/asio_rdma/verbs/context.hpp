// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_CONTEXT_HPP
#define ASIO_RDMA_VERBS_CONTEXT_HPP

#include <asio_rdma/verbs/detail/nonblocking.hpp>
#include <asio_rdma/verbs/detail/owner.hpp>
#include <asio_rdma/verbs/device_list.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// An open device that somebody else closes, for example the one of an rdma_cm_id (cm_id::context()).
/// Thread-safe, as ibv_context is.
class context_ref : public ref<ibv_context> {
public:
  using ref<ibv_context>::ref;

  /// The kernel's name of the device.
  const char* name() const noexcept { return table_->get_device_name(handle_->device); }

  /// The NUMA node that the device is attached to, as the kernel's sysfs has it. Negative for a device that is attached
  /// to none, which is each software device, and on machines of one node.
  int numa_node() const noexcept { return detail::numa_node_of(name()); }

  /// Attributes and limits (ibv_query_device). The limits are upper bounds; resources in use lower them.
  ibv_device_attr query_device(error_code& ec) const noexcept {
    ibv_device_attr attributes{};
    detail::check(table_->query_device(handle_, &attributes), ec);
    return attributes;
  }
  /// Throws boost::system::system_error.
  ibv_device_attr query_device() const {
    error_code ec;
    const auto result = query_device(ec);
    detail::throw_error(ec, "ibv_query_device");
    return result;
  }

  /// State, MTU, link layer and so on of a port, counted from 1 (ibv_query_port).
  ibv_port_attr query_port(std::uint8_t port, error_code& ec) const noexcept {
    ibv_port_attr attributes{};
    detail::check(table_->query_port(handle_, port, &attributes), ec);
    return attributes;
  }
  /// Throws boost::system::system_error.
  ibv_port_attr query_port(std::uint8_t port) const {
    error_code ec;
    const auto result = query_port(port, ec);
    detail::throw_error(ec, "ibv_query_port");
    return result;
  }

  /// An entry of the port's table of GIDs (ibv_query_gid). Unused entries are all zero.
  ibv_gid query_gid(std::uint8_t port, int index, error_code& ec) const noexcept {
    ibv_gid gid{};
    detail::check(table_->query_gid(handle_, port, index, &gid), ec);
    return gid;
  }
  /// Throws boost::system::system_error.
  ibv_gid query_gid(std::uint8_t port, int index) const {
    error_code ec;
    const auto result = query_gid(port, index, ec);
    detail::throw_error(ec, "ibv_query_gid");
    return result;
  }

  /// An entry of the port's table of GIDs with its type (InfiniBand, RoCE v1, RoCE v2) and network interface
  /// (ibv_query_gid_ex). ENODATA for an unused entry.
  ibv_gid_entry query_gid_entry(std::uint8_t port, std::uint32_t index, error_code& ec) const noexcept {
    ibv_gid_entry entry{};
    detail::check(table_->query_gid_ex(handle_, port, index, &entry, 0), ec);
    return entry;
  }
  /// Throws boost::system::system_error.
  ibv_gid_entry query_gid_entry(std::uint8_t port, std::uint32_t index) const {
    error_code ec;
    const auto result = query_gid_entry(port, index, ec);
    detail::throw_error(ec, "ibv_query_gid_ex");
    return result;
  }

  /// All GIDs in use on all ports (ibv_query_gid_table).
  std::vector<ibv_gid_entry> query_gid_table(error_code& ec) const {
    std::vector<ibv_gid_entry> entries;
    const ibv_device_attr device = query_device(ec);
    for (int port = 1; !ec && port <= device.phys_port_cnt; ++port) {
      const int size = query_port(static_cast<std::uint8_t>(port), ec).gid_tbl_len;
      entries.resize(entries.size() + static_cast<std::size_t>(size > 0 ? size : 0));
    }
    if (ec) return {};
    const ssize_t count = table_->query_gid_table(handle_, entries.data(), entries.size(), 0);
    if (count < 0) {
      ec = detail::make_error(static_cast<int>(-count));  // this one call returns the errno negated
      return {};
    }
    entries.resize(static_cast<std::size_t>(count));
    return entries;
  }
  /// Throws boost::system::system_error.
  std::vector<ibv_gid_entry> query_gid_table() const {
    error_code ec;
    auto result = query_gid_table(ec);
    detail::throw_error(ec, "ibv_query_gid_table");
    return result;
  }

  /// An entry of the port's table of partition keys, in network byte order (ibv_query_pkey).
  __be16 query_pkey(std::uint8_t port, int index, error_code& ec) const noexcept {
    __be16 pkey = 0;
    detail::check(table_->query_pkey(handle_, port, index, &pkey), ec);
    return pkey;
  }
  /// Throws boost::system::system_error.
  __be16 query_pkey(std::uint8_t port, int index) const {
    error_code ec;
    const auto result = query_pkey(port, index, ec);
    detail::throw_error(ec, "ibv_query_pkey");
    return result;
  }

  /// Becomes readable when an asynchronous event (port down, device removed, queue pair in error) waits.
  int async_fd() const noexcept { return handle_->async_fd; }

  /// Makes get_async_event() return would_block instead of waiting.
  void async_nonblocking(bool on, error_code& ec) const noexcept { detail::set_nonblocking(async_fd(), on, ec); }
  /// Throws boost::system::system_error.
  void async_nonblocking(bool on) const {
    error_code ec;
    async_nonblocking(on, ec);
    detail::throw_error(ec, "verbs: async_nonblocking");
  }

  /// Takes the next asynchronous event (ibv_get_async_event). Each one that was taken has to be acknowledged before
  /// the object that it names is destroyed: destroying waits for it.
  ibv_async_event get_async_event(error_code& ec) const noexcept {
    ibv_async_event event{};
    detail::check(table_->get_async_event(handle_, &event), ec);
    return event;
  }
  /// Throws boost::system::system_error.
  ibv_async_event get_async_event() const {
    error_code ec;
    const auto result = get_async_event(ec);
    detail::throw_error(ec, "ibv_get_async_event");
    return result;
  }
  /// Acknowledges one that was taken (ibv_ack_async_event).
  void acknowledge(ibv_async_event event) const noexcept { table_->ack_async_event(&event); }
};

/// An open device (ibv_context). Thread-safe, except for destruction.
class context : public detail::owner<context_ref, &api::close_device> {
public:
  /// None.
  context() noexcept = default;
  /// Opens a device of a device_list (ibv_open_device). Throws boost::system::system_error.
  explicit context(ibv_device* device, const api& table = rdma_core()) {
    error_code ec;
    *this = open(device, ec, table);
    detail::throw_error(ec, "ibv_open_device");
  }
  /// Opens a device by its name; errc::no_device if this machine has none, ENODEV if it has others.
  explicit context(const char* name, const api& table = rdma_core()) {
    error_code ec;
    *this = open(name, ec, table);
    detail::throw_error(ec, "ibv_open_device");
  }

  /// ibv_open_device. EACCES without access to the device's node in /dev/infiniband.
  static context open(ibv_device* device, error_code& ec, const api& table = rdma_core()) noexcept {
    errno = ENODEV;  // rdma-core does not always set it
    return context(context_ref(detail::check(table.open_device(device), ec), table));
  }
  /// By its name; errc::no_device if this machine has none, ENODEV if it has others.
  static context open(const char* name, error_code& ec, const api& table = rdma_core()) noexcept {
    const device_list devices = device_list::get(ec, table);
    if (ec) return context();
    ibv_device* const device = devices.find(name);
    if (device == nullptr) {
      ec = devices.empty() ? to_error_code(core::library_error::no_device) : detail::make_error(ENODEV);
      return context();
    }
    return open(device, ec, table);
  }

private:
  explicit context(context_ref view) noexcept : owner(view) {}
};

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
