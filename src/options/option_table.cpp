// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "options/option_table.hpp"

#include <charconv>
#include <climits>
#include <iterator>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

using type = option_type;
using until = option_deadline;

constexpr option_entry remembered(option name, int standard) noexcept {
  return {name, nullptr, type::number, INT_MIN, INT_MAX, standard, until::none, ""};
}

// In the order of option. The ring's limits are the wire's (doc/wire.md). 128 KiB each way are several times what a
// fast link carries while a credit comes back, and dozens of connections fit into the 8 MiB that a container may lock.
// 4.096 us * 2^16 = 268 ms: with 6 retries a dead path is found in 2 s; some devices wait up to four times longer, and
// rxe takes 7 retries for retries without end. 32 KiB take about as long to copy as the round trip that a write without
// a copy waits for. Buffers of 8 KiB at first: with those of the rest, an idle connection stays below 32 KiB.
constexpr option_entry entries[] = {
    {option::receive_buffer_size, "receive_buffer_size", type::power_of_two, 4096, 67108864, 131072, until::connection,
     "bytes"},
    {option::send_buffer_size, "send_buffer_size", type::power_of_two, 4096, 67108864, 131072, until::connection,
     "bytes"},
    {option::queue_depth, "queue_depth", type::number, 32, 8192, 128, until::connection, "messages"},
    {option::linger, nullptr, type::number, -1, INT_MAX, -1, until::none, "seconds"},
    {option::reuse_address, nullptr, type::yes_no, 0, 1, 0, until::none, ""},
    {option::v6_only, nullptr, type::yes_no, 0, 1, 0, until::bind, ""},
    {option::ack_timeout, "ack_timeout", type::number, 0, 31, 16, until::connection, ""},
    {option::retry_count, "retry_count", type::number, 0, 7, 6, until::connection, ""},
    {option::connect_timeout, "connect_timeout", type::number, 1, INT_MAX, 5000, until::connection, "milliseconds"},
    {option::acknowledged_writes, "acknowledged_writes", type::yes_no, 0, 1, 0, until::none, ""},
    {option::inline_size, "inline_size", type::number, 0, 1024, 128, until::connection, "bytes"},
    {option::busy_poll, "busy_poll", type::number, -1, 10000, 0, until::none, "microseconds"},
    {option::traffic_class, "traffic_class", type::number, -1, 255, -1, until::connection, ""},
    {option::rnr_retry, "rnr_retry", type::number, 0, 7, 7, until::connection, ""},
    {option::keepalive, "keepalive", type::number, 0, 32767, 0, until::none, "seconds"},
    {option::keepalive_idle, nullptr, type::number, 1, 32767, 7200, until::none, "seconds"},
    {option::service_level, "service_level", type::number, -1, 15, -1, until::connection, ""},
    {option::pkey, "pkey", type::number, 0, 65535, 0, until::connection, ""},
    {option::hop_limit, "hop_limit", type::number, 0, 255, 0, until::connection, ""},
    {option::gid_index, "gid_index", type::number, -1, 255, -1, until::connection, ""},
    {option::device, "device", type::policy, 0, 0, 0, until::bind, ""},
    {option::peer_lifetime, "peer_lifetime", type::number, 1, 86400, 30, until::none, "seconds"},
    {option::zero_copy_threshold, "zero_copy_threshold", type::number, 1, INT_MAX, 32768, until::none, "bytes"},
    {option::initial_buffer_size, "initial_buffer_size", type::power_of_two, 4096, 67108864, 8192, until::connection,
     "bytes"},
    {option::own_protection_domain, "own_protection_domain", type::yes_no, 0, 1, 0, until::connection, ""},
    // The multicast options of ip(7), with its defaults.
    {option::multicast_loopback, nullptr, type::yes_no, 0, 1, 1, until::none, ""},
    {option::multicast_hops, nullptr, type::number, 0, 255, 1, until::none, ""},
    {option::multicast_interface_v4, nullptr, type::number, INT_MIN, INT_MAX, 0, until::none, ""},
    {option::multicast_interface_v6, nullptr, type::number, 0, INT_MAX, 0, until::none, ""},
    // Those of TCP, with the defaults of Linux.
    remembered(option::no_delay, 0),
    remembered(option::cork, 0),
    remembered(option::quick_ack, 1),
    remembered(option::max_segment, 536),
    remembered(option::keepalive_interval, 75),
    remembered(option::keepalive_count, 9),
    remembered(option::user_timeout, 0),
    remembered(option::syn_count, 6),
    remembered(option::fin_timeout, 60),
    remembered(option::defer_accept, 0),
    remembered(option::window_clamp, 0),
    remembered(option::not_sent_low_watermark, 0),
    remembered(option::fast_open, 0),
    remembered(option::broadcast, 0),
    remembered(option::debug, 0),
    remembered(option::do_not_route, 0),
    remembered(option::out_of_band_inline, 0),
    remembered(option::receive_low_watermark, 1),
    remembered(option::send_low_watermark, 1),
    remembered(option::priority, 0),
    remembered(option::reuse_port, 0),
    remembered(option::connection_aborted, 0),
    remembered(option::receive_buffer_hint, INT_MIN),
    remembered(option::send_buffer_hint, INT_MIN),
    remembered(option::traffic_class_hint, INT_MIN),
    remembered(option::hop_limit_hint, INT_MIN),
};

