// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "result.hpp"

#include "../info/report.hpp"

namespace perf {

void find_link(carrier& c, unsigned port) {
  for (const info::device& d : info::find_devices()) {
    if (d.name != c.device) continue;
    for (const info::port& p : d.ports) {
      if (p.number != port) continue;
      c.link = p.link_layer;
      if (p.gigabits > 0) c.link += ", " + std::to_string(static_cast<long>(p.gigabits)) + " Gb/s";
      for (const info::gid_entry& g : p.gids) {
        if (g.index == c.gid_index) c.gid = g.gid + (g.type.empty() ? "" : ", " + g.type);
      }
    }
  }
}

}  // namespace perf
