// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "options/config_file.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view s) noexcept {
  const auto first = s.find_first_not_of(blanks);
  if (first == s.npos) return {};
  return s.substr(first, s.find_last_not_of(blanks) - first + 1);
}

std::string_view without_comment(std::string_view line) noexcept {
  for (std::size_t i = line.find('#'); i != line.npos; i = line.find('#', i + 1)) {
    if (i == 0 || blanks.find(line[i - 1]) != blanks.npos) return line.substr(0, i);
  }
  return line;
}

/// What is wrong with a line, empty if nothing is.
std::string take_line(std::string_view line, int number, std::vector<assignment>& assignments) {
  const auto equals = line.find('=');
  const std::string_view name = trimmed(line.substr(0, equals));
  if (equals == line.npos || name.empty()) return "a line has the form: option = value";
  const std::string_view value = trimmed(line.substr(equals + 1));
  if (value.empty()) return "option " + std::string(name) + " has no value";
  for (const assignment& a : assignments) {
    if (a.name == name) return "option " + a.name + " is set in line " + std::to_string(a.line) + " already";
  }
  assignments.push_back({std::string(name), std::string(value), number});
  return {};
}

}  // namespace

config parse_config(std::string_view text) {
  config result;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view line = trimmed(without_comment(text.substr(0, end)));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    if (line.empty()) continue;
    result.problem = take_line(line, number, result.assignments);
    if (!result.problem.empty()) {
      result.bad_line = number;
      break;
    }
  }
  return result;
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
