// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_DEVICE_LIST_HPP
#define ASIO_RDMA_VERBS_DEVICE_LIST_HPP

#include <asio_rdma/verbs/detail/error.hpp>
#include <asio_rdma/verbs/ref.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// The table of the devices that sockets use, as the device policy (asio_rdma/device.hpp) has it; rdma_core() after an
/// error, which is errc::unknown_device if the policy names a device that is not there. Thread-safe.
inline const api& policy_table(error_code& ec) noexcept {
  const api* table = &rdma_core();
  ec = to_error_code(detail::find_policy_table(table));
  return *table;
}
/// Throws boost::system::system_error.
inline const api& policy_table() {
  error_code ec;
  const api& table = policy_table(ec);
  detail::throw_error(ec, "verbs: policy_table");
  return table;
}

/// The RDMA devices of this machine that a user-space driver was found for (ibv_get_device_list): a range of
/// ibv_device*. The devices are valid as long as the list is; an opened context no longer needs it.
class device_list {
public:
  /// What the list holds.
  using value_type = ibv_device*;
  /// Goes through it.
  using const_iterator = ibv_device* const*;

  /// An empty list.
  device_list() noexcept = default;
  /// Throws boost::system::system_error. A machine without devices gives an empty list, or errc::no_device where the
  /// kernel has no RDMA support at all, or rdma-core's libraries are missing.
  explicit device_list(const api& table) {
    error_code ec;
    *this = get(ec, table);
    detail::throw_error(ec, "ibv_get_device_list");
  }
  /// As the constructor, of rdma-core's devices if nothing else is said. errc::no_device where the kernel has no RDMA
  /// support, or rdma-core's libraries are missing.
  static device_list get(error_code& ec, const api& table = rdma_core()) noexcept {
    device_list result;
    int count = 0;
    result.list_ = table.get_device_list(&count);
    if (result.list_ == nullptr) {
      ec = detail::device_error_code(errno, &table == &software_device());
      return result;
    }
    ec = error_code();
    result.size_ = static_cast<std::size_t>(count);
    result.table_ = &table;
    return result;
  }
  /// Throws boost::system::system_error.
  static device_list get(const api& table = rdma_core()) { return device_list(table); }

  /// other is empty then.
  device_list(device_list&& other) noexcept
      : list_(std::exchange(other.list_, nullptr)), size_(std::exchange(other.size_, 0u)), table_(other.table_) {}
  /// Exchanges the two.
  device_list& operator=(device_list&& other) noexcept {
    std::swap(list_, other.list_);
    std::swap(size_, other.size_);
    std::swap(table_, other.table_);
    return *this;
  }
  /// As reset().
  ~device_list() { reset(); }

  /// Whether a list was got, be it one of no devices.
  explicit operator bool() const noexcept { return list_ != nullptr; }
  /// The array, as verbs have it; it ends with a null.
  ibv_device** native_handle() const noexcept { return list_; }
  /// Frees the list (ibv_free_device_list).
  void reset() noexcept {
    if (list_ != nullptr) table_->free_device_list(list_);
    list_ = nullptr;
    size_ = 0;
  }

  /// The first device.
  const_iterator begin() const noexcept { return list_; }
  /// Behind the last one.
  const_iterator end() const noexcept { return list_ + size_; }
  /// How many.
  std::size_t size() const noexcept { return size_; }
  /// Whether there are none.
  bool empty() const noexcept { return size_ == 0; }
  /// index < size(), which is not checked.
  ibv_device* operator[](std::size_t index) const noexcept { return list_[index]; }

  /// The kernel's name of a device of this list, such as "mlx5_0".
  const char* name(ibv_device* device) const noexcept { return table_->get_device_name(device); }
  /// Its node GUID, in network byte order.
  __be64 guid(ibv_device* device) const noexcept { return table_->get_device_guid(device); }
  /// The device of that name, null if there is none.
  ibv_device* find(const char* wanted) const noexcept {
    for (ibv_device* device : *this)
      if (std::strcmp(name(device), wanted) == 0) return device;
    return nullptr;
  }

private:
  ibv_device** list_ = nullptr;
  std::size_t size_ = 0;
  const api* table_ = nullptr;
};

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
