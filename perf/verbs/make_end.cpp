// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "../common/end.hpp"

#include "../common/flags.hpp"

namespace perf {

std::unique_ptr<end> make_verbs_end(const end_of& e) {
  throw usage_error(std::string(e.what.name) + ": TODO");
}

}  // namespace perf
