// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Boost.Test's library, from its headers: there is no package of it for another processor.
#include <boost/test/included/unit_test.hpp>
