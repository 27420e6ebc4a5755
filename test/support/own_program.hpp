// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SUPPORT_OWN_PROGRAM_HPP
#define ASIO_RDMA_TEST_SUPPORT_OWN_PROGRAM_HPP

#include <filesystem>
#include <string>

namespace test_support {

/// The file of this program, for tests that start themselves anew. Under valgrind it is what the link says, whereas
/// the link itself leads to valgrind.
inline std::string own_program() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

}  // namespace test_support

#endif
