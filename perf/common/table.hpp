// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_TABLE_HPP
#define ASIO_RDMA_PERF_COMMON_TABLE_HPP

#include "program.hpp"
#include "result.hpp"
#include "settings.hpp"

#include <ostream>

namespace perf {

/// Prints a measurement for people: what carries it, perftest's columns with their units, a line for each size.
class table {
public:
  table(std::ostream& out, const program& p, const settings& s) : out_(out), program_(p), settings_(s) {}

  void print_head(const carrier& c);
  void print_row(const result& r);
  void print_end();

private:
  void print_columns();
  void print_samples(const result& r);

  std::ostream& out_;
  const program& program_;
  const settings& settings_;
  bool has_columns_ = false;
};

}  // namespace perf

#endif
