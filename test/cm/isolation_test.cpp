// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What the peer of one connection reaches of another connection whose key it knows.

#include "core_socket.hpp"
#include "raw_peer.hpp"

#include "transfer/message.hpp"

#include <boost/test/unit_test.hpp>

using namespace cm_test;

namespace {

/// Two connections that one listener takes.
struct two_connections {
  explicit two_connections(void (*set_options)(core::socket&)) : l(2, set_options) {
    BOOST_REQUIRE_EQUAL(l.error, core::error());
    BOOST_REQUIRE_EQUAL(attacker.connect(l.port, {}).type, RDMA_CM_EVENT_ESTABLISHED);
    attacked = l.accept();
    BOOST_REQUIRE_EQUAL(other.connect(l.port, {}).type, RDMA_CM_EVENT_ESTABLISHED);
    others = l.accept();
  }

  /// The attacker writes a byte into the other's ring.
  ibv_wc_status attack() {
    return attacker.write(other.other().ring_address, other.other().ring_key, {'x'},
                          transfer::encode_immediate(transfer::message_kind::data, 1));
  }

  listening l;
  raw_peer attacker, other;
  core::socket attacked, others;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(isolation_of_connections)

BOOST_AUTO_TEST_CASE(a_peer_reaches_another_connections_ring_only_in_a_shared_domain) {
  {
    two_connections t(nullptr);
    BOOST_TEST(t.attack() == IBV_WC_SUCCESS);
  }
  two_connections t([](core::socket& s) { (void)s.set_option(core::option::own_protection_domain, 1); });
  BOOST_TEST(t.attack() == IBV_WC_REM_ACCESS_ERR);
  BOOST_TEST(t.other.write(t.other.other().ring_address, t.other.other().ring_key, {'o', 'k'},
                           transfer::encode_immediate(transfer::message_kind::data, 2)) == IBV_WC_SUCCESS);
  std::string text;
  BOOST_TEST(read_some(t.others, text) == core::error());
  BOOST_TEST(text == "ok");
}

BOOST_AUTO_TEST_SUITE_END()
