// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Boost.JSON, compiled here once for all programs.
#include <boost/json/src.hpp>
