// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Where other software devices let things pass: protection domains, keys, full queues and unknown types, as IBTA has
// them. All in one process; exchange_test.cpp has those that are between processes.

#include "../support/extended.hpp"
#include "soft/thread_sanitizer.hpp"

#include <asio_rdma/detail/rdma_core.hpp>
#include <asio_rdma/verbs/api.hpp>

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

namespace {

namespace verbs = asio_rdma::verbs;

/// Objects of soft0, which are taken back in the reverse order.
struct strict_device {
  strict_device() {
    ibv_device** const list = soft.get_device_list(nullptr);
    device = soft.open_device(list[0]);
    soft.free_device_list(list);
    BOOST_REQUIRE(device != nullptr);
    own = soft.alloc_pd(device);
    foreign = soft.alloc_pd(device);
    cq = make_cq();
    path.is_global = 1;
    path.port_num = 1;
    path.grh.hop_limit = 1;
    (void)soft.query_gid(device, 1, 0, &path.grh.dgid);
  }
  ~strict_device() {
    for (ibv_ah* const ah : ahs) soft.destroy_ah(ah);
    for (ibv_qp* const qp : qps) soft.destroy_qp(qp);
    for (ibv_srq* const srq : srqs) soft.destroy_srq(srq);
    for (ibv_mw* const mw : mws) soft.dealloc_mw(mw);
    for (ibv_mr* const mr : mrs) soft.dereg_mr(mr);
    for (ibv_cq* const queue : cqs) soft.destroy_cq(queue);
    BOOST_TEST(soft.dealloc_pd(foreign) == 0);
    BOOST_TEST(soft.dealloc_pd(own) == 0);
    soft.close_device(device);
  }

