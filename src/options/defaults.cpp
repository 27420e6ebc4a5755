// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "options/defaults.hpp"

#include "error/errno_text.hpp"
#include "error/option_error.hpp"
#include "options/config_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

constexpr const char* config_variable = "ASIO_RDMA_CONFIG";
constexpr std::string_view prefix = "ASIO_RDMA_";

/// Variables that are no options: the file's, that of raw connections (doc/raw.md), those of soft0 (doc/soft0.md),
/// those of the tests, and where CMake finds the package.
bool is_other_variable(std::string_view name) noexcept {
  const auto begins_with = [name](std::string_view start) { return name.substr(0, start.size()) == start; };
  return name == "CONFIG" || name == "PROBE" || begins_with("SOFT_") || begins_with("TEST_") || name == "ROOT" ||
         name == "DIR";
}

struct config_file {
  std::string path;
  config content;
  std::string failure;  // why it cannot be read
};

bool read_file(const std::string& path, std::string& text) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
  if (!file) return false;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, file.get())) text.append(buffer, size);
  return std::ferror(file.get()) == 0;
}

config_file load_file() {
  config_file result;
  const char* const path = ::secure_getenv(config_variable);
  if (path == nullptr || *path == '\0') return result;
  result.path = path;
  std::string text;
  if (read_file(result.path, text)) {
    result.content = parse_config(text);
  } else {
    result.failure = core::errno_text(errno).get();
  }
  return result;
}

const config_file& the_file() {
  static const config_file& file = *new config_file(load_file());  // sockets may be used while the process ends
  return file;
}

std::string place_of(const assignment& a) {
  return the_file().path + ":" + std::to_string(a.line);
}

std::string names_of_options() {
  std::string result;
  for (const option_entry* o = begin_options(); o != end_options(); ++o) {
    if (o->text != nullptr) result.append(result.empty() ? "" : ", ").append(o->text);
  }
  return result;
}

error unknown_option(const std::string& origin, const std::string& name) {
  return refuse_default(
      (origin + ": there is no option '" + name + "'; there are " + names_of_options() + " (doc/options.md)").c_str());
}

error check_file() {
  const config_file& file = the_file();
  if (!file.failure.empty()) {
    return refuse_default(
        ("environment variable " + std::string(config_variable) + ": " + file.path + ": " + file.failure).c_str());
  }
  if (file.content.bad_line != 0) {
    const std::string place = file.path + ":" + std::to_string(file.content.bad_line);
    return refuse_default((place + ": " + file.content.problem).c_str());
  }
  for (const assignment& a : file.content.assignments) {
    if (find_option(a.name) == nullptr) return unknown_option(place_of(a), a.name);
  }
  return {};
}

error check_environment() {
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
    std::string_view name(*variable);
    if (name.substr(0, prefix.size()) != prefix) continue;
    name = name.substr(0, name.find('='));
    std::string text(name.substr(prefix.size()));
    if (is_other_variable(text)) continue;
    const option_entry* o = begin_options();
    while (o != end_options() && (o->text == nullptr || variable_of(*o) != name)) ++o;
    if (o != end_options()) continue;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return unknown_option("environment variable " + std::string(name), text);
  }
  return {};
}

struct defaults {
  settings values;
  error failure;
};

defaults load() {
  defaults result;
  result.failure = check_file();
  if (!result.failure) result.failure = check_environment();
  for (const option_entry* o = begin_options(); o != end_options(); ++o) {
    if (o->text == nullptr || o->type == option_type::policy) continue;
    const auto given = find_default(*o);
    if (!given) continue;
    int value = 0;
    if (parse_value(*o, given->value, value)) {
      (void)result.values.set(o->name, value);
    } else if (!result.failure) {
      result.failure = refuse_default((given->origin + ": '" + given->value + "' is no value of option " + o->text +
                                       ", which takes " + allowed_values(*o))
                                          .c_str());
    }
  }
  return result;
}

const defaults& the_defaults() {
  static const defaults& instance = *new defaults(load());
  return instance;
}

}  // namespace

std::optional<given_default> find_default(const option_entry& o) {
  const std::string variable = variable_of(o);
  const char* const value = ::secure_getenv(variable.c_str());
  if (value != nullptr && *value != '\0') return given_default{value, "environment variable " + variable};
  for (const assignment& a : the_file().content.assignments) {
    if (a.name == o.text) return given_default{a.value, place_of(a)};
  }
  return std::nullopt;
}

const settings& default_settings() {
  return the_defaults().values;
}

error check_defaults() {
  return the_defaults().failure;
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
