// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "options/config_file.hpp"

#include <boost/test/unit_test.hpp>

using asio_rdma::core::config;
using asio_rdma::core::parse_config;

BOOST_AUTO_TEST_SUITE(config_file)

BOOST_AUTO_TEST_CASE(lines_are_assignments_comments_or_empty) {
  const config c = parse_config(
      "# defaults of this host\n"
      "\n"
      "busy_poll = 50\n"
      "\tqueue_depth=64 # deep enough\r\n"
      "   # indented\n"
      "device  =  mlx5_0");
  BOOST_TEST(c.bad_line == 0);
  BOOST_TEST_REQUIRE(c.assignments.size() == 3u);
  BOOST_TEST(c.assignments[0].name == "busy_poll");
  BOOST_TEST(c.assignments[0].value == "50");
  BOOST_TEST(c.assignments[0].line == 3);
  BOOST_TEST(c.assignments[1].name == "queue_depth");
  BOOST_TEST(c.assignments[1].value == "64");
  BOOST_TEST(c.assignments[1].line == 4);
  BOOST_TEST(c.assignments[2].name == "device");
  BOOST_TEST(c.assignments[2].value == "mlx5_0");
  BOOST_TEST(c.assignments[2].line == 6);
}

BOOST_AUTO_TEST_CASE(an_empty_file_says_nothing) {
  for (const char* text : {"", "\n", "\n\n  \n", "#", "# a = b"}) {
    const config c = parse_config(text);
    BOOST_TEST(c.assignments.empty());
    BOOST_TEST(c.bad_line == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_sign_without_a_blank_before_it_belongs_to_the_value) {
  BOOST_TEST(parse_config("device = a#b").assignments.at(0).value == "a#b");
  BOOST_TEST(parse_config("device = a#b #c").assignments.at(0).value == "a#b");
}

BOOST_AUTO_TEST_CASE(other_lines_are_wrong_and_counted) {
  for (const char* text : {"busy_poll 50", "=", "= 50", "busy_poll =", "busy_poll = # 50", "[section]"}) {
    const config c = parse_config(std::string("# one\nretry_count = 1\n") + text + "\nqueue_depth = 64\n");
    BOOST_TEST(c.bad_line == 3, text);
    BOOST_TEST(!c.problem.empty());
    BOOST_TEST(c.assignments.size() == 1u);
  }
}

BOOST_AUTO_TEST_CASE(an_option_stands_there_once) {
  const config c = parse_config("busy_poll = 1\nretry_count = 2\nbusy_poll = 3\n");
  BOOST_TEST(c.bad_line == 3);
  BOOST_TEST(c.problem.find("line 1") != std::string::npos, c.problem);
}

BOOST_AUTO_TEST_SUITE_END()
