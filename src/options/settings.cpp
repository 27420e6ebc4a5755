// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "options/settings.hpp"

#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace core {

error settings::set(option name, int value) noexcept {
  const option_entry* const o = find_option(name);
  if (o == nullptr || o->type == option_type::policy) return error(ENOPROTOOPT);
  if (value < o->least || value > o->most) return error(EINVAL);
  if (o->type == option_type::power_of_two) {
    int rounded = o->least;
    while (rounded < value) rounded *= 2;
    value = rounded;
  }
  at(name) = value;
  // SO_KEEPALIVE is on with TCP_KEEPIDLE's time: a new time holds at once.
  if (name == option::keepalive_idle && (*this)[option::keepalive] != 0) at(option::keepalive) = value;
  return {};
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
