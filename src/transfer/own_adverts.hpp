// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_OWN_ADVERTS_HPP
#define ASIO_RDMA_TRANSFER_OWN_ADVERTS_HPP

#include "transfer/message.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

/// The memory that this end has offered to its peer, in the order in which the peer fills it. Each offer has a ticket,
/// by which it is asked for until it is taken.
class own_adverts {
public:
  struct entry {
    std::uint32_t length = 0;
    std::uint32_t filled = 0;
    bool is_over = false;  ///< the peer, if it keeps to the protocol, writes nothing more into it
    bool ends = false;     ///< the peer said that it was the end, in message mode of a message
    bool is_taken = false;
  };

  /// Another one may be offered.
  bool may_offer() const noexcept { return end_ - begin_ < max_adverts && !asked_back_; }
  /// Where the last ones were of no use, most chances are let go by; each call is one.
  bool is_worthwhile() noexcept {
    if (passes_ == 0) return true;
    --passes_;
    return false;
  }
  /// length bytes are offered, 1 to longest_advert. Gives the ticket, never 0.
  std::uint64_t offer(std::uint32_t length) noexcept {
    assert(may_offer() && length != 0 && length <= longest_advert);
    entries_[slot(end_)] = {};
    entries_[slot(end_)].length = length;
    return end_++;
  }
  /// Where what belongs to a ticket may be kept: each that is not taken has another.
  static unsigned slot(std::uint64_t ticket) noexcept { return static_cast<unsigned>(ticket % max_adverts); }

  /// A message of kind direct came. False if nothing was offered for it, or less.
  bool direct_arrived(std::uint32_t length, bool ends) noexcept {
    entry* const e = oldest_open();
    if (!e || length > e->length - e->filled || (length == 0 && !ends)) return false;
    e->filled += length;
    e->ends = ends;
    e->is_over = ends || e->filled == e->length;
    if (length > 0) misses_ = 0;
    return true;
  }
  /// The peer has sent something into the ring, or nothing more: what is open means nothing any more.
  void passed_over() noexcept {
    const entry* const e = oldest_open();
    if (!e) return;
    if (e->filled == 0) {
      passes_ = (1u << misses_) - 1;
      misses_ = std::min(misses_ + 1, 6u);
    }
    end_all();
  }
  /// Nothing more will come, whatever is open.
  void end_all() noexcept {
    for (std::uint64_t t = begin_; t != end_; ++t) entries_[slot(t)].is_over = true;
  }

  /// The peer is being asked to write no more; until it has answered, nothing can be offered.
  void ask_back() noexcept { asked_back_ = true; }
  bool is_asked_back() const noexcept { return asked_back_; }
  /// The peer's answer. False if nobody has asked.
  bool given_back() noexcept {
    if (!asked_back_) return false;
    asked_back_ = false;
    end_all();
    return true;
  }

  bool has_open() const noexcept { return end_ != begin_ && !entries_[slot(end_ - 1)].is_over; }
  /// Of a ticket that was not taken.
  const entry& at(std::uint64_t ticket) const noexcept {
    assert(ticket - begin_ < end_ - begin_);
    return entries_[slot(ticket)];
  }
  /// Its owner has been told; it is over.
  void take(std::uint64_t ticket) noexcept {
    entries_[slot(ticket)].is_taken = true;
    while (begin_ != end_ && entries_[slot(begin_)].is_taken) ++begin_;
  }

  /// All that are not taken, from the oldest.
  std::uint64_t begin() const noexcept { return begin_; }
  std::uint64_t end() const noexcept { return end_; }

private:
  entry* oldest_open() noexcept {
    for (std::uint64_t t = begin_; t != end_; ++t) {
      if (!entries_[slot(t)].is_over) return &entries_[slot(t)];
    }
    return nullptr;
  }

  std::array<entry, max_adverts> entries_{};
  std::uint64_t begin_ = 1;
  std::uint64_t end_ = 1;
  bool asked_back_ = false;
  unsigned misses_ = 0;  // offers one after the other that were of no use
  unsigned passes_ = 0;
};

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
