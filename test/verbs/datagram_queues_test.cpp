// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "device_fixture.hpp"

#include "io/datagram_queues.hpp"

#include <asio_rdma/verbs/cm_id.hpp>
#include <asio_rdma/verbs/event_channel.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace verbs = asio_rdma::verbs;
using asio_rdma::io::datagram_queues;
using verbs_test::device_fixture;

namespace {

struct queues_fixture : device_fixture {
  queues_fixture() {
    const sockaddr_in own = address();
    id.bind(reinterpret_cast<const sockaddr*>(&own));
    datagram_queues::sizes s;
    s.receive_depth = 16;
    s.send_depth = 8;
    s.inline_size = 64;
    BOOST_REQUIRE(!queues.create(id, s, {}));
    boost::system::error_code ec;
    handle = queues.make_address(path_to_self(), ec);
    BOOST_REQUIRE(!ec);
  }

  void send(const std::string& text) {
    while (!queues.has_send_slot()) queues.poll_sends();
    std::memcpy(queues.next_send(), text.data(), text.size());
    queues.add_send(text.size(), {handle.native_handle(), queues.number(), RDMA_UDP_QKEY});
    unsigned lost = 0;
    BOOST_REQUIRE_EQUAL(queues.post_sends(lost), 0);
  }

  ibv_wc next_receive() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    ibv_wc wc{};
    while (queues.poll_receives(&wc, 1) == 0) {
      if (std::chrono::steady_clock::now() > end) throw std::runtime_error("nothing was received");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    queues.count_received();
    return wc;
  }

  std::string receive() {
    const ibv_wc wc = next_receive();
    BOOST_TEST(wc.status == IBV_WC_SUCCESS);
    const auto* const text = reinterpret_cast<const char*>(queues.received(wc.wr_id)) + asio_rdma::io::grh_size;
    const std::string result(text, wc.byte_len - asio_rdma::io::grh_size);
    queues.give_back(wc.wr_id);
    return result;
  }

  verbs::event_channel events = verbs::event_channel(table);
  verbs::cm_id id{events, RDMA_PS_UDP};
  datagram_queues queues;
  verbs::address_handle handle;  // dies first
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(queues_of_datagrams, queues_fixture, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(slots_are_used_again_and_again) {
  for (int i = 0; i < 100; ++i) {
    send(std::to_string(i));
    BOOST_TEST(receive() == std::to_string(i));
  }
  while (!queues.all_sent()) queues.poll_sends();
  BOOST_TEST(queues.completed() == 100u);
  BOOST_TEST(queues.free_send_slots() == 8u);
}

BOOST_AUTO_TEST_CASE(a_queue_pair_that_failed_works_again_under_its_number) {
  const std::uint32_t number = queues.number();
  for (int round = 0; round < 3; ++round) {
    send("held");
    const ibv_wc held = next_receive();  // it stays with its reader meanwhile
    BOOST_TEST(held.status == IBV_WC_SUCCESS);
    queues.to_error();
    BOOST_TEST(queues.is_failing());
    for (int i = 0; i < 15; ++i) {
      BOOST_TEST(!queues.revive());
      const ibv_wc wc = next_receive();
      BOOST_TEST(wc.status == IBV_WC_WR_FLUSH_ERR);
      queues.count_failure(wc);
      queues.give_back(wc.wr_id);
    }
    queues.poll_sends();
    BOOST_TEST(queues.has_failed());
    queues.give_back(held.wr_id);
    BOOST_REQUIRE(queues.revive());
    BOOST_TEST(!queues.has_failed());
    BOOST_TEST(!queues.is_failing());
    BOOST_TEST(queues.number() == number);
    for (int i = 0; i < 40; ++i) {
      send("again");
      BOOST_TEST(receive() == "again");
    }
    queues.post_given_back();
  }
}

BOOST_AUTO_TEST_CASE(gids_are_found_by_their_value) {
  asio_rdma::verbs::error_code ec;
  BOOST_TEST(queues.index_of(gid.gid, ec) == static_cast<int>(gid.gid_index));
  BOOST_TEST(queues.index_of(ibv_gid{}, ec) == -1);
  BOOST_TEST(!ec);
}

BOOST_AUTO_TEST_SUITE_END()
