// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_OPTIONS_CONFIG_FILE_HPP
#define ASIO_RDMA_SRC_OPTIONS_CONFIG_FILE_HPP

#include <string>
#include <string_view>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// A line "name = value" of a file.
struct assignment {
  std::string name;
  std::string value;
  int line = 0;  ///< from 1 on
};

/// What a file says, as far as its form goes.
struct config {
  std::vector<assignment> assignments;
  int bad_line = 0;     ///< the first line that is wrong, 0 if none is
  std::string problem;  ///< what is wrong with it
};

/// Lines "name = value", with blanks where one likes; # begins a comment, at the start of a line or after a blank.
/// Empty lines count for nothing. Each name at most once.
config parse_config(std::string_view text);

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
