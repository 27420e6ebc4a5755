// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Each program's main(): PROGRAM_NAME, PROGRAM_OPERATION and PROGRAM_LATENCY say which it is.

#include "../common/program.hpp"

int main(int argc, char** argv) {
  return perf::run({PROGRAM_NAME, perf::operation::PROGRAM_OPERATION, PROGRAM_LATENCY}, argc, argv);
}
