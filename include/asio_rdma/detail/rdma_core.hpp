// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_RDMA_CORE_HPP
#define ASIO_RDMA_DETAIL_RDMA_CORE_HPP

#include <asio_rdma/detail/core/config.hpp>

#ifdef ASIO_RDMA_STUB
#error "raw connections and the verbs classes of asio_rdma need Linux: this system has the library's sockets alone"
#endif

// The types of verbs and of the connection manager: rdma-core's, or our own where the library was built without them
// (-DASIO_RDMA_VERBS=OFF). Whoever uses such a library is told so by CMake or pkg-config.
#ifdef ASIO_RDMA_WITHOUT_VERBS
#ifdef INFINIBAND_VERBS_H
#error "this asio_rdma was built without rdma-core (ASIO_RDMA_VERBS=OFF), and has types of verbs of its own: do not \
include <infiniband/verbs.h>, or build the library with ASIO_RDMA_VERBS=ON"
#endif
#include <asio_rdma/detail/verbs_abi/calls.hpp>
#include <asio_rdma/detail/verbs_abi/cm.hpp>
#else
#include <infiniband/sa.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#endif

#endif
