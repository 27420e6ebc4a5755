// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_VERBS_TEMPORARY_FOLDER_HPP
#define ASIO_RDMA_TEST_VERBS_TEMPORARY_FOLDER_HPP

#include <stdlib.h>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace verbs_test {

/// A folder that is removed again, with whatever is in it.
class temporary_folder {
public:
  temporary_folder() {
    std::string name = std::filesystem::temp_directory_path() / "asio_rdma-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }

  /// Makes a file, with the folders above it.
  void write(const std::string& file, const std::string& content) const {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << content << '\n';
  }

private:
  std::filesystem::path path_;
};

/// Lets the library find another sysfs, as SYSFS_PATH does for libibverbs.
class other_sysfs : public temporary_folder {
public:
  other_sysfs() { ::setenv("SYSFS_PATH", path().c_str(), 1); }
  ~other_sysfs() { ::unsetenv("SYSFS_PATH"); }
};

}  // namespace verbs_test

#endif
