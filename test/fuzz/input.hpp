// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_FUZZ_INPUT_HPP
#define ASIO_RDMA_TEST_FUZZ_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// Every target is a program of its own; libFuzzer calls this with what it made up.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);

namespace fuzz {

/// What has to hold whatever the input is. Not assert(), so that it holds in any build.
#define FUZZ_CHECK(condition) \
  ((condition) ? void() : (std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition), std::abort()))

/// The input of a target that plays a sequence of steps, taken from the front. Zeros follow the last byte.
class input {
public:
  input(const unsigned char* data, std::size_t size) : data_(data), size_(size) {}

  bool empty() const { return size_ == 0; }

  template <class Number>
  Number take() {
    Number result = 0;
    const std::size_t length = size_ < sizeof result ? size_ : sizeof result;
    if (length != 0) std::memcpy(&result, data_, length);
    data_ += length;
    size_ -= length;
    return result;
  }

  /// least to most, both included.
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(take<std::uint16_t>() % (std::uint64_t{most} - least + 1));
  }

  /// Where counters begin: at 0, or shortly before they wrap.
  std::uint64_t start() {
    const std::uint64_t before = take<std::uint8_t>();
    return before < 128 ? 0 : std::uint64_t{0} - before;
  }

private:
  const unsigned char* data_;
  std::size_t size_;
};

}  // namespace fuzz

#endif
