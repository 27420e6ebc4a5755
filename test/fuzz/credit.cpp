// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The text of a credit in the mirror, which the peer may write at any time.

#include "input.hpp"

#include "transfer/message.hpp"
#include "transfer/send_window.hpp"

#include <array>
#include <cstring>

using namespace asio_rdma::transfer;

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  fuzz::input in(data, size);
  start_position start;
  start.bytes = in.start();
  start.messages = in.start();
  send_window window(4096, 16, default_control_reserve, start);
  const std::uint32_t bytes = in.between(1, 4096);
  const std::uint32_t sent = window.data_room(bytes, bytes);
  window.sent_data(sent);
  while (!in.empty()) {
    std::array<unsigned char, credit_size> text;
    for (unsigned char& byte : text) byte = in.take<unsigned char>();
    const credit c = decode_credit(text.data());
    FUZZ_CHECK(encode_credit(c) == text);
    const std::uint64_t unconsumed = window.unconsumed(), outstanding = window.outstanding();
    if (window.apply(c)) {
      FUZZ_CHECK(window.unconsumed() <= unconsumed && window.outstanding() <= outstanding);
      FUZZ_CHECK(start.bytes + sent - c.consumed == window.unconsumed());
      FUZZ_CHECK(start.messages + 1 - c.reaped == window.outstanding());
    } else {
      FUZZ_CHECK(window.unconsumed() == unconsumed && window.outstanding() == outstanding);
    }
  }
  return 0;
}
