// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What a peer credits, true or not, while everything is sent that may be.

#include "input.hpp"

#include "transfer/send_window.hpp"

#include <vector>

using namespace asio_rdma::transfer;

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  fuzz::input in(data, size);
  start_position start;
  start.bytes = in.start();
  start.messages = in.start();
  start.controls = in.start();
  const std::uint32_t ring = 4u << in.between(0, 8), depth = in.between(9, 40);
  send_window w(ring, depth, default_control_reserve, start);
  // Counts from 0 on, in which nothing wraps; and of each control message, which message it was.
  std::uint64_t tail = 0, consumed = 0, sent = 0, reaped = 0;
  std::vector<std::uint64_t> controls;

  while (!in.empty()) {
    switch (in.take<std::uint8_t>() % 4) {
      case 0: {
        const std::uint32_t wanted = in.take<std::uint8_t>(), chunk = in.between(1, 512);
        const std::uint32_t length = w.data_room(wanted, chunk);
        FUZZ_CHECK(length <= wanted && length <= chunk && w.remote_offset() == (start.bytes + tail) % ring);
        FUZZ_CHECK(length == 0 || sent - reaped < depth - 8);
        FUZZ_CHECK(w.remote_offset() + std::uint64_t{length} <= ring);
        if (length == 0) break;
        w.sent_data(length);
        tail += length;
        ++sent;
        FUZZ_CHECK(tail - consumed <= ring);  // nothing is overwritten that may be unread
        break;
      }
      case 1:
        FUZZ_CHECK(w.empty_room() == (sent - reaped < depth - 8));
        if (!w.empty_room()) break;
        in.take<std::uint8_t>() % 2 == 0 ? w.sent_data(0) : w.sent_direct();
        ++sent;
        break;
      case 2: {
        const auto is_reaped = [&](std::size_t back) {
          return controls.size() < back || controls[controls.size() - back] < reaped;
        };
        const bool slot_is_free = is_reaped(mirror_slots);
        FUZZ_CHECK(w.control_room() == (sent - reaped < depth && slot_is_free));
        FUZZ_CHECK(w.optional_room() == (sent - reaped < depth - 8 && slot_is_free && is_reaped(optional_controls)));
        if (!w.control_room()) break;
        FUZZ_CHECK(w.next_slot() == (start.controls + controls.size()) % mirror_slots);
        w.sent_control();
        controls.push_back(sent++);
        break;
      }
      case 3: {
        credit c{start.bytes + consumed + in.take<std::uint8_t>() % 64,
                 start.messages + reaped + in.take<std::uint8_t>() % 16};
        if (in.take<std::uint8_t>() >= 0xf0) c.consumed += in.take<std::uint64_t>();
        if (in.take<std::uint8_t>() >= 0xf0) c.reaped += in.take<std::uint64_t>();
        const std::uint64_t bytes = c.consumed - start.bytes, messages = c.reaped - start.messages;
        const bool expected = bytes >= consumed && bytes <= tail && messages >= reaped && messages <= sent;
        FUZZ_CHECK(w.apply(c) == expected);
        if (!expected) break;
        consumed = bytes;
        reaped = messages;
        break;
      }
    }
    FUZZ_CHECK(w.unconsumed() == tail - consumed && w.outstanding() == sent - reaped && w.outstanding() <= depth);
  }
  return 0;
}
