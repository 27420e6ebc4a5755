// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "socket/settings.hpp"

#include <cerrno>
#include <climits>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

struct rule {
  option name;
  int settings::*member;
  int least;
  int most;
  bool power_of_two;
  bool fixed_by_connection;
};

// The ring's limits are the wire's (doc/wire.md).
constexpr rule rules[] = {
    {option::receive_buffer_size, &settings::receive_buffer_size, 0, 64 * 1024 * 1024, true, true},
    {option::send_buffer_size, &settings::send_buffer_size, 0, 64 * 1024 * 1024, true, true},
    {option::queue_depth, &settings::queue_depth, 32, 8192, false, true},
    {option::linger, &settings::linger, -1, INT_MAX, false, false},
    {option::reuse_address, &settings::reuse_address, 0, 1, false, false},
    {option::v6_only, &settings::v6_only, 0, 1, false, false},
    {option::ack_timeout, &settings::ack_timeout, 0, 31, false, true},
    {option::retry_count, &settings::retry_count, 0, 7, false, true},
    {option::connect_timeout, &settings::connect_timeout, 1, INT_MAX, false, false},
    {option::acknowledged_writes, &settings::acknowledged_writes, 0, 1, false, false},
};

constexpr int smallest_buffer = 4096;

const rule& rule_of(option name) noexcept {
  for (const rule& r : rules) {
    if (r.name == name) return r;
  }
  return rules[0];
}

int round_up_to_power_of_two(int value) noexcept {
  int result = smallest_buffer;
  while (result < value) result *= 2;
  return result;
}

}  // namespace

error settings::set(option name, int value) noexcept {
  const rule& r = rule_of(name);
  if (r.power_of_two && value > r.most) value = r.most;
  if (value < r.least || value > r.most) return error(EINVAL);
  this->*r.member = r.power_of_two ? round_up_to_power_of_two(value) : value;
  return {};
}

int settings::get(option name) const noexcept {
  return this->*rule_of(name).member;
}

bool fixed_by_connection(option name) noexcept {
  return rule_of(name).fixed_by_connection;
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
