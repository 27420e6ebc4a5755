// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What a peer sends, in any order, against a picture of the receiver that is kept by simpler means.

#include "input.hpp"

#include "transfer/receive_window.hpp"

#include <algorithm>
#include <deque>
#include <utility>

using namespace asio_rdma::transfer;

namespace {

/// Counts from 0 on, in which nothing wraps.
struct picture {
  std::uint64_t ring;
  std::uint32_t depth;
  mode of;
  std::uint64_t first_byte;
  std::uint64_t received = 0, consumed = 0, consumed_told = 0;
  std::uint64_t messages = 0, messages_told = 0, controls = 0, controls_told = 0;
  bool within_message = false;
  std::deque<std::uint64_t> ends;
  bool fin = false;
  bool is_short = false;
  std::uint64_t offered = 0, former = 0, begin = 0;  // sizes of rings, and where the present one begins

  bool has_receive() const { return messages - messages_told < depth; }
  bool may_come(std::uint32_t length) const {
    const std::uint64_t offset = (first_byte + received) % ring;
    return !fin && has_receive() && received + length - consumed_told <= ring && offset + length <= ring;
  }
};

}  // namespace

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  fuzz::input in(data, size);
  start_position start;
  start.bytes = in.start();
  start.messages = in.start();
  start.controls = in.start();
  const mode of = in.take<std::uint8_t>() % 2 == 0 ? mode::stream : mode::message;
  const std::uint32_t ring = 4u << in.between(0, 8), depth = in.between(8, 40);
  picture p{ring, depth, of, start.bytes};
  receive_window w(ring, depth, default_control_report, start, of);

  while (!in.empty()) {
    const auto step = in.take<std::uint8_t>() % 12;
    switch (step) {
      case 0:
      case 1: {
        const bool is_end = step == 1;
        if (is_end && of != mode::message) break;  // not permitted: never gets here
        std::uint32_t length = in.take<std::uint8_t>();
        if (length == 255) length = in.take<std::uint32_t>() & max_message_length;
        const bool expected = p.may_come(length) && (is_end || length != 0);
        FUZZ_CHECK((is_end ? w.end_arrived(length) : w.data_arrived(length)) == expected);
        if (!expected) break;
        p.received += length;
        ++p.messages;
        if (is_end) p.ends.push_back(p.received);
        p.within_message = !is_end;
        break;
      }
      case 2: {
        const auto slot = w.control_arrived();
        FUZZ_CHECK(slot.has_value() == p.has_receive());
        if (!slot) break;
        FUZZ_CHECK(*slot == (start.controls + p.controls) % mirror_slots);
        ++p.controls;
        ++p.messages;
        break;
      }
      case 3: {
        const bool expected = !p.fin && p.has_receive() && (of != mode::message || !p.within_message);
        FUZZ_CHECK(w.fin_arrived() == expected);
        if (!expected) break;
        p.fin = true;
        ++p.controls;
        ++p.messages;
        break;
      }
      case 4:
      case 5: {
        const std::size_t most = of == mode::message ? w.readable_of_message() : w.readable();
        const std::size_t length = most == 0 ? 0 : in.between(0, static_cast<std::uint32_t>(most));
        w.consume(length);
        p.consumed += length;
        break;
      }
      case 6:
        if (p.ends.empty() || p.ends.front() != p.consumed) break;
        w.consume_end();
        p.ends.pop_front();
        break;
      case 7: {
        const credit c = w.take_credit();
        p.consumed_told = p.consumed;
        p.messages_told = p.messages - p.ends.size();
        p.controls_told = p.controls;
        FUZZ_CHECK(c.consumed == start.bytes + p.consumed);
        FUZZ_CHECK(c.reaped == start.messages + p.messages_told);
        break;
      }
      case 8:
        w.peer_was_short_of_room();
        p.is_short = true;
        break;
      case 9:
        FUZZ_CHECK(w.growth_due() == (p.is_short && p.offered == 0 && p.former == 0 && !p.fin));
        if (!w.growth_due() || p.ring > 1u << 20) break;
        p.offered = p.ring * (in.take<std::uint8_t>() % 2 == 0 ? 2 : 4);
        w.ring_offered(p.offered);
        break;
      case 11: {
        const bool ends = in.take<std::uint8_t>() % 2 == 0;
        const bool expected = !p.fin && p.has_receive();
        FUZZ_CHECK(w.direct_arrived(ends) == expected);
        if (!expected) break;
        ++p.messages;
        p.within_message = !ends;
        break;
      }
      case 10: {
        const bool expected = p.offered != 0 && p.has_receive();
        FUZZ_CHECK(w.ring_taken() == expected);
        if (!expected) break;
        p.begin = p.received;
        p.former = std::exchange(p.ring, std::exchange(p.offered, 0));
        p.is_short = false;
        ++p.controls;
        ++p.messages;
        break;
      }
    }
    FUZZ_CHECK(w.ring_size() == p.ring);
    FUZZ_CHECK(w.former_is_done() == (p.former != 0 && p.consumed >= p.begin));
    if (w.former_is_done()) {
      w.forget_former();
      p.former = 0;
    }
    FUZZ_CHECK(w.readable() == p.received - p.consumed && w.readable() <= p.ring);
    FUZZ_CHECK(w.message_is_complete() == !p.ends.empty() && p.ends.size() <= depth);
    if (!p.ends.empty()) FUZZ_CHECK(w.readable_of_message() == p.ends.front() - p.consumed);
    FUZZ_CHECK(w.fin() == p.fin && w.eof() == (p.fin && p.received == p.consumed && p.ends.empty()));
    std::size_t seen = 0;
    for (int runs = 0; seen < w.readable(); ++runs) {
      const extent run = w.readable_extent(seen);
      FUZZ_CHECK(runs < 4 && run.length > 0);
      FUZZ_CHECK(run.in_former == (p.former != 0 && p.consumed + seen < p.begin));
      FUZZ_CHECK(run.offset + run.length <= (run.in_former ? p.former : p.ring));
      seen += run.length;
    }
    FUZZ_CHECK(seen == w.readable());
    FUZZ_CHECK(w.credit_due() == ((!p.fin && p.consumed - p.consumed_told >= std::max(p.ring, p.offered) / 4) ||
                                  p.messages - p.ends.size() - p.messages_told >= depth / 4 ||
                                  p.controls - p.controls_told >= 8));
  }
  return 0;
}
