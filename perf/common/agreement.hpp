// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_AGREEMENT_HPP
#define ASIO_RDMA_PERF_COMMON_AGREEMENT_HPP

#include "control.hpp"
#include "program.hpp"
#include "settings.hpp"

namespace perf {

/// Tells the server what is to be measured, and hears whether it will. Throws peer_error.
void propose(const program& p, const settings& s, control& line);

/// Takes over what a client wants to measure.
/// @param s what the server's command line says
/// @return settings of this measurement
/// Throws usage_error if the two do not agree; the client has been told then.
settings agree(const program& p, const settings& s, control& line);

}  // namespace perf

#endif
