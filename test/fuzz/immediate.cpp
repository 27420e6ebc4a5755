// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The immediate of a message, and whether that kind is allowed.

#include "input.hpp"

#include "transfer/message.hpp"

using namespace asio_rdma::transfer;

namespace {

// doc/wire.md, section 3.
bool is_allowed(unsigned kind, mode m, std::uint32_t features) {
  if (m == mode::raw) return false;
  switch (kind) {
    case 1:
    case 4:
    case 5:
    case 10:
      return true;
    case 2:
      return m == mode::message;
    case 3:
    case 6:
    case 7:
    case 8:
      return (features & 1) != 0;
    case 9:
      return (features & 2) != 0;
    default:
      return false;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  fuzz::input in(data, size);
  const auto features = in.take<std::uint8_t>();
  while (!in.empty()) {
    const auto number = in.take<std::uint32_t>();
    const auto read = decode_immediate(number);
    for (const mode m : {mode::stream, mode::message, mode::raw}) {
      FUZZ_CHECK((read && is_permitted(read->kind, m, features)) == is_allowed(number >> 28, m, features));
    }
    if (read) FUZZ_CHECK(encode_immediate(read->kind, read->length) == number);
  }
  return 0;
}
