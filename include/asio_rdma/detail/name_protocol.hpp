// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_NAME_PROTOCOL_HPP
#define ASIO_RDMA_DETAIL_NAME_PROTOCOL_HPP

// What the name service and its clients say to each other: doc/wire.md, section 10.

#include <asio_rdma/name_table.hpp>
#include <asio_rdma/ud.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/system/error_code.hpp>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

using clock = std::chrono::steady_clock;

constexpr std::size_t longest_line = 512;
constexpr std::size_t most_listed = 4096;
constexpr std::size_t longest_answer = (most_listed + 2) * longest_line;

/// The words of a line; more than one blank between two counts as one.
inline std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> result;
  while (!line.empty()) {
    const std::size_t end = line.find(' ');
    if (end != 0) result.emplace_back(line.substr(0, end));
    line.remove_prefix(end == line.npos ? line.size() : end + 1);
  }
  return result;
}

template <class Number>
bool read_number(std::string_view text, Number& result) noexcept {
  const auto r = std::from_chars(text.data(), text.data() + text.size(), result);
  return r.ec == std::errc() && r.ptr == text.data() + text.size();
}

inline bool read_endpoint(std::string_view address, std::string_view port, ud::endpoint& result) {
  boost::system::error_code ec;
  const auto a = boost::asio::ip::make_address(std::string(address), ec);
  std::uint16_t number = 0;
  if (ec || !read_number(port, number)) return false;
  result = ud::endpoint(a, number);
  return true;
}

inline std::string endpoint_words(const ud::endpoint& e) {
  return e.address().to_string() + " " + std::to_string(e.port());
}

constexpr const char* what_names_are = "invalid name: 1 to 128 letters, digits and . _ : / - are one";

/// A request; empty if the name is none, which must not reach the service: it could be another request.
inline std::string request(const char* verb, const std::string& name, const std::string& more = {}) {
  return name_table::is_name(name) ? std::string(verb) + " " + name + more + "\n" : std::string();
}
inline std::string request(const char* verb, const std::string& name, const ud::endpoint& e) {
  return request(verb, name, " " + endpoint_words(e));
}
inline std::string request(const char* verb, const std::string& name, const ud::endpoint& e,
                           std::chrono::seconds lease) {
  return request(verb, name, " " + endpoint_words(e) + " " + std::to_string(lease.count()));
}
inline std::string list_request(const std::string& prefix) {
  return prefix.empty() ? std::string("LIST\n") : request("LIST", prefix);
}

inline std::string error_line(const std::string& why) {
  return "ERROR " + why + "\n\n";
}

inline std::string entry_lines(const std::vector<name_entry>& entries) {
  std::string result = "OK\n";
  for (const name_entry& e : entries) {
    result += e.name + " " + endpoint_words(e.endpoint) + " " + std::to_string(e.left.count()) + "\n";
  }
  return result + "\n";
}

/// The service's part: does what a line asks for.
inline std::string answer_line(name_table& table, const std::string& line, clock::time_point now) {
  const std::vector<std::string> words = words_of(line);
  const std::string verb = words.empty() ? std::string() : words[0];
  const bool is_list = verb == "LIST" && words.size() <= 2;
  if (!is_list && words.size() >= 2 && !name_table::is_name(words[1])) {
    return error_line(what_names_are);
  }
  if (is_list) return entry_lines(table.list(words.size() == 2 ? words[1] : std::string(), most_listed, now));
  if (verb == "LOOKUP" && words.size() == 2) return entry_lines(table.look_up(words[1], now));
  ud::endpoint endpoint;
  if (verb == "REMOVE" && words.size() == 4) {
    if (!read_endpoint(words[2], words[3], endpoint)) return error_line("invalid endpoint: an IP address and a port");
    table.remove(words[1], endpoint);
    return "OK\n\n";
  }
  if (verb == "REGISTER" && words.size() == 5) {
    if (!read_endpoint(words[2], words[3], endpoint)) return error_line("invalid endpoint: an IP address and a port");
    std::int64_t lease = 0;
    const bool is_number = read_number(words[4], lease) && lease >= 1 && lease <= name_table::longest_lease.count();
    if (!is_number) return error_line("invalid lease: 1 to 86400 seconds");
    const auto ec = table.enter(words[1], endpoint, std::chrono::seconds(lease), now);
    if (ec == boost::asio::error::no_buffer_space) return error_line("full: no room for more names or endpoints");
    if (ec) return error_line("invalid endpoint: neither address nor port may be unspecified");
    return "OK\n\n";
  }
  return error_line(
      "unknown request: REGISTER name address port seconds, REMOVE name address port, LOOKUP name and LIST [prefix] "
      "are known");
}

/// The client's part. refusal becomes what the service says if it refuses.
inline boost::system::error_code read_answer(std::string_view answer, std::vector<name_entry>& entries,
                                             std::string& refusal) {
  const auto bad = boost::system::errc::make_error_code(boost::system::errc::protocol_error);
  bool is_first = true;
  for (std::size_t end = answer.find('\n'); end != answer.npos && end != 0; end = answer.find('\n')) {
    const std::string_view line = answer.substr(0, end);
    answer.remove_prefix(end + 1);
    if (is_first && line.substr(0, 6) == "ERROR ") {
      refusal = std::string(line.substr(6));
      if (refusal.compare(0, 7, "invalid") == 0) return boost::asio::error::invalid_argument;
      if (refusal.compare(0, 4, "full") == 0) return boost::asio::error::no_buffer_space;
      return bad;
    }
    if (is_first) {
      if (line != "OK") return bad;
      is_first = false;
      continue;
    }
    const std::vector<std::string> words = words_of(line);
    name_entry e;
    std::int64_t left = 0;
    if (words.size() != 4 || !name_table::is_name(words[0]) || !read_endpoint(words[1], words[2], e.endpoint) ||
        !read_number(words[3], left) || left < 0) {
      return bad;
    }
    e.name = words[0];
    e.left = std::chrono::seconds(left);
    entries.push_back(std::move(e));
  }
  return is_first ? bad : boost::system::error_code();
}

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
