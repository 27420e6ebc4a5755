// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A peer that breaks the rules of memory that was offered: its own, and that of the socket that it attacks.

#include "attacked.hpp"

#include "transfer/own_adverts.hpp"

#include <asio_rdma/detail/core/memory.hpp>

#include <poll.h>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

using namespace cm_test;
using transfer::encode_immediate;
using transfer::message_kind;

namespace {

const core::error violation = core::library_error::protocol_error;

/// rxe of Linux 6.1 looks at the bounds of the memory region that a window is bound to, and not at the window's own
/// (drivers/infiniband/sw/rxe/rxe_resp.c, check_rkey()).
bool knows_bounds_of_windows(const raw_peer& peer) {
  return std::string_view(peer.device().name()).substr(0, 3) != "rxe";
}

struct attacked_reader : attacked {
  attacked_reader() {
    BOOST_REQUIRE_EQUAL(core::memory::adopt(bytes.data(), bytes.size(), known), core::error());
  }
  ~attacked_reader() { victim.reclaim_memory(); }

  /// The victim offers part of its registered memory.
  transfer::advert take_offer() {
    std::string text;
    BOOST_REQUIRE_EQUAL(victim.offer_memory(memory(), offered, ticket), core::error());
    BOOST_REQUIRE(ticket != 0);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    transfer::advert a;
    do {
      BOOST_REQUIRE((std::chrono::steady_clock::now() < limit));
      a = transfer::decode_advert(peer.text(0));
    } while (a.length == 0);
    BOOST_TEST(a.length == offered);
    BOOST_TEST(a.address == reinterpret_cast<std::uintptr_t>(memory()));
    return a;
  }
  unsigned char* memory() { return bytes.data() + before; }
  core::error read_offered(std::size_t& count) {
    bool at_end = false;
    return victim.read_offered(ticket, count, at_end);
  }
  ibv_wc_status write_offered(const transfer::advert& a, const std::vector<unsigned char>& text, std::uint32_t field,
                              std::uint64_t offset = 0) {
    return peer.write(a.address + offset, a.key, text, encode_immediate(message_kind::direct, field));
  }
  ibv_wc_status advertise(transfer::advert a, std::uint32_t length = transfer::advert_size) {
    return peer.write(mirror() + said++ * transfer::mirror_slot_size, key(), bytes_of(encode_advert(a)),
                      encode_immediate(message_kind::advert, length));
  }
  transfer::advert good_advert() {
    transfer::advert a;
    a.address = peer.good_handshake().ring_address;
    a.key = peer.good_handshake().ring_key;
    a.length = 4096;
    return a;
  }
  /// Nothing is written outside of what was offered.
  void check_outside() {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i < before || i >= before + offered) BOOST_TEST_REQUIRE(bytes[i] == 's', "byte " << i);
    }
  }

  static constexpr std::size_t before = 8192, offered = 65536;
  std::vector<unsigned char> bytes = std::vector<unsigned char>(before + offered + 8192, 's');
  core::memory known;
  std::uint64_t ticket = 0;
  unsigned said = 0;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hostile_direct, attacked_reader, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(an_honest_peer_writes_what_was_offered_and_no_more_afterwards) {
  const transfer::advert a = take_offer();
  std::size_t count = 0;
  BOOST_TEST(read_offered(count) == core::error(EAGAIN));
  BOOST_TEST(write_offered(a, {'a', 'b'}, 2) == IBV_WC_SUCCESS);
  BOOST_TEST(read_offered(count) == core::error(EAGAIN));  // more may come
  BOOST_TEST(write_offered(a, {'c'}, 1 | transfer::direct_ends, 2) == IBV_WC_SUCCESS);
  core::error e;
  while ((e = read_offered(count)) == core::error(EAGAIN)) victim.wait();
  BOOST_TEST(e == core::error());
  BOOST_TEST(count == 3u);
  BOOST_TEST(std::memcmp(memory(), "abc", 3) == 0);
  // The program has it back: the key reaches nothing any more.
  std::memset(memory(), 'p', offered);
  BOOST_TEST(write_offered(a, {'x'}, 1) == IBV_WC_REM_ACCESS_ERR);
  BOOST_TEST(memory()[0] == 'p');
  check_outside();
}

BOOST_AUTO_TEST_CASE(the_key_of_what_is_offered_reaches_nothing_else) {
  if (!knows_bounds_of_windows(peer)) return;
  const transfer::advert a = take_offer();
  BOOST_TEST(write_offered(a, std::vector<unsigned char>(64, 'x'), 64, static_cast<std::uint64_t>(-1)) ==
             IBV_WC_REM_ACCESS_ERR);
  check_outside();
  std::size_t count = 0;
  core::error e;
  while ((e = read_offered(count)) == core::error(EAGAIN)) victim.wait();
  BOOST_TEST(e == core::error(ENODATA));
  BOOST_TEST(outcome() == core::error(ECONNRESET));
}

BOOST_AUTO_TEST_CASE(nor_what_lies_behind_it) {
  if (!knows_bounds_of_windows(peer)) return;
  const transfer::advert a = take_offer();
  BOOST_TEST(write_offered(a, std::vector<unsigned char>(64, 'x'), 64, offered - 63) == IBV_WC_REM_ACCESS_ERR);
  check_outside();
}

