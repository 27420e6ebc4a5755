// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The file of defaults, and the values of options in it.

#include "input.hpp"

#include "options/config_file.hpp"
#include "options/option_table.hpp"

#include <string>
#include <string_view>

using namespace asio_rdma::core;

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const config read = parse_config(std::string_view(reinterpret_cast<const char*>(data), size));
  FUZZ_CHECK((read.bad_line != 0) == !read.problem.empty());
  std::string again;
  int line = 0;
  for (const assignment& a : read.assignments) {
    FUZZ_CHECK(a.line > line && !a.name.empty() && !a.value.empty());
    line = a.line;
    again += a.name + "=" + a.value + "\n";  // after a blank, # would begin a comment
    const option_entry* const o = find_option(std::string_view(a.name));
    int value = 0;
    if (o && o->type != option_type::policy && parse_value(*o, a.value, value)) {
      FUZZ_CHECK(value >= o->least && value <= o->most);
    }
  }
  const config reread = parse_config(again);
  FUZZ_CHECK(reread.bad_line == 0 && reread.assignments.size() == read.assignments.size());
  for (std::size_t i = 0; i < reread.assignments.size(); ++i) {
    FUZZ_CHECK(reread.assignments[i].name == read.assignments[i].name);
    FUZZ_CHECK(reread.assignments[i].value == read.assignments[i].value);
  }
  return 0;
}
