// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The private data of a reject.

#include "input.hpp"

#include "transfer/handshake.hpp"

#include <cstring>

using namespace asio_rdma::transfer;

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::optional<reject> read = decode_reject(data, size);
  const bool is_ours = size >= 9 && std::memcmp(data, "ARDM", 4) == 0 && data[4] >= 9;
  FUZZ_CHECK(read.has_value() == is_ours);
  if (!read) return 0;
  const auto text = encode_reject(*read);
  FUZZ_CHECK(std::memcmp(text.data() + 5, data + 5, 4) == 0);
  return 0;
}
