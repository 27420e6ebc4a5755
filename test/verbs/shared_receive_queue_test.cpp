// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "device_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace verbs_test;
using namespace asio_rdma::verbs;

namespace {

ibv_srq_init_attr room_for(std::uint32_t receives) {
  ibv_srq_init_attr attributes{};
  attributes.attr.max_wr = receives;
  attributes.attr.max_sge = 1;
  return attributes;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(shared_receive_queues, device_fixture, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(are_queried) {
  ibv_srq_init_attr attributes = room_for(32);
  const shared_receive_queue queue(domain, attributes);
  BOOST_TEST(attributes.attr.max_wr >= 32u);
  BOOST_TEST(queue.query().max_wr >= 32u);
  queue.limit(5);
  BOOST_TEST(queue.query().srq_limit == 5u);
}

BOOST_AUTO_TEST_CASE(beyond_the_device_are_refused) {
  ibv_srq_init_attr attributes = room_for(static_cast<std::uint32_t>(device.query_device().max_srq_wr) + 1);
  error_code ec;
  BOOST_TEST(!shared_receive_queue::create(domain, attributes, ec));
  BOOST_TEST((ec == boost::system::errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(serve_queue_pairs_and_raise_their_limit_once) {
  ibv_srq_init_attr attributes = room_for(8);
  const shared_receive_queue queue(domain, attributes);
  const queue_pair a = connected_pairs::make(*this);
  const queue_pair b = connected_pairs::make(*this, queue.native_handle());
  connected_pairs::connect(*this, a, b);
  connected_pairs::connect(*this, b, a);
  device.async_nonblocking(true);

  buffer from(*this, 64), to(*this, 64);
  from.write("shared");
  auto out = from.whole(), into = to.whole();
  for (std::uint64_t id = 1; id <= 4; ++id) {
    auto receive = receive_request(id, into);
    queue.post_receive(receive);
  }
  queue.limit(3);
  const auto exchange = [&](std::uint64_t receive_id) {
    auto send = send_request(100, IBV_WR_SEND, out);
    a.post_send(send);
    BOOST_TEST(completion_of(100).status == IBV_WC_SUCCESS);
    const ibv_wc received = completion_of(receive_id);
    BOOST_TEST(received.status == IBV_WC_SUCCESS);
    BOOST_TEST(received.qp_num == b.number());
  };
  exchange(1);  // three are left: not below the limit
  error_code ec;
  device.get_async_event(ec);
  BOOST_TEST((ec == boost::system::errc::resource_unavailable_try_again));
  exchange(2);
  BOOST_TEST(to.read(6) == "shared");

  const ibv_async_event event = next_async_event();
  BOOST_TEST(event.event_type == IBV_EVENT_SRQ_LIMIT_REACHED);
  BOOST_TEST(event.element.srq == queue.native_handle());
  exchange(3);
  device.get_async_event(ec);
  BOOST_TEST((ec == boost::system::errc::resource_unavailable_try_again));
}

BOOST_AUTO_TEST_SUITE_END()
