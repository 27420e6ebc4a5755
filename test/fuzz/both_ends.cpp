// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Two honest ends with any sizes that the protocol allows, in schedules by chance: everything arrives, and nobody waits
// for ever.

#include "input.hpp"

#include "simulation.hpp"

using namespace transfer_test;

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  fuzz::input in(data, size);
  settings s;
  s.ring_size = 4u << in.between(0, 10);
  s.queue_depth = in.between(16, 80);
  s.max_chunk = in.between(1, 512);
  s.staging_size = std::size_t{4} << in.between(0, 8);
  s.largest_ring = s.ring_size << in.between(0, 6);
  s.largest_staging = s.staging_size << in.between(0, 4);
  s.send_queue_depth = in.between(8, 64);
  s.mode = in.take<std::uint8_t>() % 2 == 0 ? transfer::mode::stream : transfer::mode::message;
  s.direct = in.take<std::uint8_t>() % 2 == 0;
  s.message_ends = in.between(1, 8);
  s.bytes = {in.between(0, 400), in.between(0, 400)};
  s.start.bytes = in.start();
  s.start.messages = in.start();
  s.start.controls = in.start();
  s.send_index_start = in.start();
  FUZZ_CHECK(simulation(s, in.take<std::uint32_t>()).run() == outcome::finished);
  return 0;
}
