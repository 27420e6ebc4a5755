// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_PEER_ADVERTS_HPP
#define ASIO_RDMA_TRANSFER_PEER_ADVERTS_HPP

#include "transfer/message.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

/// The memory that the peer has offered and that was not filled yet, in order; and whether to wait for more of it.
class peer_adverts {
public:
  /// An advert came. is_current: nothing has gone into the ring that the peer did not know of. False if it cannot be.
  bool offered(const advert& a, bool is_current) noexcept {
    if (a.length == 0 || a.length > longest_advert || a.address + a.length < a.address) return false;
    if (!is_current) {
      // Its reader offers memory, and the next offer is of use if nothing comes in between.
      if (passes_ > 0) {
        --passes_;
      } else {
        is_holding_ = true;
      }
      return true;
    }
    if (end_ - begin_ == max_adverts) return false;
    entries_[end_++ % max_adverts] = a;
    is_holding_ = false;
    failures_ = 0;
    return true;
  }

  bool empty() const noexcept { return begin_ == end_; }
  /// A part of the first one is filled.
  bool is_open() const noexcept { return used_ != 0; }
  /// Where the next bytes go: address, key, and what is left as the length. Not if empty().
  advert front() const noexcept {
    assert(!empty());
    advert a = entries_[begin_ % max_adverts];
    a.address += used_;
    a.length -= used_;
    return a;
  }
  /// A message of kind direct was posted; ends: it has the mark that nothing more goes there.
  void sent(std::uint32_t length, bool ends) noexcept {
    assert(length <= front().length);
    used_ += length;
    if (!ends && used_ != entries_[begin_ % max_adverts].length) return;
    ++begin_;
    used_ = 0;
  }
  /// Something was sent into the ring, or the peer wants its memory back.
  void clear() noexcept {
    begin_ = end_;
    used_ = 0;
    is_holding_ = false;
  }

  /// Large data should wait a moment for an offer.
  bool is_holding() const noexcept { return is_holding_; }
  /// It was in vain: the more often, the more adverts that come too late are ignored.
  void stop_holding() noexcept {
    is_holding_ = false;
    failures_ = std::min(failures_ + 1, 8u);
    passes_ = (1u << failures_) - 1;
  }

private:
  std::array<advert, max_adverts> entries_{};
  unsigned begin_ = 0;
  unsigned end_ = 0;
  std::uint32_t used_ = 0;  // of the first one
  bool is_holding_ = false;
  unsigned failures_ = 0;
  unsigned passes_ = 0;
};

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
