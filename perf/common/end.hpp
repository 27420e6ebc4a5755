// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_END_HPP
#define ASIO_RDMA_PERF_COMMON_END_HPP

#include "control.hpp"
#include "program.hpp"
#include "result.hpp"
#include "settings.hpp"

#include <cstdint>
#include <memory>

namespace perf {

/// A part of a measurement that is done in one go: the warm-up, or what counts.
struct phase {
  std::uint64_t messages = 0;  ///< on each connection; without meaning if there is a time
  double seconds = 0;          ///< 0: count messages
  double margin = 0;           ///< seconds at begin and end that do not count
  bool counts = false;         ///< else it is the warm-up
};

/// One end of the connections over which something is measured. Its constructor connects them, with the other end's
/// constructor at work at the same time. Errors are exceptions.
class end {
public:
  virtual ~end() = default;

  virtual carrier describe() = 0;
  /// Largest message, bytes.
  virtual std::uint64_t largest_message() const = 0;
  /// Gets ready for messages of that size: what the other end may send from then on finds its place.
  virtual void prepare(std::uint64_t size) = 0;
  /// Sends, receives or waits until the phase is over at both ends.
  /// @return what this end measured; without messages if it measured nothing
  virtual result run(const phase& p) = 0;
};

/// What an end is made of.
struct end_of {
  const program& what;
  const settings& how;
  control& line;
  bool is_client;
};

/// Throws usage_error if there is no such mode here.
std::unique_ptr<end> make_net_end(const end_of& e);
std::unique_ptr<end> make_verbs_end(const end_of& e);

}  // namespace perf

#endif
