// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_TICKET_RING_HPP
#define ASIO_RDMA_SRC_SOFT_TICKET_RING_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// A ring in shared memory that processes fill and empty without locks, so that none of them can block another by being
/// stopped, or break the ring by being killed. Every entry begins with a word that says which ticket (position in the
/// stream of all entries) it holds, in which stage, and who holds it if somebody does: whoever finds an entry claimed
/// by a dead process can put it right.
struct ring_header {
  std::atomic<std::uint64_t> head{0};  // tickets before it were taken
  std::atomic<std::uint64_t> tail{0};  // tickets before it were put in
  std::uint32_t capacity = 0;  // a power of two
  std::uint32_t stride = 0;    // bytes from one entry to the next, the word included
  std::uint64_t entries = 0;   // where they are in the segment
};

class ticket_ring {
public:
  enum class stage : std::uint64_t {
    free,     // to be filled by the ticket
    filling,  // by the owner
    ready,
    empty,   // filled with nothing, to be passed over
    taking,  // by the owner
  };

  ticket_ring() noexcept = default;
  ticket_ring(ring_header& h, void* segment) noexcept
      : header_(&h), entries_(static_cast<std::byte*>(segment) + h.entries) {}

  /// Makes all entries free. Before anybody else knows of the ring.
  void clear() noexcept {
    header_->head = header_->tail = 0;
    for (std::uint64_t i = 0; i < header_->capacity; ++i) word(i) = make(i, stage::free);
  }

  std::uint32_t capacity() const noexcept { return header_->capacity; }
  std::uint64_t head() const noexcept { return header_->head.load(); }
  std::uint64_t tail() const noexcept { return header_->tail.load(std::memory_order_acquire); }
  /// What was put in and not taken.
  std::uint64_t size() const noexcept {
    const std::uint64_t h = head(), t = tail();
    return t > h ? t - h : 0;
  }

  /// The payload of a ticket's entry, which the caller has claimed.
  template <class T>
  T& payload(std::uint64_t ticket) const noexcept {
    return *reinterpret_cast<T*>(at(ticket) + sizeof(std::uint64_t));
  }

  /// Claims the next free entry for filling; false if the ring is full.
  bool claim_free(unsigned owner, std::uint64_t& ticket) noexcept {
    for (;;) {
      std::uint64_t t = tail();
      std::uint64_t w = word(t).load(std::memory_order_acquire);
      if (w == make(t, stage::free)) {
        if (!word(t).compare_exchange_strong(w, make(t, stage::filling, owner))) continue;
        advance(header_->tail, t);
        ticket = t;
        return true;
      }
      // Somebody has it and has not moved the tail yet, or it is still in use for the lap before.
      if (ticket_of(w) >= t) {
        advance(header_->tail, t);
      } else if (tail() == t) {
        return false;
      }
    }
  }
  /// What was claimed for filling can be taken.
  void publish(std::uint64_t ticket, stage s = stage::ready) noexcept { word(ticket).store(make(ticket, s)); }

  /// Claims the oldest entry that is ready; false if there is none. Passes over those that are empty.
  bool claim_ready(unsigned owner, std::uint64_t& ticket) noexcept {
    for (;;) {
      std::uint64_t h = head();
      // Sequentially consistent, as publish() is: who arms and then finds nothing is seen to be armed by who publishes.
      std::uint64_t w = word(h).load();
      if (w == make(h, stage::ready) || w == make(h, stage::empty)) {
        const bool is_empty = stage_of(w) == stage::empty;
        if (!word(h).compare_exchange_strong(w, make(h, stage::taking, owner))) continue;
        advance(header_->head, h);
        if (is_empty) {
          release(h);
          continue;
        }
        ticket = h;
        return true;
      }
      if (is_taken(w, h)) {
        advance(header_->head, h);
      } else if (head() == h) {
        return false;
      }
    }
  }
  /// Whether fewer entries than that wait to be taken.
  bool has_fewer_than(std::uint64_t count) noexcept {
    for (;;) {
      const std::uint64_t h = head();
      if (tail() - h < count) return true;
      if (is_taken(word(h).load(), h)) {
        advance(header_->head, h);
      } else if (head() == h) {
        return false;
      }
    }
  }
  /// Gives an entry back, to be filled again.
  void release(std::uint64_t ticket) noexcept { word(ticket).store(make(ticket + capacity(), stage::free)); }

  /// Whether the ticket's entry is still being filled.
  bool is_filling(std::uint64_t ticket) const noexcept {
    const std::uint64_t w = word(ticket).load(std::memory_order_acquire);
    return ticket_of(w) == ticket && stage_of(w) == stage::filling;
  }
  /// Whether there is something to take.
  bool has_ready() const noexcept {
    const std::uint64_t h = head();
    return word(h).load() == make(h, stage::ready);
  }
  /// Calls f(ticket, stage) for every entry that an owner is filling or taking, in no particular order.
  template <class Function>
  void for_each_claimed(unsigned owner, Function f) {
    for (std::uint32_t i = 0; i < capacity(); ++i) {
      const std::uint64_t w = word(i).load(std::memory_order_acquire);
      const stage s = stage_of(w);
      if ((s == stage::filling || s == stage::taking) && owner_of(w) == owner) f(ticket_of(w), s);
    }
  }
  /// Calls f(ticket) for every entry that is ready, oldest first. Only while nobody takes any.
  template <class Function>
  void for_each_ready(Function f) {
    for (std::uint64_t t = head(), end = tail(); t < end; ++t) {
      if (word(t).load(std::memory_order_acquire) == make(t, stage::ready)) f(t);
    }
  }

private:
  static constexpr unsigned stage_bits = 3, owner_bits = 12;

  static constexpr std::uint64_t make(std::uint64_t ticket, stage s, unsigned owner = 0) noexcept {
    return ticket << (owner_bits + stage_bits) | std::uint64_t{owner} << stage_bits | static_cast<std::uint64_t>(s);
  }
  static constexpr std::uint64_t ticket_of(std::uint64_t w) noexcept { return w >> (owner_bits + stage_bits); }
  static constexpr unsigned owner_of(std::uint64_t w) noexcept {
    return static_cast<unsigned>(w >> stage_bits & ((1u << owner_bits) - 1));
  }
  static constexpr stage stage_of(std::uint64_t w) noexcept { return static_cast<stage>(w & ((1u << stage_bits) - 1)); }
  /// Somebody has taken the ticket, and perhaps given its entry back, and may not have moved the head yet.
  static constexpr bool is_taken(std::uint64_t w, std::uint64_t ticket) noexcept {
    return ticket_of(w) > ticket || (ticket_of(w) == ticket && stage_of(w) == stage::taking);
  }

  std::byte* at(std::uint64_t ticket) const noexcept {
    return entries_ + (ticket & (header_->capacity - 1)) * header_->stride;
  }
  std::atomic<std::uint64_t>& word(std::uint64_t ticket) const noexcept {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(at(ticket));
  }
  static void advance(std::atomic<std::uint64_t>& counter, std::uint64_t from) noexcept {
    counter.compare_exchange_strong(from, from + 1);
  }

  ring_header* header_ = nullptr;
  std::byte* entries_ = nullptr;
};

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
