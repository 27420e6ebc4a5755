// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The sender's own side: staged bytes, messages that end in them, and slots of the send queue, with completions that
// may name anything.

#include "input.hpp"

#include "transfer/message_ends.hpp"
#include "transfer/piece.hpp"
#include "transfer/send_queue.hpp"
#include "transfer/staging.hpp"

#include <algorithm>
#include <deque>

using namespace asio_rdma::transfer;

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  fuzz::input in(data, size);
  const std::uint64_t first_byte = in.start(), first_index = in.start();
  const std::size_t ring = std::size_t{4} << in.between(0, 8);
  const std::uint32_t depth = in.between(5, 40);
  staging bytes(ring, first_byte);
  message_ends ends(8);
  send_queue queue(depth, default_send_queue_reserve, first_index);
  // The work requests under way: up to where each posted.
  std::deque<std::uint64_t> requests;
  std::uint64_t retired = 0, unsignalled = 0;

  while (!in.empty()) {
    switch (in.take<std::uint8_t>() % 4) {
      case 0: {
        const extent free = bytes.free_extent();
        FUZZ_CHECK(free.offset + free.length <= ring && free.length <= bytes.free());
        const std::size_t length = free.length == 0 ? 0 : in.between(0, static_cast<std::uint32_t>(free.length));
        bytes.stage(length);
        if (in.take<std::uint8_t>() % 2 == 0 && !ends.full()) ends.add(bytes.staged());
        break;
      }
      case 1: {
        const piece next = next_piece(bytes, ends);
        FUZZ_CHECK(next.bytes.offset + next.bytes.length <= ring && next.bytes.length <= bytes.unposted());
        FUZZ_CHECK(next.exists() == (bytes.unposted() != 0 || !ends.empty()));
        FUZZ_CHECK(queue.data_room() == (requests.size() + 4 < depth));
        if (!next.exists() || !queue.data_room()) break;
        const std::size_t length = std::min<std::size_t>(next.bytes.length, in.between(1, 64));
        const bool is_end = next.ends_with(length);
        if (!ends.empty()) FUZZ_CHECK(ends.front() - bytes.posted() >= length);  // no message runs into the next
        bytes.post(length);
        if (is_end) ends.pop();
        const bool is_signalled = queue.signal_due() || in.take<std::uint8_t>() % 4 == 0;
        FUZZ_CHECK(queue.next_index() == first_index + retired + requests.size());
        FUZZ_CHECK(queue.posted(bytes.posted(), is_signalled) == first_index + retired + requests.size());
        requests.push_back(bytes.posted());
        unsignalled = is_signalled ? 0 : unsignalled + 1;
        // Otherwise data would wait for a completion that nobody asked for.
        FUZZ_CHECK(queue.data_room() || unsignalled < requests.size());
        break;
      }
      case 2: {
        std::uint64_t ahead = in.take<std::uint8_t>() % 64;
        if (ahead == 63) ahead = in.take<std::uint64_t>();
        const auto position = queue.completed(first_index + retired + ahead);
        FUZZ_CHECK(position.has_value() == (ahead < requests.size()));
        if (!position) break;
        FUZZ_CHECK(*position == requests[ahead]);
        bytes.complete(*position);
        requests.erase(requests.begin(), requests.begin() + static_cast<std::ptrdiff_t>(ahead) + 1);
        retired += ahead + 1;
        break;
      }
      case 3:
        queue.signal_last();
        unsignalled = 0;
        break;
    }
    FUZZ_CHECK(queue.outstanding() == requests.size() && queue.tail_unsignalled() == (unsignalled != 0));
    FUZZ_CHECK(bytes.free() + (bytes.staged() - bytes.completed()) == ring);
  }
  return 0;
}