  ibv_cq* make_cq(int size = 64) {
    cqs.push_back(soft.create_cq(device, size, nullptr, nullptr, 0));
    return cqs.back();
  }
  ibv_qp_init_attr attributes(ibv_qp_type type) {
    ibv_qp_init_attr a{};
    a.qp_type = type;
    a.send_cq = a.recv_cq = cq;
    a.cap.max_send_wr = a.cap.max_recv_wr = 4;
    a.cap.max_send_sge = a.cap.max_recv_sge = 1;
    a.cap.max_inline_data = 16;
    return a;
  }
  ibv_qp* make_qp(ibv_qp_type type, ibv_srq* srq = nullptr, std::uint64_t operations = 0) {
    ibv_qp_init_attr a = attributes(type);
    ibv_qp_init_attr_ex x{};
    x.send_cq = x.recv_cq = cq;
    x.srq = srq;
    x.cap = a.cap;
    x.qp_type = type;
    x.pd = own;
    x.comp_mask = IBV_QP_INIT_ATTR_PD | (operations != 0 ? IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0);
    x.send_ops_flags = operations;
    a.srq = srq;
    ibv_qp* const made = operations != 0 ? verbs_test::create_qp_ex(device, &x) : soft.create_qp(own, &a);
    BOOST_REQUIRE(made != nullptr);
    qps.push_back(made);
    return made;
  }
  ibv_mr* make_mr(ibv_pd* pd, int access = all) {
    mrs.push_back(soft.reg_mr(pd, memory, sizeof memory, access));
    BOOST_REQUIRE(mrs.back() != nullptr);
    return mrs.back();
  }
  /// Two queue pairs that are connected to each other.
  void connect(ibv_qp* a, ibv_qp* b) {
    for (ibv_qp* const qp : {a, b}) {
      ibv_qp_attr x{};
      x.qp_state = IBV_QPS_INIT;
      x.port_num = 1;
      x.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
      BOOST_REQUIRE_EQUAL(
          soft.modify_qp(qp, &x, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), 0);
      x.qp_state = IBV_QPS_RTR;
      x.path_mtu = IBV_MTU_1024;
      x.dest_qp_num = qp == a ? b->qp_num : a->qp_num;
      x.max_dest_rd_atomic = x.max_rd_atomic = 4;
      x.ah_attr = path;
      BOOST_REQUIRE_EQUAL(soft.modify_qp(qp, &x, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                                     IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
                          0);
      x.qp_state = IBV_QPS_RTS;
      BOOST_REQUIRE_EQUAL(soft.modify_qp(qp, &x, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                                                     IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC),
                          0);
    }
  }
  void make_ready(ibv_qp* qp) {  // of datagrams
    ibv_qp_attr x{};
    x.qp_state = IBV_QPS_INIT;
    x.port_num = 1;
    x.qkey = 7;
    BOOST_REQUIRE_EQUAL(soft.modify_qp(qp, &x, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY), 0);
    x.qp_state = IBV_QPS_RTR;
    BOOST_REQUIRE_EQUAL(soft.modify_qp(qp, &x, IBV_QP_STATE), 0);
    x.qp_state = IBV_QPS_RTS;
    BOOST_REQUIRE_EQUAL(soft.modify_qp(qp, &x, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
  }

  ibv_sge piece(const ibv_mr* mr, std::uint32_t length = 8) const {
    return {reinterpret_cast<std::uintptr_t>(memory), length, mr->lkey};
  }
  /// A request of one piece; what else it has is up to the caller.
  ibv_send_wr request(ibv_wr_opcode opcode, ibv_sge& sge) const {
    ibv_send_wr r{};
    r.wr_id = 1;
    r.opcode = opcode;
    r.send_flags = IBV_SEND_SIGNALED;
    r.sg_list = &sge;
    r.num_sge = 1;
    return r;
  }
  ibv_send_wr remote_request(ibv_wr_opcode opcode, ibv_sge& sge, std::uint32_t rkey) const {
    ibv_send_wr r = request(opcode, sge);
    r.wr.rdma.remote_addr = reinterpret_cast<std::uintptr_t>(memory) + 64;
    r.wr.rdma.rkey = rkey;
    return r;
  }
  static int post(ibv_qp* qp, ibv_send_wr r) {
    ibv_send_wr* bad = nullptr;
    return ibv_post_send(qp, &r, &bad);
  }
  static int post(ibv_qp* qp, ibv_sge* sge) {
    ibv_recv_wr r{}, *bad = nullptr;
    r.sg_list = sge;
    r.num_sge = sge != nullptr ? 1 : 0;
    return ibv_post_recv(qp, &r, &bad);
  }
  /// The status of the next completion.
  ibv_wc_status next() const {
    ibv_wc completion{};
    for (int i = 0; i < 500; ++i) {
      if (ibv_poll_cq(cq, 1, &completion) == 1) return completion.status;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw std::runtime_error("no completion came");
  }
  bool has_none() const {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ibv_wc completion{};
    return ibv_poll_cq(cq, 1, &completion) == 0;
  }

  static constexpr int all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                             IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND;
  const verbs::api& soft = verbs::software_device();
  ibv_context* device = nullptr;
  ibv_pd *own = nullptr, *foreign = nullptr;
  ibv_cq* cq = nullptr;
  ibv_ah_attr path{};
  alignas(64) unsigned char memory[4096] = {};
  std::vector<ibv_qp*> qps;
  std::vector<ibv_srq*> srqs;
  std::vector<ibv_ah*> ahs;
  std::vector<ibv_mw*> mws;
  std::vector<ibv_mr*> mrs;
  std::vector<ibv_cq*> cqs;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(strictness, strict_device)

BOOST_AUTO_TEST_CASE(memory_of_another_domain_is_neither_sent_nor_received_into) {
  ibv_qp *const a = make_qp(IBV_QPT_RC), *const b = make_qp(IBV_QPT_RC);
  connect(a, b);
  ibv_sge good = piece(make_mr(own)), bad = piece(make_mr(foreign));
  BOOST_TEST(post(b, &bad) == 0);
  BOOST_TEST(post(a, request(IBV_WR_SEND, good)) == 0);
  const ibv_wc_status both[] = {next(), next()};
  BOOST_TEST(((both[0] == IBV_WC_LOC_PROT_ERR && both[1] == IBV_WC_REM_OP_ERR) ||
              (both[1] == IBV_WC_LOC_PROT_ERR && both[0] == IBV_WC_REM_OP_ERR)));

  ibv_qp *const c = make_qp(IBV_QPT_RC), *const d = make_qp(IBV_QPT_RC);
  connect(c, d);
  BOOST_TEST(post(c, request(IBV_WR_SEND, bad)) == 0);
  BOOST_TEST(next() == IBV_WC_LOC_PROT_ERR);
}

BOOST_AUTO_TEST_CASE(an_address_handle_of_another_domain_leads_nowhere) {
  ibv_qp *const a = make_qp(IBV_QPT_UD), *const b = make_qp(IBV_QPT_UD);
  make_ready(a);
  make_ready(b);
  ibv_sge into = piece(make_mr(own), 1024), out = piece(mrs.back());
  BOOST_TEST(post(b, &into) == 0);
  ahs.push_back(soft.create_ah(foreign, &path));
  BOOST_REQUIRE(ahs.back() != nullptr);
  ibv_send_wr r = request(IBV_WR_SEND, out);
  r.wr.ud.ah = ahs.back();
  r.wr.ud.remote_qpn = b->qp_num;
  r.wr.ud.remote_qkey = 7;
  BOOST_TEST(post(a, r) == 0);
  BOOST_TEST(next() == IBV_WC_LOC_PROT_ERR);
  BOOST_TEST(has_none());
}

BOOST_AUTO_TEST_CASE(a_window_of_another_domain_is_not_bound) {
  ibv_qp *const a = make_qp(IBV_QPT_RC), *const b = make_qp(IBV_QPT_RC);
  connect(a, b);
  ibv_mr *const good = make_mr(own), *const bad = make_mr(foreign);
  const auto bind = [&](ibv_qp* qp, ibv_pd* window_of, ibv_mr* region) {
    mws.push_back(ibv_alloc_mw(window_of, IBV_MW_TYPE_2));
    BOOST_REQUIRE(mws.back() != nullptr);
    ibv_send_wr r{};
    r.opcode = IBV_WR_BIND_MW;
    r.send_flags = IBV_SEND_SIGNALED;
    r.bind_mw.mw = mws.back();
    r.bind_mw.rkey = ibv_inc_rkey(mws.back()->rkey);
    r.bind_mw.bind_info = {region, reinterpret_cast<std::uintptr_t>(memory), 64, IBV_ACCESS_REMOTE_READ};
    BOOST_TEST(post(qp, r) == 0);
    return next();
  };
  BOOST_TEST(bind(a, own, good) == IBV_WC_SUCCESS);
  BOOST_TEST(bind(a, foreign, good) == IBV_WC_MW_BIND_ERR);
  BOOST_TEST(bind(b, own, bad) == IBV_WC_MW_BIND_ERR);
}

// IBTA C9-88: where no bytes are read or written, the key is not looked at.
BOOST_AUTO_TEST_CASE(no_bytes_need_no_remote_key) {
  ibv_qp *const a = make_qp(IBV_QPT_RC), *const b = make_qp(IBV_QPT_RC);
  connect(a, b);
  ibv_sge nothing = piece(make_mr(own), 0);
  BOOST_TEST(post(a, remote_request(IBV_WR_RDMA_WRITE, nothing, 0xdead)) == 0);
  BOOST_TEST(next() == IBV_WC_SUCCESS);
  BOOST_TEST(post(a, remote_request(IBV_WR_RDMA_READ, nothing, 0xdead)) == 0);
  BOOST_TEST(next() == IBV_WC_SUCCESS);
  ibv_sge some = piece(mrs.back(), 1);
  BOOST_TEST(post(a, remote_request(IBV_WR_RDMA_WRITE, some, 0xdead)) == 0);
  BOOST_TEST(next() == IBV_WC_REM_ACCESS_ERR);
}

BOOST_AUTO_TEST_CASE(full_queues_take_no_more) {
  ibv_sge sge = piece(make_mr(own));
  ibv_srq_init_attr shared{};
  shared.attr.max_wr = 4;
  shared.attr.max_sge = 1;
  srqs.push_back(soft.create_srq(own, &shared));
  ibv_recv_wr receive{}, *bad_receive = nullptr;
  receive.sg_list = &sge;
  receive.num_sge = 1;
  for (std::uint32_t i = 0; i < shared.attr.max_wr; ++i) {
    BOOST_TEST(ibv_post_srq_recv(srqs[0], &receive, &bad_receive) == 0);
  }
  BOOST_TEST(ibv_post_srq_recv(srqs[0], &receive, &bad_receive) == ENOMEM);
  BOOST_TEST(bad_receive == &receive);

  ibv_qp *const a = make_qp(IBV_QPT_RC), *const b = make_qp(IBV_QPT_RC, srqs[0]);
  connect(a, b);
  for (int i = 0; i < 4; ++i) BOOST_TEST(post(a, &sge) == 0);
  BOOST_TEST(post(a, &sge) == ENOMEM);
  // A place is free again only when its completion was polled.
  for (int i = 0; i < 4; ++i) BOOST_TEST(post(a, remote_request(IBV_WR_RDMA_WRITE, sge, mrs[0]->rkey)) == 0);
  BOOST_TEST(post(a, remote_request(IBV_WR_RDMA_WRITE, sge, mrs[0]->rkey)) == ENOMEM);
  BOOST_TEST(next() == IBV_WC_SUCCESS);
  BOOST_TEST(post(a, remote_request(IBV_WR_RDMA_WRITE, sge, mrs[0]->rkey)) == 0);
}

BOOST_AUTO_TEST_CASE(unknown_types_are_refused_and_unsupported_ones_by_that_name) {
  const auto error_of = [&](ibv_qp_type type) {
    ibv_qp_init_attr a = attributes(type);
    return soft.create_qp(own, &a) == nullptr ? errno : 0;
  };
  BOOST_TEST(error_of(static_cast<ibv_qp_type>(0)) == EINVAL);
  BOOST_TEST(error_of(static_cast<ibv_qp_type>(99)) == EINVAL);
  for (const ibv_qp_type type : {IBV_QPT_UC, IBV_QPT_RAW_PACKET, IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV}) {
    BOOST_TEST(error_of(type) == EOPNOTSUPP);
  }
  const auto region_error = [&](int access) {
    return soft.reg_mr(own, memory, 8, access) == nullptr ? errno : 0;
  };
  BOOST_TEST(region_error(IBV_ACCESS_ON_DEMAND) == EOPNOTSUPP);
  BOOST_TEST(region_error(1 << 18) == EINVAL);
  BOOST_TEST(region_error(IBV_ACCESS_REMOTE_WRITE) == EINVAL);  // without local write
}

BOOST_AUTO_TEST_CASE(requests_that_are_put_together_are_posted_all_or_not_at_all) {
  ibv_qp *const a = make_qp(IBV_QPT_RC, nullptr, IBV_QP_EX_WITH_RDMA_WRITE), *const b = make_qp(IBV_QPT_RC);
  connect(a, b);
  ibv_qp_ex* const calls = soft.qp_to_qp_ex(a);
  BOOST_REQUIRE(calls != nullptr);
  calls->wr_flags = IBV_SEND_SIGNALED;
  ibv_mr* const mr = make_mr(own);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const auto add_write = [&] {
    ibv_wr_rdma_write(calls, mr->rkey, address + 64);
    ibv_wr_set_sge(calls, mr->lkey, address, 8);
  };
  // One too many.
  ibv_wr_start(calls);
  for (int i = 0; i < 5; ++i) add_write();
  BOOST_TEST(ibv_wr_complete(calls) == ENOMEM);
  BOOST_TEST(has_none());
  // An operation that the queue pair was not made for.
  ibv_wr_start(calls);
  add_write();
  ibv_wr_send(calls);
  ibv_wr_set_sge(calls, mr->lkey, address, 8);
  BOOST_TEST(ibv_wr_complete(calls) == EINVAL);
  BOOST_TEST(has_none());
  // More inline bytes than there is room for.
  std::vector<char> much(17);
  ibv_wr_start(calls);
  ibv_wr_rdma_write(calls, mr->rkey, address + 64);
  ibv_wr_set_inline_data(calls, much.data(), much.size());
  BOOST_TEST(ibv_wr_complete(calls) == ENOMEM);
  BOOST_TEST(has_none());
  ibv_wr_start(calls);
  for (int i = 0; i < 4; ++i) add_write();
  BOOST_TEST(ibv_wr_complete(calls) == 0);
  for (int i = 0; i < 4; ++i) BOOST_TEST(next() == IBV_WC_SUCCESS);
}

BOOST_AUTO_TEST_CASE(a_completion_that_was_asked_for_its_parts_is_not_there_again) {
  ibv_cq_init_attr_ex attributes{};
  attributes.cqe = 4;
  ibv_cq_ex* const parts = ibv_create_cq_ex(device, &attributes);
  BOOST_REQUIRE(parts != nullptr);
  cqs.push_back(ibv_cq_ex_to_cq(parts));
  cq = cqs.back();
  ibv_qp *const a = make_qp(IBV_QPT_RC), *const b = make_qp(IBV_QPT_RC);
  connect(a, b);
  ibv_sge sge = piece(make_mr(own));
  ibv_poll_cq_attr nothing{}, unknown{1};
  BOOST_TEST(ibv_start_poll(parts, &unknown) == EINVAL);
  BOOST_TEST(ibv_start_poll(parts, &nothing) == ENOENT);
  for (std::uint64_t id = 1; id <= 2; ++id) {
    ibv_send_wr r = remote_request(IBV_WR_RDMA_WRITE, sge, mrs[0]->rkey);
    r.wr_id = id;
    BOOST_TEST(post(a, r) == 0);
  }
  BOOST_TEST(ibv_start_poll(parts, &nothing) == 0);
  BOOST_TEST(parts->wr_id == 1u);
  ibv_end_poll(parts);
  BOOST_TEST(ibv_start_poll(parts, &nothing) == 0);
  BOOST_TEST(parts->wr_id == 2u);
  BOOST_TEST(ibv_wc_read_opcode(parts) == IBV_WC_RDMA_WRITE);
  BOOST_TEST(ibv_next_poll(parts) == ENOENT);
  ibv_end_poll(parts);
  BOOST_TEST(ibv_start_poll(parts, &nothing) == ENOENT);

  attributes.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
  BOOST_TEST((ibv_create_cq_ex(device, &attributes) == nullptr));
  BOOST_TEST(errno == EOPNOTSUPP);
}

// Not strict, but what programs count on that poll only a few completions after each event.
BOOST_AUTO_TEST_CASE(an_armed_queue_tells_of_what_a_poll_has_left) {
  ibv_comp_channel* const channel = soft.create_comp_channel(device);
  ::fcntl(channel->fd, F_SETFL, O_NONBLOCK);
  cqs.push_back(soft.create_cq(device, 8, nullptr, channel, 0));
  cq = cqs.back();
  ibv_qp *const a = make_qp(IBV_QPT_RC), *const b = make_qp(IBV_QPT_RC);
  connect(a, b);
  ibv_sge sge = piece(make_mr(own));
  const auto write = [&](int count) {
    for (int i = 0; i < count; ++i) BOOST_TEST(post(a, remote_request(IBV_WR_RDMA_WRITE, sge, mrs[0]->rkey)) == 0);
  };
  unsigned taken = 0;
  const auto has_event = [&] {
    ibv_cq* of = nullptr;
    void* context = nullptr;
    if (soft.get_cq_event(channel, &of, &context) != 0) return false;
    ++taken;
    return true;
  };
  ibv_wc completions[4];
  write(3);
  BOOST_TEST(ibv_req_notify_cq(cq, 0) == 0);
  BOOST_TEST(!has_event());  // of what was there
  BOOST_TEST(ibv_poll_cq(cq, 2, completions) == 2);
  BOOST_TEST(has_event());
  BOOST_TEST(ibv_req_notify_cq(cq, 0) == 0);
  BOOST_TEST(ibv_poll_cq(cq, 1, completions) == 1);
  BOOST_TEST(!has_event());  // nothing was left
  write(1);
  BOOST_TEST(has_event());
  soft.ack_cq_events(cq, taken);
  for (ibv_qp* const qp : qps) soft.destroy_qp(qp);
  qps.clear();
  soft.destroy_cq(cq);
  cqs.pop_back();
  soft.destroy_comp_channel(channel);
}

BOOST_AUTO_TEST_CASE(operations_that_a_type_does_not_have_are_refused_when_it_is_made) {
  ibv_qp_init_attr_ex x{};
  x.send_cq = x.recv_cq = cq;
  x.qp_type = IBV_QPT_UD;
  x.pd = own;
  x.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  x.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE;
  BOOST_TEST((verbs_test::create_qp_ex(device, &x) == nullptr));
  BOOST_TEST(errno == EOPNOTSUPP);
}

BOOST_AUTO_TEST_CASE(a_region_that_is_registered_anew_is_what_it_is_now) {
  ibv_qp *const a = make_qp(IBV_QPT_RC), *const b = make_qp(IBV_QPT_RC);
  connect(a, b);
  ibv_mr *const mine = make_mr(own), *const theirs = make_mr(own);
  ibv_sge sge = piece(mine);
  const auto write = [&] {
    BOOST_TEST(post(a, remote_request(IBV_WR_RDMA_WRITE, sge, theirs->rkey)) == 0);
    return next();
  };
  BOOST_TEST(soft.rereg_mr(theirs, 0, nullptr, nullptr, 0, 0) == IBV_REREG_MR_ERR_INPUT);
  BOOST_TEST(soft.rereg_mr(theirs, IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0, IBV_ACCESS_REMOTE_WRITE) ==
             IBV_REREG_MR_ERR_INPUT);
  BOOST_TEST(write() == IBV_WC_SUCCESS);  // it is what it was
  BOOST_TEST(soft.rereg_mr(theirs, IBV_REREG_MR_CHANGE_PD, foreign, nullptr, 0, 0) == 0);
  BOOST_TEST(soft.dealloc_pd(foreign) == EBUSY);
  BOOST_TEST(soft.rereg_mr(theirs, IBV_REREG_MR_CHANGE_PD, own, nullptr, 0, 0) == 0);
  BOOST_TEST(write() == IBV_WC_SUCCESS);
  BOOST_TEST(soft.rereg_mr(theirs, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, memory, 64, 0) == 0);
  BOOST_TEST(write() == IBV_WC_REM_ACCESS_ERR);  // it ends before that
}

BOOST_AUTO_TEST_CASE(a_window_keeps_its_region_and_shows_no_more_than_that) {
  ibv_qp *const a = make_qp(IBV_QPT_RC), *const b = make_qp(IBV_QPT_RC);
  connect(a, b);
  ibv_mr *const mine = make_mr(own), *const theirs = make_mr(own);
  mws.push_back(ibv_alloc_mw(own, IBV_MW_TYPE_2));
  ibv_send_wr bind{};
  bind.opcode = IBV_WR_BIND_MW;
  bind.send_flags = IBV_SEND_SIGNALED;
  bind.bind_mw.mw = mws[0];
  bind.bind_mw.rkey = ibv_inc_rkey(mws[0]->rkey);
  bind.bind_mw.bind_info = {theirs, reinterpret_cast<std::uintptr_t>(memory) + 64, 64, IBV_ACCESS_REMOTE_WRITE};
  BOOST_TEST(post(b, bind) == 0);
  BOOST_TEST(next() == IBV_WC_SUCCESS);
  ibv_sge sge = piece(mine);
  BOOST_TEST(post(a, remote_request(IBV_WR_RDMA_WRITE, sge, bind.bind_mw.rkey)) == 0);
  BOOST_TEST(next() == IBV_WC_SUCCESS);
  BOOST_TEST(soft.rereg_mr(theirs, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, memory, 64, 0) == 0);
  BOOST_TEST(post(a, remote_request(IBV_WR_RDMA_WRITE, sge, bind.bind_mw.rkey)) == 0);
  BOOST_TEST(next() == IBV_WC_REM_ACCESS_ERR);
  BOOST_TEST(soft.dereg_mr(theirs) == EBUSY);
  BOOST_TEST(soft.dealloc_mw(mws[0]) == 0);
  mws.clear();
  BOOST_TEST(soft.dereg_mr(theirs) == 0);
  mrs.pop_back();
}

BOOST_AUTO_TEST_CASE(a_region_can_go_by_other_addresses_than_its_own) {
  ibv_qp *const a = make_qp(IBV_QPT_RC), *const b = make_qp(IBV_QPT_RC);
  connect(a, b);
  constexpr std::uint64_t base = 0x1000;
  mrs.push_back(soft.reg_mr_iova(own, memory, 64, base, all));
  ibv_mr* const low = mrs.back();
  BOOST_REQUIRE(low != nullptr);
  std::strcpy(reinterpret_cast<char*>(memory) + 8, "moved");
  ibv_sge sge{base + 8, 6, low->lkey};
  ibv_send_wr r = remote_request(IBV_WR_RDMA_WRITE, sge, low->rkey);
  r.wr.rdma.remote_addr = base + 32;
  BOOST_TEST(post(a, r) == 0);
  BOOST_TEST(next() == IBV_WC_SUCCESS);
  BOOST_TEST(reinterpret_cast<char*>(memory) + 32 == "moved");
  r.wr.rdma.remote_addr = base + 59;  // one byte beyond
  BOOST_TEST(post(a, r) == 0);
  BOOST_TEST(next() == IBV_WC_REM_ACCESS_ERR);
}

BOOST_AUTO_TEST_CASE(a_queue_that_is_destroyed_has_no_events_left) {
  cqs.push_back(soft.create_cq(device, 1, nullptr, nullptr, 0));
  cq = cqs.back();
  ibv_qp *const a = make_qp(IBV_QPT_RC), *const b = make_qp(IBV_QPT_RC);
  connect(a, b);
  ibv_sge sge = piece(make_mr(own));
  const auto overrun = [&] {
    for (int i = 0; i < 3; ++i) (void)post(a, remote_request(IBV_WR_RDMA_WRITE, sge, mrs[0]->rkey));
    pollfd ready{device->async_fd, POLLIN, 0};
    BOOST_REQUIRE(::poll(&ready, 1, 5000) == 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the queue pairs' events too
  };
  overrun();
  for (ibv_qp* const qp : qps) soft.destroy_qp(qp);
  qps.clear();
  soft.destroy_cq(cq);
  cqs.pop_back();
  // The descriptor may be readable still, and that is all.
  ::fcntl(device->async_fd, F_SETFL, O_NONBLOCK);
  ibv_async_event event{};
  BOOST_TEST(soft.get_async_event(device, &event) == -1);
  BOOST_TEST(errno == EAGAIN);
}

BOOST_AUTO_TEST_SUITE_END()

#ifndef __SANITIZE_THREAD__  // which follows no threads into a child
BOOST_FIXTURE_TEST_SUITE(forks, strict_device)

// The helper thread, the slot and the sockets are the parent's: a child gets its own.
BOOST_AUTO_TEST_CASE(a_child_of_a_fork_has_a_device_of_its_own) {
  ibv_qp* const before = make_qp(IBV_QPT_RC);
  const pid_t child = ::fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    ibv_device** const list = soft.get_device_list(nullptr);
    ibv_context* const context = soft.open_device(list[0]);
    if (context == nullptr) ::_exit(2);
    ibv_pd* const pd = soft.alloc_pd(context);
    ibv_qp_init_attr a{};
    a.qp_type = IBV_QPT_RC;
    a.send_cq = a.recv_cq = soft.create_cq(context, 4, nullptr, nullptr, 0);
    a.cap.max_send_wr = a.cap.max_recv_wr = 1;
    ibv_qp* const qp = soft.create_qp(pd, &a);
    if (qp == nullptr) ::_exit(3);
    rdma_event_channel* const channel = soft.cm_create_event_channel();
    rdma_cm_id* id = nullptr;
    if (channel == nullptr || soft.cm_create_id(channel, &id, nullptr, RDMA_PS_TCP) != 0) ::_exit(4);
    ::_exit(qp->qp_num >> 14 != before->qp_num >> 14 ? 0 : 5);
  }
  int status = -1;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == 0), "status " << status);
}

BOOST_AUTO_TEST_SUITE_END()

#endif
