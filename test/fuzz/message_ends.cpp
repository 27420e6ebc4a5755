// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The list of where messages end, beside a std::deque.

#include "input.hpp"

#include "transfer/message_ends.hpp"

#include <deque>

using namespace asio_rdma::transfer;

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  fuzz::input in(data, size);
  const std::uint32_t capacity = in.between(0, 20);
  message_ends ends(capacity);
  std::deque<std::uint64_t> expected;
  while (!in.empty()) {
    const auto step = in.take<std::uint8_t>();
    if (step % 2 == 0 && !ends.full()) {
      expected.push_back(in.take<std::uint64_t>());
      ends.add(expected.back());
    } else if (step % 2 == 1 && !ends.empty()) {
      FUZZ_CHECK(ends.front() == expected.front());
      ends.pop();
      expected.pop_front();
    }
    FUZZ_CHECK(ends.size() == expected.size() && ends.empty() == expected.empty());
    FUZZ_CHECK(ends.full() == (expected.size() == capacity));
  }
  return 0;
}
