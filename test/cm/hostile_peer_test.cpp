// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A peer that speaks our handshake and then breaks the rules: its connection ends with protocol_error, and no other.

#include "attacked.hpp"

#include "transfer/message.hpp"

#include <boost/test/unit_test.hpp>

#include <thread>

using namespace cm_test;
using core::library_error;
using transfer::encode_immediate;
using transfer::message_kind;

namespace {

const core::error violation = library_error::protocol_error;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hostile_peer, attacked, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(an_honest_message_is_read) {
  BOOST_TEST(peer.write(ring(), key(), {'h', 'i'}, encode_immediate(message_kind::data, 2)) == IBV_WC_SUCCESS);
  std::string text;
  BOOST_TEST(read_some(victim, text) == core::error());
  BOOST_TEST(text == "hi");
}

BOOST_AUTO_TEST_CASE(a_kind_that_does_not_exist) {
  BOOST_TEST(peer.write(ring(), key(), {}, 0xf0000001) == IBV_WC_SUCCESS);
  BOOST_TEST(outcome() == violation);
  peer.expect(RDMA_CM_EVENT_DISCONNECTED);
}

BOOST_AUTO_TEST_CASE(a_kind_that_was_not_agreed_on) {
  say(message_kind::end, 16);  // of streams
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(data_without_bytes) {
  say(message_kind::data, 0);
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(more_data_than_the_ring_holds) {
  say(message_kind::data, peer.other().ring_size + 1);
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(data_after_fin) {
  say(message_kind::fin, 0);
  say(message_kind::data, 1);
  check_violation();
  std::string text;
  BOOST_TEST(read_some(victim, text) != core::error());  // what came after the fin is never read
  BOOST_TEST(text.empty());
}

BOOST_AUTO_TEST_CASE(a_second_fin) {
  say(message_kind::fin, 0);
  say(message_kind::fin, 0);
  check_violation();
}

BOOST_AUTO_TEST_CASE(a_credit_for_bytes_never_sent) {
  give_credit(1, 0);
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(a_credit_for_messages_never_sent) {
  give_credit(0, 1);
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(a_ring_that_is_no_larger) {
  const auto ours = peer.good_handshake();
  offer({ours.ring_address, ours.ring_key, ours.ring_size});
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(a_ring_that_is_much_larger) {
  const auto ours = peer.good_handshake();
  offer({ours.ring_address, ours.ring_key, ours.ring_size * 8});
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(a_ring_that_is_nowhere) {
  offer({~std::uint64_t{0} - 100, 1, peer.good_handshake().ring_size * 2});
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(a_ring_told_by_halves) {
  const auto ours = peer.good_handshake();
  offer({ours.ring_address, ours.ring_key, ours.ring_size * 2}, transfer::ring_offer_size - 1);
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(a_ring_taken_that_was_not_offered) {
  say(message_kind::ring, 0);
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(a_plain_send) {
  peer.send(encode_immediate(message_kind::data, 1));
  BOOST_TEST(outcome() == violation);
}

BOOST_AUTO_TEST_CASE(a_write_outside_of_the_ring_is_refused_by_the_device) {
  const std::uint64_t behind = mirror() + transfer::mirror_size;
  std::vector<unsigned char> page(8192, 'x');
  BOOST_TEST(peer.write(behind, key(), page, encode_immediate(message_kind::data, 1)) == IBV_WC_REM_ACCESS_ERR);
  BOOST_TEST(outcome() == core::error(ECONNRESET));
}

BOOST_AUTO_TEST_CASE(a_key_that_was_never_given_is_refused_by_the_device) {
  BOOST_TEST(peer.write(ring(), key() + 0x1234, {'x'}, encode_immediate(message_kind::data, 1)) ==
             IBV_WC_REM_ACCESS_ERR);
  BOOST_TEST(outcome() == core::error(ECONNRESET));
}

BOOST_AUTO_TEST_CASE(the_rings_key_reaches_nothing_but_ring_and_mirror) {
  // Memory of the victim's that the peer has no business with, and what is there.
  std::vector<unsigned char> secret(4096, 's');
  const std::uint64_t size = peer.other().ring_size;
  const struct {
    const char* what;
    std::uint64_t to;
    std::size_t length;
  } targets[] = {
      {"the last byte before the ring", ring() - 1, 1},
      {"from the mirror to behind it", mirror() + transfer::mirror_size - 64, 128},
      {"other memory of the process", reinterpret_cast<std::uintptr_t>(secret.data()), 4096},
      {"address 0", 0, 64},
  };
  for (const auto& t : targets) {
    BOOST_TEST_CONTEXT(t.what) {
      raw_peer another;
      (void)another.connect(l.port, {});
      core::socket end = l.accept();
      // All connections have the same sizes, and each its own memory: where this one's is, is said anew.
      const std::uint64_t to = t.to - ring() < 128 * size || ring() - t.to < 128 * size
                                   ? t.to - ring() + another.other().ring_address
                                   : t.to;
      BOOST_TEST(another.write(to, another.other().ring_key, std::vector<unsigned char>(t.length, 'x'),
                               encode_immediate(message_kind::data, 1)) == IBV_WC_REM_ACCESS_ERR);
      std::string text;
      BOOST_TEST(read_some(end, text) == core::error(ECONNRESET));
    }
  }
  BOOST_TEST((secret == std::vector<unsigned char>(4096, 's')));
}

BOOST_AUTO_TEST_CASE(the_ring_can_be_written_and_neither_read_nor_changed_by_atomics) {
  BOOST_TEST(peer.write(ring(), key(), {'h', 'i'}, encode_immediate(message_kind::data, 2)) == IBV_WC_SUCCESS);
  std::string text;
  BOOST_TEST(read_some(victim, text) == core::error());
  for (const ibv_wr_opcode opcode : {IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD}) {
    raw_peer another;
    (void)another.connect(l.port, {});
    core::socket end = l.accept();
    const ibv_wc_status status =
        another.one_sided(opcode, another.other().ring_address, another.other().ring_key, 8);
    BOOST_TEST((status == IBV_WC_REM_ACCESS_ERR || status == IBV_WC_REM_INV_REQ_ERR), status);
    BOOST_TEST(read_some(end, text) == core::error(ECONNRESET));
  }
}

BOOST_AUTO_TEST_CASE(a_key_ends_with_its_connection) {
  // A second connection to the same process, over which the key of the first one is tried after that has ended.
  raw_peer another;
  (void)another.connect(l.port, {});
  core::socket end = l.accept();
  BOOST_REQUIRE_EQUAL(victim.set_option(core::option::linger, 0), core::error());
  victim.close();
  peer.expect(RDMA_CM_EVENT_DISCONNECTED);  // which is said when all is destroyed
  BOOST_TEST(another.write(ring(), key(), {'x'}, encode_immediate(message_kind::data, 1)) == IBV_WC_REM_ACCESS_ERR);
  std::string text;
  BOOST_TEST(read_some(end, text) == core::error(ECONNRESET));
}

BOOST_AUTO_TEST_CASE(an_abort) {
  say(message_kind::abort, static_cast<std::uint32_t>(transfer::abort_reason::reset));
  BOOST_TEST(outcome() == core::error(ECONNRESET));
}

BOOST_AUTO_TEST_CASE(a_flood_of_control_messages) {
  // The victim reads, so that its receives are posted again and its credits go out; the attacker takes none of them in
  // and sends on. (Where the victim does not read, the attacker's own device waits for it.) It breaks the rules once
  // the victim has no credit left to send credits by: after at most so many messages, and far fewer where the victim
  // keeps up.
  std::thread attacker([&] {
    const unsigned most = (peer.good_handshake().queue_depth + 1u) * peer.other().queue_depth;
    ibv_wc_status status = IBV_WC_SUCCESS;
    for (unsigned i = 0; i <= most && status == IBV_WC_SUCCESS; ++i) status = give_credit(0, 0);
  });
  BOOST_TEST(outcome() == violation);
  attacker.join();
}

BOOST_AUTO_TEST_SUITE_END()
