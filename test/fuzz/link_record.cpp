// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What follows the handshake where no connection manager says how to reach a queue pair.

#include "input.hpp"

#include "transfer/link_record.hpp"

using namespace asio_rdma::transfer;

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto read = decode_link_record(data, size);
  if (!read) return 0;
  FUZZ_CHECK(size >= 48 && read->mtu >= 1 && read->mtu <= 5);
  FUZZ_CHECK(read->queue_pair >= 1 && read->queue_pair < 1u << 24 && read->psn < 1u << 24);
  const auto text = encode_link_record(*read);
  const auto again = decode_link_record(text.data(), text.size());
  FUZZ_CHECK(again && encode_link_record(*again) == text);
  FUZZ_CHECK(again->datagram == read->datagram && again->lid == read->lid && again->gid == read->gid);
  return 0;
}
