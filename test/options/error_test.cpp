// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "error/option_error.hpp"

#include <asio_rdma/error.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

namespace core = asio_rdma::core;
using asio_rdma::errc;
using asio_rdma::to_error_code;

BOOST_AUTO_TEST_SUITE(option_errors)

BOOST_AUTO_TEST_CASE(they_mean_their_conditions_and_say_what_was_wrong) {
  const auto wrong = to_error_code(core::refuse_default("line 3: no"));
  BOOST_TEST((wrong == errc::bad_default));
  BOOST_TEST((wrong == boost::system::errc::invalid_argument));
  BOOST_TEST((wrong != errc::option_refused));
  BOOST_TEST((wrong.category() == asio_rdma::option_category()));
  BOOST_TEST(wrong.message() == "line 3: no");

  const auto refused = to_error_code(core::refuse_option("gid_index: no"));
  BOOST_TEST((refused == errc::option_refused));
  BOOST_TEST((refused == boost::system::errc::operation_not_supported));
  BOOST_TEST(refused.message() == "gid_index: no");
  BOOST_TEST((refused == to_error_code(core::refuse_option("gid_index: no"))));
}

BOOST_AUTO_TEST_CASE(too_many_of_them_still_have_a_meaning) {
  core::error last;
  for (int i = 0; i < 1000; ++i) last = core::refuse_option(("option " + std::to_string(i)).c_str());
  BOOST_TEST((to_error_code(last) == errc::option_refused));
  BOOST_TEST(!to_error_code(last).message().empty());
  BOOST_TEST((to_error_code(core::refuse_default("the next one")) == errc::bad_default));
}

BOOST_AUTO_TEST_SUITE_END()
