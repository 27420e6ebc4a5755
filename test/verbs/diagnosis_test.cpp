// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "temporary_folder.hpp"

#include <asio_rdma/error.hpp>

#include <boost/test/unit_test.hpp>

#include <sys/resource.h>
#include <string>

using asio_rdma::to_error_code;
using asio_rdma::core::library_error;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string no_device_message() {
  return to_error_code(library_error::no_device).message();
}
std::string memlock_message() {
  return to_error_code(library_error::memlock_limit).message();
}

/// Sets the soft limit on locked memory while it lives.
class memlock_limit {
public:
  explicit memlock_limit(rlim_t bytes) {
    BOOST_REQUIRE(::getrlimit(RLIMIT_MEMLOCK, &before_) == 0);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    BOOST_REQUIRE(::setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
  }
  memlock_limit(const memlock_limit&) = delete;
  memlock_limit& operator=(const memlock_limit&) = delete;
  ~memlock_limit() { ::setrlimit(RLIMIT_MEMLOCK, &before_); }

private:
  rlimit before_{};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(diagnosis, *boost::unit_test::label("native"))

#ifdef ASIO_RDMA_WITHOUT_VERBS

BOOST_AUTO_TEST_CASE(a_library_that_was_built_without_rdma_core_says_so) {
  const std::string text = no_device_message();
  BOOST_TEST(contains(text, "built without rdma-core (ASIO_RDMA_VERBS=OFF)"), text);
  BOOST_TEST(contains(text, "ASIO_RDMA_DEVICE=soft0"), text);
}

#else

BOOST_AUTO_TEST_CASE(a_machine_without_devices_is_told_how_to_get_one) {
  const verbs_test::other_sysfs sysfs;
  const std::string text = no_device_message();
  BOOST_TEST(contains(text, "this machine has none"), text);
  BOOST_TEST(contains(text, "rdma link add rxe0 type rxe"), text);
}

BOOST_AUTO_TEST_CASE(a_device_without_nodes_or_driver_is_told_which_is_missing) {
  const verbs_test::other_sysfs sysfs;
  sysfs.write("class/infiniband/imaginary0/node_guid", "0000:0000:0000:0001");
  const std::string text = no_device_message();
  BOOST_TEST(contains(text, "imaginary0"), text);
  BOOST_TEST(!contains(text, "this machine has none"), text);
  if (std::filesystem::exists("/dev/infiniband/uverbs0")) {
    BOOST_TEST(contains(text, "ibv_devinfo"), text);  // there is a real device too, with its driver
  } else {
    BOOST_TEST(contains(text, "--device=/dev/infiniband"), text);
  }
}

#endif

BOOST_AUTO_TEST_CASE(the_memlock_limit_is_stated_in_bytes_with_its_remedies) {
  const memlock_limit limit(65536);
  const std::string text = memlock_message();
  for (const char* part : {"65536 bytes", "ulimit -l", "LimitMEMLOCK=", "--ulimit memlock=-1:-1"})
    BOOST_TEST(contains(text, part), text);
}

BOOST_AUTO_TEST_SUITE_END()
