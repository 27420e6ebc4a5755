// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#define BOOST_TEST_MODULE soft
#include <boost/test/unit_test.hpp>
