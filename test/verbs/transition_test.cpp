// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "device_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace verbs_test;
using namespace asio_rdma::verbs;

namespace {

/// Goes to SQD and waits until everything that was begun is finished: before, no way leads back.
void drain(const device_fixture& f, const queue_pair& pair) {
  pair.to_sqd(true);
  const ibv_async_event event = f.next_async_event();
  BOOST_TEST(event.event_type == IBV_EVENT_SQ_DRAINED);
  BOOST_TEST(event.element.qp == pair.native_handle());
  BOOST_TEST(pair.state() == IBV_QPS_SQD);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(transitions, device_fixture, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(of_a_reliable_connection) {
  const queue_pair pair = connected_pairs::make(*this);
  init_attributes init;
  init.port = port;
  init.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  pair.to_init(init);
  BOOST_TEST(pair.state() == IBV_QPS_INIT);
  auto now = pair.query(IBV_QP_PORT | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX).attributes;
  BOOST_TEST(now.port_num == port);
  BOOST_TEST(now.qp_access_flags == init.access);

  rtr_attributes rtr;
  rtr.path = path_to_self();
  rtr.path_mtu = IBV_MTU_512;
  rtr.destination_qp = pair.number();
  rtr.receive_psn = 0x123456;
  rtr.responder_resources = 3;
  rtr.min_rnr_timer = 5;
  pair.to_rtr(rtr);
  BOOST_TEST(pair.state() == IBV_QPS_RTR);
  now = pair.query(IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MIN_RNR_TIMER).attributes;
  BOOST_TEST(now.path_mtu == IBV_MTU_512);
  BOOST_TEST(now.dest_qp_num == pair.number());
  BOOST_TEST(now.rq_psn == 0x123456u);
  BOOST_TEST(int{now.max_dest_rd_atomic} >= 3);  // a device may round up
  BOOST_TEST(int{now.min_rnr_timer} == 5);

  rts_attributes rts;
  rts.timeout = 17;
  rts.retry_count = 3;
  rts.rnr_retry = 4;
  rts.send_psn = 0x654321;
  rts.initiator_depth = 2;
  pair.to_rts(rts);
  BOOST_TEST(pair.state() == IBV_QPS_RTS);
  now = pair.query(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN).attributes;
  BOOST_TEST(int{now.timeout} == 17);
  BOOST_TEST(int{now.retry_cnt} == 3);
  BOOST_TEST(int{now.rnr_retry} == 4);
  BOOST_TEST(now.sq_psn == 0x654321u);

  drain(*this, pair);
  resume_attributes resume;
  resume.min_rnr_timer = std::uint8_t{12};
  pair.resume(resume);
  BOOST_TEST(pair.state() == IBV_QPS_RTS);
  BOOST_TEST(int{pair.query(IBV_QP_MIN_RNR_TIMER).attributes.min_rnr_timer} == 12);

  pair.to_error();
  BOOST_TEST(pair.state() == IBV_QPS_ERR);
  pair.to_reset();
  BOOST_TEST(pair.state() == IBV_QPS_RESET);
  pair.to_init(init);
  BOOST_TEST(pair.state() == IBV_QPS_INIT);
}

BOOST_AUTO_TEST_CASE(of_unreliable_datagrams) {
  ibv_qp_init_attr attributes = queue_attributes(IBV_QPT_UD);
  const queue_pair pair(domain, attributes);
  init_attributes init;
  init.port = port;
  init.qkey = 0x11111111;
  pair.to_init(init);
  BOOST_TEST(pair.query(IBV_QP_QKEY).attributes.qkey == 0x11111111u);
  pair.to_rtr();
  BOOST_TEST(pair.state() == IBV_QPS_RTR);
  pair.to_rts();
  BOOST_TEST(pair.state() == IBV_QPS_RTS);
  drain(*this, pair);
  pair.resume();
  BOOST_TEST(pair.state() == IBV_QPS_RTS);
  pair.to_error();
  BOOST_TEST(pair.state() == IBV_QPS_ERR);
  pair.to_reset();
  BOOST_TEST(pair.state() == IBV_QPS_RESET);
}

BOOST_AUTO_TEST_CASE(that_do_not_exist_are_refused) {
  const queue_pair pair = connected_pairs::make(*this);
  error_code ec;
  pair.to_rts({}, ec);  // from RESET
  BOOST_TEST((ec == boost::system::errc::invalid_argument));
  BOOST_CHECK_THROW(pair.to_rts(), boost::system::system_error);
  BOOST_TEST(pair.state() == IBV_QPS_RESET);
}

BOOST_AUTO_TEST_CASE(can_name_the_state_that_they_start_from) {
  const connected_pairs pairs;
  drain(pairs, pairs.a);
  resume_attributes resume;
  resume.assumed_state = IBV_QPS_RTR;  // has other required attributes on its way to RTS
  error_code ec;
  pairs.a.resume(resume, ec);
  BOOST_TEST((ec == boost::system::errc::invalid_argument));
  resume.assumed_state = IBV_QPS_SQD;
  pairs.a.resume(resume);
  BOOST_TEST(pairs.a.state() == IBV_QPS_RTS);
}

BOOST_AUTO_TEST_SUITE_END()
