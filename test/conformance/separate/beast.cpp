// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What of Beast is no template, compiled once for all programs.
#include <boost/beast/src.hpp>
