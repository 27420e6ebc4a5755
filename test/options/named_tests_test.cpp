// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// doc/faults.md, doc/security.md and the rules of doc/design.md name tests, which exist.

#include "support/source_file.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// "suite/case" of all tests in the source.
std::set<std::string> all_tests() {
  static const std::regex begin(R"(_TEST_(SUITE|CASE)\((\w+))");
  std::set<std::string> result;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SOURCE_FOLDER "/test")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = source_file(entry.path());
    std::string suite;
    for (std::sregex_iterator i(text.begin(), text.end(), begin), end; i != end; ++i) {
      if ((*i)[1] == "SUITE") {
        suite = (*i)[2];
      } else {
        result.insert(suite + "/" + (*i)[2].str());
      }
    }
  }
  return result;
}

using row = std::vector<std::string>;

/// The rows of all tables whose last column is headed "Tests".
std::vector<row> rows_with_tests(const std::string& name) {
  std::istringstream document(source_file("doc/" + name));
  std::vector<row> result;
  bool is_ours = false;
  for (std::string line; std::getline(document, line);) {
    if (line.empty() || line[0] != '|') {
      is_ours = false;
      continue;
    }
    row cells;
    std::istringstream parts(line.substr(1));
    for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(cell);
    if (cells.back() == " Tests ") {
      is_ours = true;
      std::getline(document, line);  // |---|
    } else if (is_ours) {
      result.push_back(cells);
    }
  }
  BOOST_REQUIRE(!result.empty());
  return result;
}

void check_tests_exist(const std::string& document) {
  static const std::regex quoted("`([^`]+)`");
  const std::set<std::string> known = all_tests();
  for (const row& r : rows_with_tests(document)) {
    BOOST_TEST_CONTEXT(document << ":" << r.front()) {
      const std::string& cell = r.back();
      std::sregex_iterator i(cell.begin(), cell.end(), quoted);
      BOOST_TEST((i != std::sregex_iterator()), "no test");
      for (; i != std::sregex_iterator(); ++i) BOOST_TEST(known.count((*i)[1]) == 1u, (*i)[1].str());
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tests_that_documents_name)

BOOST_AUTO_TEST_CASE(every_kind_of_fault_has_a_test_that_exists) {
  check_tests_exist("faults.md");
}

BOOST_AUTO_TEST_CASE(kinds_of_faults_are_numbered) {
  const auto rows = rows_with_tests("faults.md");
  for (std::size_t i = 0; i < rows.size(); ++i) BOOST_TEST(rows[i].front() == " " + std::to_string(i + 1) + " ");
}

BOOST_AUTO_TEST_CASE(every_claim_about_security_has_a_test_that_exists) {
  check_tests_exist("security.md");
}

BOOST_AUTO_TEST_CASE(every_rule_of_the_design_has_a_test_that_exists) {
  check_tests_exist("design.md");
}

BOOST_AUTO_TEST_SUITE_END()
