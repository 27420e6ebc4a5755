// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Memory of ours lies on the NUMA node of the device that it is registered with.

#include "io/device_domain.hpp"
#include "io/program_memory.hpp"
#include "io/registered_block.hpp"
#include "verbs/temporary_folder.hpp"

#include <asio_rdma/detail/core/memory.hpp>
#include <asio_rdma/verbs/context.hpp>

#include <boost/test/unit_test.hpp>

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

namespace asio_rdma {
namespace {

/// Whether the system has been asked to put the page at an address on node 0; kernels without NUMA cannot say.
bool prefers_node_0(const void* address) {
  int mode = -1;
  std::array<unsigned long, 16> nodes{};
  if (::syscall(SYS_get_mempolicy, &mode, nodes.data(), nodes.size() * 64 + 1, address, MPOL_F_ADDR) != 0) {
    BOOST_TEST_MESSAGE("get_mempolicy: " << std::strerror(errno));
    return errno == ENOSYS || errno == EPERM;
  }
  return mode == MPOL_PREFERRED && nodes[0] == 1;
}

/// A domain of the first device, which is said to be attached to node 0.
struct on_node_0 {
  on_node_0() {
    const verbs::api& table = verbs::policy_table();
    const verbs::device_list devices(table);
    BOOST_TEST_REQUIRE(!devices.empty());
    verbs::error_code ec;
    opened = verbs::context::open(devices[0], ec, table);
    BOOST_TEST_REQUIRE(!ec);
    sysfs.emplace();  // libibverbs has looked into the system's
    sysfs->write(std::string("class/infiniband/") + opened.name() + "/device/numa_node", "0");
    BOOST_TEST_REQUIRE(!io::device_domain::make(opened, domain));
  }

  verbs::context opened;
  std::optional<verbs_test::other_sysfs> sysfs;
  std::shared_ptr<io::device_domain> domain;
};

BOOST_AUTO_TEST_SUITE(numa)

BOOST_AUTO_TEST_CASE(the_node_of_a_device_is_what_the_kernel_says, *boost::unit_test::label("native")) {
  const verbs_test::other_sysfs sysfs;
  BOOST_TEST(verbs::detail::numa_node_of("imaginary0") < 0);
  sysfs.write("class/infiniband/imaginary0/device/numa_node", "-1");
  BOOST_TEST(verbs::detail::numa_node_of("imaginary0") < 0);
  sysfs.write("class/infiniband/imaginary0/device/numa_node", "3");
  BOOST_TEST(verbs::detail::numa_node_of("imaginary0") == 3);
}

BOOST_FIXTURE_TEST_CASE(rings_lie_there, on_node_0, *boost::unit_test::label("rdma")) {
  io::registered_block ring;
  verbs::error_code ec;
  ring.create(*domain, 64 * 1024, IBV_ACCESS_LOCAL_WRITE, ec);
  BOOST_TEST_REQUIRE(!ec);
  BOOST_TEST(prefers_node_0(ring.data()));
}

BOOST_FIXTURE_TEST_CASE(pools_of_the_program_lie_there_once_a_socket_has_used_them, on_node_0,
                        *boost::unit_test::label("rdma")) {
  core::memory pool;
  BOOST_TEST_REQUIRE(!core::memory::allocate(64 * 1024, false, pool));
  static_cast<char*>(pool.data())[0] = 'x';
  io::program_memory::known known;
  BOOST_TEST_REQUIRE(!io::program_memory::find(domain, pool.data(), pool.size(), known));
  BOOST_TEST(prefers_node_0(pool.data()));
  BOOST_TEST(static_cast<char*>(pool.data())[0] == 'x');
  io::program_memory::forget(domain);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace asio_rdma