BOOST_AUTO_TEST_CASE(what_is_offered_can_only_be_written) {
  const transfer::advert a = take_offer();
  const ibv_wc_status status = peer.one_sided(IBV_WR_RDMA_READ, a.address, a.key, 8);
  BOOST_TEST((status == IBV_WC_REM_ACCESS_ERR || status == IBV_WC_REM_INV_REQ_ERR), status);
}

BOOST_AUTO_TEST_CASE(direct_data_that_nothing_was_offered_for) {
  say(message_kind::direct, 1);
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(more_direct_data_than_was_offered) {
  const transfer::advert a = take_offer();
  BOOST_TEST(write_offered(a, {'x'}, static_cast<std::uint32_t>(offered) + 1) == IBV_WC_SUCCESS);
  check_violation();
}

BOOST_AUTO_TEST_CASE(direct_data_of_no_bytes_that_ends_nothing) {
  (void)take_offer();
  say(message_kind::direct, 0);
  check_violation();
}

BOOST_AUTO_TEST_CASE(direct_data_after_fin) {
  const transfer::advert a = take_offer();
  say(message_kind::fin, 0);
  (void)write_offered(a, {'x'}, 1);
  check_violation();
}

BOOST_AUTO_TEST_CASE(memory_given_back_that_nobody_asked_for) {
  say(message_kind::withdrawn, 0);
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(a_peer_that_gives_nothing_back_loses_it) {
  const transfer::advert a = take_offer();
  victim.withdraw_memory(ticket);
  std::size_t count = 0;
  const auto begin = std::chrono::steady_clock::now();
  core::error e;
  while ((e = read_offered(count)) == core::error(EAGAIN)) victim.wait();
  BOOST_TEST(e == core::error(ENODATA));
  BOOST_TEST((std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(800)));
  std::memset(memory(), 'p', offered);
  // The connection goes on, if the peer keeps its hands off.
  BOOST_TEST(peer.write(ring(), key(), {'h', 'i'}, encode_immediate(message_kind::data, 2)) == IBV_WC_SUCCESS);
  std::string text;
  BOOST_TEST(read_some(victim, text) == core::error());
  BOOST_TEST(text == "hi");
  BOOST_TEST(write_offered(a, {'x'}, 1) == IBV_WC_REM_ACCESS_ERR);
  BOOST_TEST(memory()[0] == 'p');
}

BOOST_AUTO_TEST_CASE(offers_that_cannot_be) {
  transfer::advert empty = good_advert(), large = good_advert(), nowhere = good_advert(), future = good_advert(),
                   credit = good_advert();
  empty.length = 0;
  large.length = transfer::longest_advert + 1;
  nowhere.address = ~std::uint64_t{0} - 100;
  future.ring_messages = 1;
  credit.credit.consumed = 1;
  for (const auto& [what, a] :
       {std::pair("without bytes", empty), std::pair("too long", large), std::pair("nowhere", nowhere),
        std::pair("of the future", future), std::pair("with a credit that cannot be", credit)}) {
    BOOST_TEST_CONTEXT(what) {
      raw_peer another;
      (void)another.connect(l.port, {});
      core::socket end = l.accept();
      (void)another.write(another.other().mirror_address, another.other().mirror_key, bytes_of(encode_advert(a)),
                          encode_immediate(message_kind::advert, transfer::advert_size));
      std::string text;
      BOOST_TEST(read_some(end, text) == violation);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_offer_told_by_halves) {
  (void)advertise(good_advert(), transfer::advert_size - 1);
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(more_offers_than_there_may_be) {
  for (unsigned i = 0; i <= transfer::max_adverts; ++i) (void)advertise(good_advert());
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(an_offer_that_comes_too_late_and_never_again_is_not_waited_for_long) {
  BOOST_TEST(write_all(victim, "through the ring") == core::error());
  (void)advertise(good_advert());  // from before that
  std::size_t count = 0;
  std::uint64_t hold = 0;
  bool more = false;
  core::error e;
  BOOST_TEST(victim.write_registered(memory(), offered, true, more, count, hold) == core::error(EAGAIN));
  // The owner sleeps on the descriptor, and nothing comes from the peer.
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  do {
    BOOST_TEST_REQUIRE((std::chrono::steady_clock::now() < limit));
    pollfd p{victim.prepare_wait(), POLLIN, 0};
    if (p.fd >= 0) BOOST_TEST_REQUIRE(::poll(&p, 1, 10'000) == 1);
    e = victim.write_registered(memory(), offered, true, more, count, hold);
  } while (e == core::error(EAGAIN));
  victim.end_wait();
  BOOST_TEST(e == core::error());
  BOOST_TEST(count > 0u);
}

BOOST_AUTO_TEST_CASE(an_offer_of_memory_that_is_not_there) {
  transfer::advert a = good_advert();
  a.key += 0x1234;
  a.length = 1 << 20;
  (void)advertise(a);
  const std::string text(100'000, 'x');
  // Taken over, and lost with the connection: what the peer says of its memory is its own affair.
  BOOST_TEST(write_all(victim, text) == core::error());
  BOOST_TEST(outcome() == core::error(ECONNRESET));
}

BOOST_AUTO_TEST_SUITE_END()
