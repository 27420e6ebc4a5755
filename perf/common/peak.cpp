// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "peak.hpp"

#include <cstddef>

namespace perf {

// Dinkelbach's method for the largest ratio: for a rate r, find the stretch with the most messages beyond r times its
// length. If there is one with more than none, its own rate is better than r, and is tried next.
double peak_rate(const std::vector<post_mark>& posts, const std::vector<completion_mark>& completions) {
  double rate = 0;
  for (int round = 0; round < 64; ++round) {
    double best_gain = 0;
    double best_rate = rate;
    double best_begin = 0;  // the largest of r * time - messages before, over the posts so far
    const post_mark* begin = nullptr;
    std::size_t next = 0;
    for (const completion_mark& c : completions) {
      for (; next < posts.size() && posts[next].posted < c.completed && posts[next].ticks <= c.ticks; ++next) {
        const double value =
            rate * static_cast<double>(posts[next].ticks - posts[0].ticks) - static_cast<double>(posts[next].posted);
        if (!begin || value > best_begin) {
          best_begin = value;
          begin = &posts[next];
        }
      }
      if (!begin || c.ticks == begin->ticks) continue;
      const double gain =
          static_cast<double>(c.completed) - rate * static_cast<double>(c.ticks - posts[0].ticks) + best_begin;
      if (gain > best_gain) {
        best_gain = gain;
        best_rate = static_cast<double>(c.completed - begin->posted) / static_cast<double>(c.ticks - begin->ticks);
      }
    }
    if (best_rate <= rate * (1 + 1e-9)) break;
    rate = best_rate;
  }
  return rate;
}

}  // namespace perf
