// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The name service: lines of a client to the service, and what a service answers to a client.

#include "input.hpp"

#include <asio_rdma/detail/name_protocol.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

using namespace asio_rdma;

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<name_entry> entries;
  std::string refusal;
  if (!detail::read_answer(text, entries, refusal)) {
    for (const name_entry& e : entries) FUZZ_CHECK(name_table::is_name(e.name) && e.left.count() >= 0);
  }

  name_table::limits limits;
  limits.names = 4;
  limits.endpoints = 2;
  name_table table(limits);
  auto now = detail::clock::time_point() + std::chrono::hours(1);
  for (std::string_view left = text; !left.empty();) {
    const std::size_t end = left.find('\n');
    const std::string line(left.substr(0, end));
    left = end == left.npos ? std::string_view() : left.substr(end + 1);
    if (line.size() > detail::longest_line) continue;  // the service hangs up
    const std::string answer = detail::answer_line(table, line, now);
    // One answer to each line, which the client's side understands.
    FUZZ_CHECK(answer.size() <= detail::longest_answer && answer.find("\n\n") == answer.size() - 2);
    entries.clear();
    refusal.clear();
    const auto ec = detail::read_answer(answer, entries, refusal);
    FUZZ_CHECK(ec ? !refusal.empty() : entries.size() <= limits.names * limits.endpoints);
    now += std::chrono::seconds(1);
  }
  return 0;
}
