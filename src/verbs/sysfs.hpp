// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_VERBS_SYSFS_HPP
#define ASIO_RDMA_SRC_VERBS_SYSFS_HPP

#include <string>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// Where sysfs is mounted; SYSFS_PATH overrides it, as it does for libibverbs.
std::string sysfs_path();

/// The names in a folder, sorted, without "." and ".."; none if there is no such folder.
std::vector<std::string> list_folder(const std::string& path);

/// The first line of a file, without its end; empty if it cannot be read.
std::string first_line(const std::string& path);

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
