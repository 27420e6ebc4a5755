// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SUPPORT_SOURCE_FILE_HPP
#define ASIO_RDMA_TEST_SUPPORT_SOURCE_FILE_HPP

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

/// What a file of the source says, such as "doc/options.md": tests hold documents and code to each other.
inline std::string source_file(const std::filesystem::path& name) {
  std::ifstream file(std::filesystem::path(SOURCE_FOLDER) / name);
  std::ostringstream text;
  text << file.rdbuf();
  BOOST_REQUIRE_MESSAGE(file && !text.str().empty(), "cannot read " << name);
  return text.str();
}

#endif
