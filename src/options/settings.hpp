// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_OPTIONS_SETTINGS_HPP
#define ASIO_RDMA_SRC_OPTIONS_SETTINGS_HPP

#include "options/option_table.hpp"

#include <array>
#include <string>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// The values of a socket's options, at first those of the table. Accepted sockets inherit their listener's.
class settings {
public:
  settings() noexcept {
    for (const option_entry* o = begin_options(); o != end_options(); ++o) at(o->name) = o->standard;
  }

  int operator[](option name) const noexcept { return values_[static_cast<std::size_t>(name)]; }

  /// EINVAL for a value out of range, ENOPROTOOPT for an option that does not exist or has a text. Sizes of buffers are
  /// rounded up to a power of two.
  error set(option name, int value) noexcept;

  /// The device policy of this socket; empty where the process's holds.
  std::string device;

private:
  int& at(option name) noexcept { return values_[static_cast<std::size_t>(name)]; }

  std::array<int, option_count> values_;
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
