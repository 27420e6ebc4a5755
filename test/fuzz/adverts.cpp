// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Memory that is offered: whatever the peer says, no more is taken for filled than was offered, and of the peer's
// memory no more is written than it has offered, whatever its text.

#include "input.hpp"

#include "transfer/own_adverts.hpp"
#include "transfer/peer_adverts.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>

using namespace asio_rdma::transfer;

namespace {

void own(fuzz::input& in) {
  own_adverts a;
  std::uint64_t open = 0;  // bytes that the peer may still write
  while (!in.empty()) {
    switch (in.take<std::uint8_t>() % 6) {
      case 0:
        FUZZ_CHECK(a.end() - a.begin() <= max_adverts);
        if (a.may_offer()) (void)a.offer(in.between(1, 100));
        break;
      case 1: {
        const auto length = in.take<std::uint32_t>() % 128;
        (void)a.direct_arrived(length, in.take<std::uint8_t>() % 2 == 0);
        break;
      }
      case 2:
        a.passed_over();
        FUZZ_CHECK(!a.has_open());
        break;
      case 3:
        a.ask_back();
        break;
      case 4:
        FUZZ_CHECK(a.given_back() || !a.is_asked_back());
        FUZZ_CHECK(!a.is_asked_back());
        break;
      case 5:
        if (a.begin() != a.end() && a.at(a.begin()).is_over) a.take(a.begin());
        break;
    }
    std::uint64_t now = 0;
    for (std::uint64_t t = a.begin(); t != a.end(); ++t) {
      FUZZ_CHECK(a.at(t).filled <= a.at(t).length);
      if (!a.at(t).is_over) now += a.at(t).length - a.at(t).filled;
      // They are filled in order.
      if (t != a.begin() && a.at(t).filled > 0) FUZZ_CHECK(a.at(t - 1).is_over);
    }
    open = now;
    FUZZ_CHECK(a.has_open() == (open > 0));
  }
}

void peers(fuzz::input& in) {
  peer_adverts p;
  std::deque<advert> held;
  while (!in.empty()) {
    switch (in.take<std::uint8_t>() % 4) {
      case 0: {
        unsigned char text[advert_size];
        for (unsigned char& c : text) c = in.take<std::uint8_t>();
        const advert a = decode_advert(text);
        const bool is_current = in.take<std::uint8_t>() % 2 == 0;
        const bool good = p.offered(a, is_current);
        if (good) FUZZ_CHECK(a.length > 0 && a.address + a.length >= a.address);
        if (good && is_current) held.push_back(a);
        FUZZ_CHECK(held.size() <= max_adverts);
        break;
      }
      case 1: {
        FUZZ_CHECK(p.empty() == held.empty());
        if (p.empty()) break;
        const advert next = p.front();
        FUZZ_CHECK(next.address == held.front().address && next.length == held.front().length && next.length > 0);
        const std::uint32_t length = in.between(0, std::min<std::uint32_t>(next.length, 1000));
        const bool ends = length == 0 || in.take<std::uint8_t>() % 4 == 0;
        p.sent(length, ends);
        held.front().address += length;
        held.front().length -= length;
        if (ends || held.front().length == 0) held.pop_front();
        break;
      }
      case 2:
        p.clear();
        held.clear();
        break;
      case 3:
        if (p.is_holding()) p.stop_holding();
        FUZZ_CHECK(!p.is_holding());
        break;
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  fuzz::input in(data, size);
  in.take<std::uint8_t>() % 2 == 0 ? own(in) : peers(in);
  return 0;
}
