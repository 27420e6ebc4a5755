// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/huge_pages.hpp"

#include "error/option_error.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

namespace asio_rdma {
inline namespace v1 {
namespace io {

namespace {

/// Bytes of the system's default huge pages; 0 if it has none.
std::size_t huge_page_size() {
  std::ifstream lines("/proc/meminfo");
  std::string name;
  for (std::size_t value = 0; lines >> name; lines.ignore(256, '\n')) {
    if (name == "Hugepagesize:" && lines >> value) return value * 1024;
  }
  return 0;
}

}  // namespace

core::error allocate_huge_pages(std::size_t& length, memory_block& result) {
  const std::size_t page = huge_page_size();
  if (page == 0) return core::refuse_option("huge pages: this kernel has none; do with ordinary ones");
  if (length > static_cast<std::size_t>(-1) - page) return core::error(ENOMEM);
  length = (length + page - 1) / page * page;
  result = memory_block::on_huge_pages(length);
  if (result) return {};
  char what[256];
  std::snprintf(what, sizeof what,
                "huge pages: %zu of %zu KiB are not free (%s): sysctl vm.nr_hugepages=N makes some, or do with "
                "ordinary pages",
                length / page, page / 1024, std::strerror(errno));
  return core::refuse_option(what);
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
