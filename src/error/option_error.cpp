// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "error/option_error.hpp"

#include "error/interned.hpp"
#include "error/tables.hpp"
#include "error/text.hpp"

#include <cstdio>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

struct option_error {
  library_error meaning{};
  char what[512] = {};

  bool operator==(const option_error& other) const noexcept {
    return meaning == other.meaning && std::strcmp(what, other.what) == 0;
  }
};

/// Numbers behind the last place stand for errors that there was no place for, one for each meaning.
using option_errors = interned<option_error, 256>;

option_errors& the_errors() noexcept {
  static option_errors& errors = *new option_errors;  // messages may be wanted while the process ends
  return errors;
}

error intern(library_error meaning, const char* what) noexcept {
  option_error e;
  e.meaning = meaning;
  std::snprintf(e.what, sizeof e.what, "%s", what);
  const int number = the_errors().intern(e);
  return error(number != 0 ? number : option_errors::capacity + static_cast<int>(meaning), error_domain::option);
}

option_error find(int value) noexcept {
  option_error e;
  if (!the_errors().find(value, e)) e.meaning = static_cast<library_error>(value - option_errors::capacity);
  return e;
}

}  // namespace

error refuse_default(const char* what) noexcept {
  return intern(library_error::bad_default, what);
}

error refuse_option(const char* what) noexcept {
  return intern(library_error::option_refused, what);
}

error refuse_use(const char* what) noexcept {
  return intern(library_error::misuse, what);
}

library_error option_error_meaning(int value) noexcept {
  return find(value).meaning;
}

void describe_option_error(int value, text& out) {
  const option_error e = find(value);
  if (e.what[0] != '\0') return out.add("%s", e.what);
  const error_entry* const entry = find_library_error(static_cast<int>(e.meaning));
  out.add("%s", entry != nullptr ? entry->text : "a socket option is wrong");
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
