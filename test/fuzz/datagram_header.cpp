// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What stands before a datagram, and the private data of the question where a socket is.

#include "input.hpp"

#include "transfer/datagram.hpp"

#include <cstring>

using namespace asio_rdma::transfer;

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (const auto header = decode_datagram_header(data, size)) {
    FUZZ_CHECK(header->source_port != 0 && data[0] == 'A' && data[1] == 'D' && data[2] == 1);
    auto text = encode_datagram_header(*header);
    text[3] = static_cast<unsigned char>(text[3] | (data[3] & ~7));  // unknown flags are ignored
    FUZZ_CHECK(std::memcmp(text.data(), data, text.size()) == 0);
  }
  if (const auto greeting = decode_datagram_greeting(data, size)) {
    const auto text = encode_datagram_greeting(greeting.value);
    const auto again = decode_datagram_greeting(text.data(), text.size());
    FUZZ_CHECK(again && again.value.asked_loopback == greeting.value.asked_loopback);
    FUZZ_CHECK(again.value.largest_payload == greeting.value.largest_payload);
  }
  return 0;
}
