// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The table, the header's docstrings and the document say the same.

#include "options/option_table.hpp"
#include "support/source_file.hpp"

#include <boost/test/unit_test.hpp>

#include <regex>
#include <string>

namespace core = asio_rdma::core;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string value_text(const core::option_entry& o, int value) {
  if (o.type == core::option_type::yes_no) return value != 0 ? "true" : "false";
  return std::to_string(value);
}

std::string default_text(const core::option_entry& o) {
  return o.type == core::option_type::policy ? "auto" : value_text(o, o.standard);
}

std::string deadline_text(const core::option_entry& o) {
  switch (o.deadline) {
    case core::option_deadline::none:
      return "any time";
    case core::option_deadline::connection:
      return "connect, listen";
    case core::option_deadline::bind:
      break;
  }
  return "bind, connect, listen";
}

/// The row of the document's table.
std::string row(const core::option_entry& o) {
  return "| `" + std::string(o.text) + "` | " + allowed_values(o) + " | " + default_text(o) + " | " + deadline_text(o) +
         " | `" + variable_of(o) + "` |\n";
}

/// The comment above the option's declaration in the header, in one line; empty if there is none of that kind.
std::string docstring(const std::string& header, const core::option_entry& o) {
  const std::string name = o.text;
  const bool is_text = o.type == core::option_type::policy;
  const char* const kind = o.type == core::option_type::yes_no ? "bool" : is_text ? "text" : "int";
  const auto end = header.find("using " + name + " = detail::rdma_" + kind + "_option<core::option::" + name + ">;");
  if (end == header.npos) return {};
  const auto start = header.rfind("\n\n", end);
  return std::regex_replace(header.substr(start, end - start), std::regex("\\s*///\\s*"), " ");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(documents)

BOOST_AUTO_TEST_CASE(the_document_has_a_row_for_each_option_and_no_other) {
  const std::string document = source_file("doc/options.md");
  std::size_t options = 0;
  for (const core::option_entry* o = core::begin_options(); o != core::end_options(); ++o) {
    if (o->text == nullptr) continue;
    ++options;
    BOOST_TEST(contains(document, row(*o)), "doc/options.md lacks the row\n" << row(*o));
  }
  const std::regex any("`ASIO_RDMA_[A-Z_]+` \\|\n");
  const auto rows = std::distance(std::sregex_iterator(document.begin(), document.end(), any), std::sregex_iterator());
  BOOST_TEST(static_cast<std::size_t>(rows) == options);
}

BOOST_AUTO_TEST_CASE(the_header_declares_each_option_and_says_what_it_takes) {
  const std::string header = source_file("include/asio_rdma/socket_options.hpp");
  std::size_t options = 0;
  for (const core::option_entry* o = core::begin_options(); o != core::end_options(); ++o) {
    if (o->text == nullptr) continue;
    ++options;
    const std::string text = docstring(header, *o);
    BOOST_TEST(!text.empty(), o->text << " is not declared");
    if (o->type == core::option_type::policy) continue;
    BOOST_TEST(contains(text, "by default " + value_text(*o, o->standard)), o->text << ":" << text);
    if (o->type != core::option_type::yes_no) {
      const std::string range = std::to_string(o->least) + " to " + std::to_string(o->most);
      BOOST_TEST(contains(text, range), o->text << ":" << text);
    }
    const bool is_fixed = o->deadline == core::option_deadline::connection;
    BOOST_TEST(contains(text, "Fixed.") == is_fixed, o->text << ":" << text);
  }
  const std::regex any("using [a-z_]+ = detail::rdma_");
  const auto found = std::distance(std::sregex_iterator(header.begin(), header.end(), any), std::sregex_iterator());
  BOOST_TEST(static_cast<std::size_t>(found) == options);
}

BOOST_AUTO_TEST_SUITE_END()
