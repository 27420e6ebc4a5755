// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Sockets that meet something other than a socket of this version.

#include "core_socket.hpp"
#include "raw_peer.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <functional>
#include <future>

using namespace cm_test;
using core::library_error;
using transfer::reject_reason;

BOOST_AUTO_TEST_SUITE(handshakes, *boost::unit_test::label("rdma"))

namespace {

/// The offset of the logarithm of the ring's size, and a value that the protocol excludes (doc/wire.md).
constexpr std::size_t ring_size_at = 13;
constexpr unsigned char bad_ring_size = 40;

using bytes = std::vector<unsigned char>;

bytes changed(const raw_peer& peer, const std::function<void(transfer::handshake&)>& change) {
  transfer::handshake h = peer.good_handshake();
  change(h);
  return bytes_of(transfer::encode_handshake(h));
}

bytes with_bad_ring_size(const raw_peer& peer) {
  bytes text = changed(peer, [](transfer::handshake&) {});
  text[ring_size_at] = bad_ring_size;
  return text;
}

/// Connects by hand to a listener of ours with that private data; the refusal.
transfer::reject refused(const std::function<bytes(const raw_peer&)>& private_data) {
  listening l;
  BOOST_REQUIRE_EQUAL(l.error, core::error());
  raw_peer peer;
  const verbs::cm_event event = peer.connect(l.port, private_data(peer));
  BOOST_REQUIRE_EQUAL(event.type, RDMA_CM_EVENT_REJECTED);
  const auto reject = transfer::decode_reject(event.private_data.data(), event.private_data_size);
  BOOST_REQUIRE(reject);
  return *reject;
}

/// Connects a socket of ours to a listener made by hand that accepts with that private data; the outcome.
core::error answered(const std::function<bytes(const raw_peer&)>& answer) {
  raw_peer peer;
  const std::uint16_t port = peer.listen();
  auto other = std::async(std::launch::async, [&] { peer.accept(answer(peer)); });
  core::socket s = open_socket();
  const core::error e = connect(s, device_address(port));
  other.get();
  return e;
}

transfer::reject refused_with(const std::function<void(transfer::handshake&)>& change) {
  return refused([&](const raw_peer& peer) { return changed(peer, change); });
}

core::error answered_with(const std::function<void(transfer::handshake&)>& change) {
  return answered([&](const raw_peer& peer) { return changed(peer, change); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_listener_refuses_a_version_it_does_not_speak) {
  const auto r = refused_with([](transfer::handshake& h) { h.versions = {200, 201}; });
  BOOST_TEST(static_cast<int>(r.reason) == static_cast<int>(reject_reason::incompatible_version));
  BOOST_TEST(r.versions.highest == transfer::supported_versions.highest);
}

BOOST_AUTO_TEST_CASE(a_listener_refuses_another_mode) {
  const auto r = refused_with([](transfer::handshake& h) { h.mode = transfer::mode::message; });
  BOOST_TEST(static_cast<int>(r.reason) == static_cast<int>(reject_reason::mode_mismatch));
}

BOOST_AUTO_TEST_CASE(a_listener_refuses_sizes_that_the_protocol_excludes) {
  const auto r = refused(with_bad_ring_size);
  BOOST_TEST(static_cast<int>(r.reason) == static_cast<int>(reject_reason::bad_handshake));
}

BOOST_AUTO_TEST_CASE(a_listener_refuses_another_program) {
  const auto r = refused([](const raw_peer&) { return bytes{'h', 'e', 'l', 'l', 'o'}; });
  BOOST_TEST(static_cast<int>(r.reason) == static_cast<int>(reject_reason::not_ours));
}

BOOST_AUTO_TEST_CASE(a_listener_takes_a_newer_peer_that_speaks_its_version_too) {
  listening l;
  raw_peer peer;
  transfer::handshake h = peer.good_handshake();
  h.versions = {1, 9};
  h.features = 0xffffffff;
  const verbs::cm_event event = peer.connect(l.port, bytes_of(transfer::encode_handshake(h)));
  BOOST_TEST(event.type == RDMA_CM_EVENT_ESTABLISHED);
  BOOST_TEST(static_cast<bool>(l.accept()));
}

BOOST_AUTO_TEST_CASE(a_client_refuses_a_version_it_does_not_speak) {
  const core::error e = answered_with([](transfer::handshake& h) { h.versions = {200, 201}; });
  BOOST_TEST(e == core::error(library_error::incompatible_version));
  BOOST_TEST(text_of(e).find("version") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_client_refuses_another_mode) {
  BOOST_TEST(answered_with([](transfer::handshake& h) { h.mode = transfer::mode::message; }) ==
             core::error(library_error::mode_mismatch));
}

BOOST_AUTO_TEST_CASE(a_client_refuses_another_program) {
  BOOST_TEST(answered([](const raw_peer&) { return bytes{1, 2, 3}; }) == core::error(library_error::not_asio_rdma));
}

BOOST_AUTO_TEST_CASE(a_client_refuses_sizes_that_the_protocol_excludes) {
  BOOST_TEST(answered(with_bad_ring_size) == core::error(library_error::protocol_error));
}

BOOST_AUTO_TEST_CASE(a_refusal_for_the_version_reaches_the_client) {
  raw_peer peer;
  const std::uint16_t port = peer.listen();
  transfer::reject r;
  r.versions = {7, 9};
  r.reason = reject_reason::incompatible_version;
  auto other = std::async(std::launch::async, [&] { peer.reject(bytes_of(transfer::encode_reject(r))); });
  core::socket s = open_socket();
  BOOST_TEST(connect(s, device_address(port)) == core::error(library_error::incompatible_version));
  other.get();
}

BOOST_AUTO_TEST_CASE(a_refusal_by_another_program_is_connection_refused) {
  raw_peer peer;
  const std::uint16_t port = peer.listen();
  auto other = std::async(std::launch::async, [&] { peer.reject({'n', 'o'}); });
  core::socket s = open_socket();
  BOOST_TEST(connect(s, device_address(port)) == core::error(ECONNREFUSED));
  other.get();
}

BOOST_AUTO_TEST_CASE(a_full_backlog_is_connection_refused_and_says_so) {
  listening l(1);
  core::socket first = open_socket();
  BOOST_REQUIRE_EQUAL(connect(first, device_address(l.port)), core::error());
  core::socket second = open_socket();
  BOOST_TEST(connect(second, device_address(l.port)) == core::error(ECONNREFUSED));
  core::failure f;
  second.last_failure(f);
  BOOST_TEST(std::string(f.text).find("backlog") != std::string::npos);
  // The first one is not disturbed, and there is room again once it was accepted.
  core::socket peer = l.accept();
  BOOST_TEST(connect(second, device_address(l.port)) == core::error());
  BOOST_TEST(write_all(first, "still here") == core::error());
  std::string text;
  BOOST_TEST(read_some(peer, text) == core::error());
  BOOST_TEST(text == "still here");
}

BOOST_AUTO_TEST_SUITE_END()
