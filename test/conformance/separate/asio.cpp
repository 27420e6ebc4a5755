// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What of Asio is no template, compiled once for all programs.
#include <boost/asio/impl/src.hpp>
