// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TRANSFER_MESSAGE_HPP
#define ASIO_RDMA_TRANSFER_MESSAGE_HPP

#include "transfer/little_endian.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

/// What a message between two sockets is: the upper 4 bits of its immediate. doc/wire.md gives each one's meaning.
enum class message_kind : std::uint8_t {
  data = 1,       ///< bytes of the stream, written into the ring
  end = 2,        ///< as data, and the last of a message (message mode)
  direct = 3,     ///< bytes of the stream, written into memory that an advert offered
  credit = 4,     ///< how far the receiver of data has come; its text is in the mirror
  fin = 5,        ///< no more data in this direction
  advert = 6,     ///< offers memory for direct
  withdraw = 7,   ///< asks for an advert back
  withdrawn = 8,  ///< gives it back
  ring = 9,       ///< offers a larger ring; without a text: what follows goes into the one offered
  abort = 10,     ///< the connection is over: a reset, behind the bytes that came before it
};

/// How the two ends use the connection.
enum class mode : std::uint8_t { stream = 1, message = 2, raw = 3 };

/// Bits of what both ends must have offered before it is used.
enum feature : std::uint32_t {
  feature_direct = 1u << 0,  ///< advert, withdraw, withdrawn, direct, and the mark direct_ends
  feature_ring = 1u << 1,    ///< ring, and the mark room_was_short
};

/// Why a message of kind abort was sent; it takes the place of the length. Values not listed mean reset.
enum class abort_reason : std::uint32_t {
  reset = 1,           ///< closed with linger 0, or with data unread
  protocol_error = 2,  ///< the receiver of the abort broke the protocol
};

inline constexpr std::uint32_t max_message_length = (1u << 28) - 1;

/// In the length of data and end, where feature_ring was agreed on: the sender had to wait for room in the ring. No
/// message is so long that it needs the bit.
inline constexpr std::uint32_t room_was_short = 1u << 27;

/// In the length of direct: nothing more goes into the memory that it went into, and in message mode it is the end of a
/// message.
inline constexpr std::uint32_t direct_ends = 1u << 27;

struct immediate {
  message_kind kind;
  std::uint32_t length;  ///< bytes that the message carries; for abort its reason
};

/// The immediate as a number in host order; length <= max_message_length. imm_data takes htonl() of it.
constexpr std::uint32_t encode_immediate(message_kind kind, std::uint32_t length) noexcept {
  return static_cast<std::uint32_t>(kind) << 28 | (length & max_message_length);
}

/// Nothing for kinds that have no name.
constexpr std::optional<immediate> decode_immediate(std::uint32_t host_order) noexcept {
  const std::uint32_t kind = host_order >> 28;
  if (kind < static_cast<std::uint32_t>(message_kind::data) || kind > static_cast<std::uint32_t>(message_kind::abort)) {
    return std::nullopt;
  }
  return immediate{static_cast<message_kind>(kind), host_order & max_message_length};
}

/// True if a peer may send this kind, given the mode and the features that both ends agreed on. Any other message ends
/// the connection.
constexpr bool is_permitted(message_kind kind, mode m, std::uint32_t agreed_features) noexcept {
  switch (kind) {
    case message_kind::data:
    case message_kind::credit:
    case message_kind::fin:
    case message_kind::abort:
      return m != mode::raw;
    case message_kind::end:
      return m == mode::message;
    case message_kind::direct:
    case message_kind::advert:
    case message_kind::withdraw:
    case message_kind::withdrawn:
      return m != mode::raw && (agreed_features & feature_direct) != 0;
    case message_kind::ring:
      return m != mode::raw && (agreed_features & feature_ring) != 0;
  }
  return false;
}

/// Where the text of a control message lies. Each end has a mirror that the other writes; control message number n
/// (from 0, all control kinds count, those without text also) has slot n mod mirror_slots. A slot is a cache line.
inline constexpr unsigned mirror_slots = 32;
inline constexpr std::size_t mirror_slot_size = 64;
inline constexpr std::size_t mirror_size = mirror_slots * mirror_slot_size;

/// The text of a credit: absolute counts since the connection began, wrapping at 2^64, so that a credit says all that
/// those before it said.
struct credit {
  std::uint64_t consumed = 0;  ///< bytes that left the ring for the user
  std::uint64_t reaped = 0;    ///< messages of any kind whose receive was posted again
};

inline constexpr std::size_t credit_size = 16;

inline std::array<unsigned char, credit_size> encode_credit(credit c) noexcept {
  std::array<unsigned char, credit_size> text{};
  store_little(text.data(), c.consumed);
  store_little(text.data() + 8, c.reaped);
  return text;
}

/// The text of a ring: where the peer may write from now on, once it has said so.
struct ring_offer {
  std::uint64_t address = 0;
  std::uint32_t key = 0;
  std::uint32_t size = 0;  ///< bytes
};

inline constexpr std::size_t ring_offer_size = 16;

inline std::array<unsigned char, ring_offer_size> encode_ring_offer(ring_offer r) noexcept {
  std::array<unsigned char, ring_offer_size> text{};
  store_little(text.data(), r.address);
  store_little(text.data() + 8, r.key);
  store_little(text.data() + 12, r.size);
  return text;
}

/// The text of an advert: memory that the peer may write the next bytes into. It is a credit as well, which says that
/// nothing is left in the ring.
struct advert {
  transfer::credit credit;
  /// Data and end that had arrived: if the peer has sent more since, it means nothing.
  std::uint64_t ring_messages = 0;
  std::uint64_t address = 0;
  std::uint32_t key = 0;
  std::uint32_t length = 0;  ///< bytes
};

inline constexpr std::size_t advert_size = 40;
inline constexpr std::uint32_t longest_advert = 1u << 30;
/// Adverts that an end may have open at once.
inline constexpr unsigned max_adverts = 4;

inline std::array<unsigned char, advert_size> encode_advert(const advert& a) noexcept {
  std::array<unsigned char, advert_size> text{};
  store_little(text.data(), a.credit.consumed);
  store_little(text.data() + 8, a.credit.reaped);
  store_little(text.data() + 16, a.ring_messages);
  store_little(text.data() + 24, a.address);
  store_little(text.data() + 32, a.key);
  store_little(text.data() + 36, a.length);
  return text;
}

/// Reads ring_offer_size bytes.
inline ring_offer decode_ring_offer(const unsigned char* text) noexcept {
  return {load_little<std::uint64_t>(text), load_little<std::uint32_t>(text + 8),
          load_little<std::uint32_t>(text + 12)};
}

/// Reads credit_size bytes.
inline credit decode_credit(const unsigned char* text) noexcept {
  return {load_little<std::uint64_t>(text), load_little<std::uint64_t>(text + 8)};
}

/// Reads advert_size bytes.
inline advert decode_advert(const unsigned char* text) noexcept {
  return {decode_credit(text), load_little<std::uint64_t>(text + 16), load_little<std::uint64_t>(text + 24),
          load_little<std::uint32_t>(text + 32), load_little<std::uint32_t>(text + 36)};
}

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

#endif
