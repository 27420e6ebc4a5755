// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A handshake in raw mode: the memory that the peer offers.

#include "input.hpp"

#include "transfer/raw_greeting.hpp"

using namespace asio_rdma::transfer;

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const handshake_result read = decode_handshake(data, size);
  if (!read || read.value.mode != mode::raw) return 0;
  const raw_greeting g = to_raw_greeting(read.value);
  FUZZ_CHECK(g.address + g.length >= g.address);
  FUZZ_CHECK(g.length != 0 || read.value.mirror_address == 0 || g.address == 0);
  const auto text = encode_handshake(to_handshake(g));
  const handshake_result again = decode_handshake(text.data(), text.size());
  FUZZ_CHECK(again);
  const raw_greeting h = to_raw_greeting(again.value);
  FUZZ_CHECK(h.receive_depth == g.receive_depth && h.address == g.address && h.length == g.length && h.key == g.key);
  FUZZ_CHECK(h.queue_pair == g.queue_pair && h.qkey == g.qkey);
  return 0;
}
