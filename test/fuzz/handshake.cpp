// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The private data of a connect request or an accept.

#include "input.hpp"

#include "transfer/extent.hpp"
#include "transfer/handshake.hpp"

#include <algorithm>
#include <vector>

using namespace asio_rdma::transfer;

namespace {

bool is_region(std::uint64_t address, std::uint64_t size) {
  return address != 0 && address <= ~std::uint64_t{0} - size;
}

// doc/wire.md, section 2.
void check_ranges(const handshake& h) {
  FUZZ_CHECK(h.versions.lowest >= 1 && h.versions.lowest <= h.versions.highest);
  FUZZ_CHECK(choose_version(h.versions, supported_versions));
  FUZZ_CHECK(h.mode == mode::stream || h.mode == mode::message || h.mode == mode::raw);
  FUZZ_CHECK((h.loopback == loopback::v4) == (h.loopback_v4 >> 24 == 127));
  FUZZ_CHECK(h.loopback == loopback::v4 || h.loopback_v4 == 0);
  if (h.mode == mode::raw && h.ring_size == 0) return;
  FUZZ_CHECK(is_power_of_two(h.ring_size) && h.ring_size >= 4096 && h.ring_size <= 1u << 26);
  FUZZ_CHECK(h.queue_depth >= 16 && h.queue_depth <= 8192);
  FUZZ_CHECK(h.max_chunk >= 1024 && h.max_chunk <= 1u << 26);
  FUZZ_CHECK(is_region(h.ring_address, h.ring_size));
  FUZZ_CHECK(is_region(h.mirror_address, 1024) && h.mirror_address % 64 == 0);
}

}  // namespace

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const handshake_result read = decode_handshake(data, size);
  FUZZ_CHECK(static_cast<int>(reason_for(read.error)) != 0);
  if (!read) return 0;
  check_ranges(read.value);

  // What is sent again says the same. The first bytes of a later version's are ours.
  const auto text = encode_handshake(read.value);
  const handshake_result again = decode_handshake(text.data(), text.size());
  FUZZ_CHECK(again && encode_handshake(again.value) == text);

  // The connection manager pads.
  std::vector<unsigned char> padded(data, data + size);
  padded.resize(size + 32, 0);
  const handshake_result unpadded = decode_handshake(padded.data(), padded.size());
  FUZZ_CHECK(unpadded && encode_handshake(unpadded.value) == text);

  handshake ours = read.value;
  ours.versions = supported_versions;
  ours.max_chunk = 64 * 1024;
  const auto here = agree(ours, read.value), there = agree(read.value, ours);
  FUZZ_CHECK(here && there && here->version == there->version && here->features == there->features);
  FUZZ_CHECK(here->max_chunk == there->max_chunk && here->max_chunk <= read.value.max_chunk);
  return 0;
}
