// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_ASIO_RDMA_HPP
#define ASIO_RDMA_ASIO_RDMA_HPP

#include <asio_rdma/batch.hpp>
#include <asio_rdma/device.hpp>
#include <asio_rdma/error.hpp>
#include <asio_rdma/exit_linger.hpp>
#include <asio_rdma/last_failure.hpp>
#include <asio_rdma/log.hpp>
#include <asio_rdma/rc.hpp>
#include <asio_rdma/rc_seq_packet.hpp>
#include <asio_rdma/registered_buffer.hpp>
#include <asio_rdma/socket_options.hpp>
#include <asio_rdma/statistics.hpp>
#include <asio_rdma/statistics_text.hpp>
#include <asio_rdma/ud.hpp>

#endif
