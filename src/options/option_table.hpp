// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_OPTIONS_OPTION_TABLE_HPP
#define ASIO_RDMA_SRC_OPTIONS_OPTION_TABLE_HPP

#include <asio_rdma/detail/core/socket.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace asio_rdma {
inline namespace v1 {
namespace core {

enum class option_type {
  number,
  power_of_two,  // a number that is rounded up to one
  yes_no,
  policy,  // a text: a device policy
};

/// Until when an option can be set.
enum class option_deadline {
  none,
  connection,  // acts when queues are made: before connect() or listen()
  bind,        // before bind(), connect() or listen()
};

/// All that is known of an option. Everything else derives from it: what a value may be, names in the environment and
/// in files; a test compares doc/options.md and socket_options.hpp with it.
struct option_entry {
  option name;
  const char* text;  ///< in files, and in capitals in the environment; null for those that are set by TCP's names only
  option_type type;
  int least;
  int most;
  int standard;
  option_deadline deadline;
  const char* unit;  ///< of numbers, in the plural; empty if there is none
};

constexpr std::size_t option_count = static_cast<std::size_t>(option::hop_limit_hint) + 1;

/// The entries in the order of option.
const option_entry* begin_options() noexcept;
const option_entry* end_options() noexcept;

/// Null for an option that does not exist.
const option_entry* find_option(option name) noexcept;
/// By its text.
const option_entry* find_option(std::string_view text) noexcept;

/// "0 to 7", "4096 to 67108864 bytes", "true or false": what a value may be.
std::string allowed_values(const option_entry& o);

/// Reads a value as environment and files have it: a decimal number, one in hexadecimal with 0x, or true, false, yes,
/// no, on, off. False if it is none or out of range.
bool parse_value(const option_entry& o, std::string_view text, int& value) noexcept;

/// The name of an option's environment variable.
std::string variable_of(const option_entry& o);

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
