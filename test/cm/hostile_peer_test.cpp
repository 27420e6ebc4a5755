// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A peer that speaks our handshake and then breaks the rules: its connection ends with protocol_error, and no other.

#include "core_socket.hpp"
#include "raw_peer.hpp"

#include "transfer/message.hpp"

#include <boost/test/unit_test.hpp>

#include <thread>

using namespace cm_test;
using core::library_error;
using transfer::encode_immediate;
using transfer::message_kind;

namespace {

struct attacked {
  attacked() {
    const verbs::cm_event event = peer.connect(l.port, {});
    BOOST_REQUIRE_EQUAL(rdma_event_str(event.type), rdma_event_str(RDMA_CM_EVENT_ESTABLISHED));
    victim = l.accept();
    BOOST_REQUIRE_EQUAL(connect(bystander, device_address(l.port)), core::error());
    bystanders_peer = l.accept();
  }

  ~attacked() {
    BOOST_TEST(write_all(bystander, "undisturbed") == core::error());
    std::string text;
    BOOST_TEST(read_some(bystanders_peer, text) == core::error());
    BOOST_TEST(text == "undisturbed");
  }

  std::uint64_t ring() const { return peer.other().ring_address; }
  std::uint64_t mirror() const { return peer.other().mirror_address; }
  std::uint32_t key() const { return peer.other().ring_key; }
  ibv_wc_status say(message_kind kind, std::uint32_t length) {
    return peer.write(ring(), key(), {}, encode_immediate(kind, length));
  }
  ibv_wc_status give_credit(std::uint64_t consumed, std::uint64_t reaped) {
    const auto text = transfer::encode_credit({consumed, reaped});
    return peer.write(mirror(), key(), bytes_of(text), encode_immediate(message_kind::credit, 16));
  }
  /// For where reads end in order before the violation comes.
  void check_violation() {
    BOOST_TEST(wait_for(victim, [&] { return victim.ready(core::readiness::error); }) == core::error());
    core::failure f;
    victim.last_failure(f);
    BOOST_TEST(f.code == core::error(library_error::protocol_error));
  }
  core::error outcome() {
    std::string text;
    return read_some(victim, text);
  }

  listening l;
  raw_peer peer;
  core::socket victim;
  core::socket bystander = open_socket();
  core::socket bystanders_peer;
};

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
  say(message_kind::advert, 16);
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

BOOST_AUTO_TEST_CASE(an_abort) {
  say(message_kind::abort, static_cast<std::uint32_t>(transfer::abort_reason::reset));
  BOOST_TEST(outcome() == core::error(ECONNRESET));
}

BOOST_AUTO_TEST_CASE(a_flood_of_control_messages) {
  // The victim reads, so that its receives are posted again and its credits go out; the attacker takes none of them in
  // and sends on. (Where the victim does not read, the attacker's own device waits for it.) It breaks the rules once the
  // victim has no credit left to send credits by: after at most so many messages, and far fewer where the victim keeps
  // up.
  std::thread attacker([&] {
    const unsigned most = (peer.good_handshake().queue_depth + 1u) * peer.other().queue_depth;
    ibv_wc_status status = IBV_WC_SUCCESS;
    for (unsigned i = 0; i <= most && status == IBV_WC_SUCCESS; ++i) status = give_credit(0, 0);
  });
  BOOST_TEST(outcome() == violation);
  attacker.join();
}

BOOST_AUTO_TEST_SUITE_END()
