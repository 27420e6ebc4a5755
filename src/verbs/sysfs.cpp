// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "verbs/sysfs.hpp"

#include <asio_rdma/verbs/api.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

std::string sysfs_path() {
  const char* const path = ::secure_getenv("SYSFS_PATH");
  return path != nullptr && *path != '\0' ? path : "/sys";
}

std::vector<std::string> list_folder(const std::string& path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), &::closedir);
  if (!folder) return names;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string first_line(const std::string& path) {
  // Not a stream: an attribute that has no value fails when it is read, and is asked for by the thousand.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  char buffer[256];
  const ssize_t size = ::read(fd, buffer, sizeof buffer);
  ::close(fd);
  char* const end = buffer + (size > 0 ? size : 0);
  return std::string(buffer, std::find(buffer, end, '\n'));
}

int detail::numa_node_of(const char* device) noexcept try {
  const std::string line = first_line(sysfs_path() + "/class/infiniband/" + device + "/device/numa_node");
  return line.empty() ? -1 : std::atoi(line.c_str());
} catch (const std::bad_alloc&) {
  return -1;
}

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma
