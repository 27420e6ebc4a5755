// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_PEAK_HPP
#define ASIO_RDMA_PERF_COMMON_PEAK_HPP

#include <cstdint>
#include <vector>

namespace perf {

/// A completion that was seen, and of how many messages that had been posted and completed it told, in order.
struct completion_mark {
  std::uint64_t ticks;
  std::uint64_t completed;  ///< messages completed up to it
};
/// A call that posted, just before it.
struct post_mark {
  std::uint64_t ticks;
  std::uint64_t posted;  ///< messages posted before it
};

/// The highest rate over any stretch of a measurement that begins with a post and ends with a completion: the messages
/// that were both posted and completed in it, by its length. perftest's "peak", which it finds in quadratic time; this
/// takes a few passes.
/// @return messages for each tick; 0 if nothing completed
double peak_rate(const std::vector<post_mark>& posts, const std::vector<completion_mark>& completions);

}  // namespace perf

#endif
