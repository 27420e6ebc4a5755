// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What the connection managers of two processes on soft0 say to each other.

#include "input.hpp"

#include "soft/cm/message.hpp"

#include <cstring>

using namespace asio_rdma::soft::cm;

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  message m;
  if (!decode(data, size, m)) return 0;
  FUZZ_CHECK(m.type >= message_type::request && m.type <= message_type::disconnected);
  FUZZ_CHECK(m.space == RDMA_PS_TCP || m.space == RDMA_PS_UDP);
  FUZZ_CHECK(m.private_size <= private_data_limit(m.type, static_cast<rdma_port_space>(m.space)));
  FUZZ_CHECK(m.private_size <= max_private_data && size_of(m) == size);
  FUZZ_CHECK(m.from != 0 && m.to != 0 && m.qp_num < 1u << 24 && m.psn < 1u << 24);
  FUZZ_CHECK(m.retry_count <= 7 && m.rnr_retry_count <= 7);
  FUZZ_CHECK(std::memcmp(m.private_data, data + size - m.private_size, m.private_size) == 0);
  message again;
  FUZZ_CHECK(decode(reinterpret_cast<const unsigned char*>(&m), size_of(m), again));
  FUZZ_CHECK(std::memcmp(&again, &m, size) == 0);
  return 0;
}
