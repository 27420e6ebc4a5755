// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include <asio_rdma/verbs/queue_pair_attributes.hpp>

#include <boost/test/unit_test.hpp>

using namespace asio_rdma::verbs;

// The masks are those of the verbs specification (IBTA volume 1, table 91, "QP state transition properties").
BOOST_AUTO_TEST_SUITE(queue_pair_attributes, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(init) {
  init_attributes a;
  a.port = 2;
  a.pkey_index = 3;
  a.access = IBV_ACCESS_REMOTE_READ;
  a.qkey = 4;
  const auto rc = modification(IBV_QPT_RC, a);
  BOOST_TEST(rc.mask == (IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS));
  BOOST_TEST(rc.attributes.qp_state == IBV_QPS_INIT);
  BOOST_TEST(int{rc.attributes.port_num} == 2);
  BOOST_TEST(rc.attributes.pkey_index == 3);
  BOOST_TEST(rc.attributes.qp_access_flags == unsigned{IBV_ACCESS_REMOTE_READ});
  const auto ud = modification(IBV_QPT_UD, a);
  BOOST_TEST(ud.mask == (IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_QKEY));
  BOOST_TEST(ud.attributes.qkey == 4u);
}

BOOST_AUTO_TEST_CASE(ready_to_receive) {
  const int path = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  rtr_attributes a;
  a.destination_qp = 5;
  a.receive_psn = 6;
  const auto rc = modification(IBV_QPT_RC, a);
  BOOST_TEST(rc.mask == (path | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
  BOOST_TEST(rc.attributes.dest_qp_num == 5u);
  BOOST_TEST(rc.attributes.rq_psn == 6u);
  BOOST_TEST(int{rc.attributes.min_rnr_timer} == 12);
  BOOST_TEST(modification(IBV_QPT_UC, a).mask == path);
  BOOST_TEST(modification(IBV_QPT_UD, a).mask == int{IBV_QP_STATE});
  a.pkey_index = 1;
  BOOST_TEST(modification(IBV_QPT_UD, a).mask == (IBV_QP_STATE | IBV_QP_PKEY_INDEX));
  a.alternate = alternate_path();
  BOOST_TEST(modification(IBV_QPT_UC, a).mask == (path | IBV_QP_PKEY_INDEX | IBV_QP_ALT_PATH));
}

BOOST_AUTO_TEST_CASE(ready_to_send) {
  rts_attributes a;
  a.send_psn = 7;
  a.timeout = 8;
  const auto rc = modification(IBV_QPT_RC, a);
  BOOST_TEST(rc.mask == (IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                         IBV_QP_MAX_QP_RD_ATOMIC));
  BOOST_TEST(rc.attributes.sq_psn == 7u);
  BOOST_TEST(int{rc.attributes.timeout} == 8);
  BOOST_TEST(modification(IBV_QPT_UC, a).mask == (IBV_QP_STATE | IBV_QP_SQ_PSN));
  a.qkey = 9;
  const auto ud = modification(IBV_QPT_UD, a);
  BOOST_TEST(ud.mask == (IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_QKEY));
  BOOST_TEST(ud.attributes.qkey == 9u);
}

BOOST_AUTO_TEST_CASE(resumed) {
  BOOST_TEST(modification(resume_attributes()).mask == int{IBV_QP_STATE});
  resume_attributes a;
  a.assumed_state = IBV_QPS_SQD;
  a.min_rnr_timer = std::uint8_t{12};
  const auto m = modification(a);
  BOOST_TEST(m.mask == (IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_MIN_RNR_TIMER));
  BOOST_TEST(m.attributes.qp_state == IBV_QPS_RTS);
  BOOST_TEST(m.attributes.cur_qp_state == IBV_QPS_SQD);
}

BOOST_AUTO_TEST_SUITE_END()
