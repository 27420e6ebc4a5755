// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_VERBS_HPP
#define ASIO_RDMA_VERBS_VERBS_HPP

#include <asio_rdma/verbs/address_handle.hpp>
#include <asio_rdma/verbs/api.hpp>
#include <asio_rdma/verbs/cm_event.hpp>
#include <asio_rdma/verbs/cm_id.hpp>
#include <asio_rdma/verbs/completion_channel.hpp>
#include <asio_rdma/verbs/completion_queue.hpp>
#include <asio_rdma/verbs/context.hpp>
#include <asio_rdma/verbs/device_list.hpp>
#include <asio_rdma/verbs/event_channel.hpp>
#include <asio_rdma/verbs/memory_region.hpp>
#include <asio_rdma/verbs/memory_window.hpp>
#include <asio_rdma/verbs/protection_domain.hpp>
#include <asio_rdma/verbs/queue_pair.hpp>
#include <asio_rdma/verbs/queue_pair_attributes.hpp>
#include <asio_rdma/verbs/ref.hpp>
#include <asio_rdma/verbs/shared_receive_queue.hpp>

#endif
