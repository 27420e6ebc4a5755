// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_CM_ATTACKED_HPP
#define ASIO_RDMA_TEST_CM_ATTACKED_HPP

#include "core_socket.hpp"
#include "raw_peer.hpp"

#include "transfer/message.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>

namespace cm_test {

/// A socket that a peer attacks which speaks our handshake, and two that it has nothing to do with.
struct attacked {
  attacked() {
    const verbs::cm_event event = peer.connect(l.port, {});
    BOOST_REQUIRE_EQUAL(event.type, RDMA_CM_EVENT_ESTABLISHED);
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
  ibv_wc_status say(transfer::message_kind kind, std::uint32_t length) {
    return peer.write(ring(), key(), {}, transfer::encode_immediate(kind, length));
  }
  ibv_wc_status give_credit(std::uint64_t consumed, std::uint64_t reaped) {
    const auto text = transfer::encode_credit({consumed, reaped});
    return peer.write(mirror(), key(), bytes_of(text), transfer::encode_immediate(transfer::message_kind::credit, 16));
  }
  ibv_wc_status offer(transfer::ring_offer r, std::uint32_t length = transfer::ring_offer_size) {
    return peer.write(mirror(), key(), bytes_of(transfer::encode_ring_offer(r)),
                      transfer::encode_immediate(transfer::message_kind::ring, length));
  }
  /// For where reads end in order before the violation comes.
  void check_violation() {
    BOOST_TEST(wait_for(victim, [&] { return victim.ready(core::readiness::error); }) == core::error());
    core::failure f;
    victim.last_failure(f);
    BOOST_TEST(f.code == core::error(core::library_error::protocol_error));
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

}  // namespace cm_test

#endif
