// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_PROGRAM_HPP
#define ASIO_RDMA_PERF_COMMON_PROGRAM_HPP

namespace perf {

/// What a program measures with: an operation of verbs, or the library's sockets.
enum class operation { send, write, read, atomic, net };

/// One of the performance programs.
struct program {
  const char* name;  ///< as it is called
  operation what;
  bool latency;  ///< else bandwidth

  bool is_net() const noexcept { return what == operation::net; }
  /// Whether the card executes the operation without the other side's program.
  bool is_one_sided() const noexcept {
    return what == operation::write || what == operation::read || what == operation::atomic;
  }
};

/// What each program's main() is: reads the command line, serves or measures, and says how that went.
/// @return the exit status: 0; 1 if a measurement failed; 2 if the command line makes no sense
int run(const program& p, int argc, char** argv);

}  // namespace perf

#endif