constexpr bool is_ordered() {
  for (std::size_t i = 0; i < std::size(entries); ++i) {
    if (entries[i].name != static_cast<option>(i)) return false;
  }
  return std::size(entries) == option_count;
}
static_assert(is_ordered());

constexpr struct {
  std::string_view text;
  int value;
} words[] = {{"true", 1}, {"yes", 1}, {"on", 1}, {"1", 1}, {"false", 0}, {"no", 0}, {"off", 0}, {"0", 0}};

bool parse_number(std::string_view text, int& value) noexcept {
  const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hexadecimal) text.remove_prefix(2);
  if (hexadecimal && text[0] == '-') return false;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, hexadecimal ? 16 : 10);
  return result.ec == std::errc() && result.ptr == end;
}

}  // namespace

const option_entry* begin_options() noexcept {
  return std::begin(entries);
}
const option_entry* end_options() noexcept {
  return std::end(entries);
}

const option_entry* find_option(option name) noexcept {
  const auto index = static_cast<std::size_t>(name);
  return index < option_count ? &entries[index] : nullptr;
}

const option_entry* find_option(std::string_view text) noexcept {
  for (const option_entry& o : entries) {
    if (o.text != nullptr && text == o.text) return &o;
  }
  return nullptr;
}

std::string allowed_values(const option_entry& o) {
  if (o.type == option_type::policy) return "auto, hardware, soft0, or the name of a device";
  if (o.type == option_type::yes_no) return "true or false";
  std::string result = std::to_string(o.least) + " to " + std::to_string(o.most);
  if (o.unit[0] != '\0') result.append(" ").append(o.unit);
  return result;
}

bool parse_value(const option_entry& o, std::string_view text, int& value) noexcept {
  if (o.type == option_type::yes_no) {
    for (const auto& word : words) {
      if (text != word.text) continue;
      value = word.value;
      return true;
    }
    return false;
  }
  return parse_number(text, value) && value >= o.least && value <= o.most;
}

std::string variable_of(const option_entry& o) {
  std::string result = "ASIO_RDMA_";
  for (const char* c = o.text; *c != '\0'; ++c) {
    result += *c >= 'a' && *c <= 'z' ? static_cast<char>(*c - 'a' + 'A') : *c;
  }
  return result;
}

bool find_option_range(option name, option_range& result) noexcept {
  const option_entry* const o = find_option(name);
  if (o == nullptr || o->type == option_type::policy) return false;
  result = {o->least, o->most, o->standard};
  return true;
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
