// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#define BOOST_TEST_NO_MAIN
#define BOOST_TEST_ALTERNATIVE_INIT_API
#include "child.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

namespace {

bool name_the_module() {
  boost::unit_test::framework::master_test_suite().p_name.value = TEST_FOLDER;
  return true;
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc > 2 && std::string(argv[1]) == "--child") return process_test::run_scenario({argv + 2, argv + argc});
  return boost::unit_test::unit_test_main(name_the_module, argc, argv);
}
