// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The newer ways to post and to poll: requests that are put together by calls (ibv_wr_post(3)), and completions whose
// parts are asked for one by one (ibv_create_cq_ex(3)).

#include "../support/extended.hpp"
#include "device_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

using namespace verbs_test;
using namespace asio_rdma::verbs;

namespace {

constexpr std::uint64_t all_operations = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
                                         IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ |
                                         IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;

/// Two connected queue pairs, of which a can be posted to by calls.
struct built_requests : device_fixture {
  built_requests() : owner(make(*this), table.destroy_qp), a(owner.get(), table), b(connected_pairs::make(*this)) {
    connected_pairs::connect(*this, a, b);
    connected_pairs::connect(*this, b, a);
    calls = table.qp_to_qp_ex(a.native_handle());
    BOOST_REQUIRE(calls != nullptr);
    calls->wr_flags = IBV_SEND_SIGNALED;
  }

  static ibv_qp* make(const device_fixture& f) {
    const ibv_qp_init_attr plain = f.queue_attributes(IBV_QPT_RC);
    ibv_qp_init_attr_ex attributes{};
    attributes.send_cq = plain.send_cq;
    attributes.recv_cq = plain.recv_cq;
    attributes.cap = plain.cap;
    attributes.cap.max_send_sge = 2;
    attributes.qp_type = IBV_QPT_RC;
    attributes.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    attributes.pd = f.domain.native_handle();
    attributes.send_ops_flags = all_operations;
    ibv_qp* const made = verbs_test::create_qp_ex(f.device.native_handle(), &attributes);
    BOOST_REQUIRE_MESSAGE(made != nullptr, std::strerror(errno));
    return made;
  }
  void begin(std::uint64_t id) {
    ibv_wr_start(calls);
    calls->wr_id = id;
  }
  static std::uint64_t address_of(const buffer& b) { return reinterpret_cast<std::uintptr_t>(b.bytes.data()); }

  std::unique_ptr<ibv_qp, int (*)(ibv_qp*)> owner;
  queue_pair_ref a;
  queue_pair b;
  ibv_qp_ex* calls = nullptr;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(built_requests_of_a_queue_pair, built_requests, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(carry_messages_of_one_piece_and_of_several) {
  buffer from(*this, 100), to(*this, 100);
  from.write("one, two");
  auto into = to.whole();
  for (const std::uint64_t id : {1u, 2u}) {
    auto receive = receive_request(id, into);
    b.post_receive(receive);
  }
  begin(10);
  ibv_wr_send(calls);
  ibv_wr_set_sge(calls, from.region.lkey(), address_of(from), 8);
  BOOST_TEST(ibv_wr_complete(calls) == 0);
  BOOST_TEST(completion_of(10).status == IBV_WC_SUCCESS);
  BOOST_TEST(completion_of(1).byte_len == 8u);
  BOOST_TEST(to.read(8) == "one, two");

  begin(11);
  ibv_wr_send_imm(calls, htonl(0xfeed));
  const ibv_sge pieces[] = {from.piece(5, 3), from.piece(0, 3)};
  ibv_wr_set_sge_list(calls, 2, pieces);
  BOOST_TEST(ibv_wr_complete(calls) == 0);
  BOOST_TEST(completion_of(11).opcode == IBV_WC_SEND);
  const ibv_wc received = completion_of(2);
  BOOST_TEST(received.byte_len == 6u);
  BOOST_TEST(ntohl(received.imm_data) == 0xfeedu);
  BOOST_TEST(to.read(6) == "twoone");
}

BOOST_AUTO_TEST_CASE(take_inline_bytes_at_once) {
  buffer to(*this, 100);
  auto into = to.whole();
  auto receive = receive_request(1, into);
  b.post_receive(receive);
  std::string text = "gone already";
  calls->wr_flags |= IBV_SEND_INLINE;  // Debian 12's rxe goes by it
  begin(10);
  ibv_wr_send(calls);
  ibv_wr_set_inline_data(calls, text.data(), text.size());
  text = "overwritten.";
  BOOST_TEST(ibv_wr_complete(calls) == 0);
  BOOST_TEST(completion_of(1).byte_len == 12u);
  BOOST_TEST(to.read(12) == "gone already");
}

BOOST_AUTO_TEST_CASE(write_read_and_change_the_peers_memory) {
  buffer mine(*this, 64), theirs(*this, 64);
  mine.write("written");
  begin(1);
  ibv_wr_rdma_write(calls, theirs.region.rkey(), address_of(theirs) + 8);
  ibv_wr_set_sge(calls, mine.region.lkey(), address_of(mine), 7);
  calls->wr_id = 2;
  ibv_wr_rdma_read(calls, theirs.region.rkey(), address_of(theirs) + 8);
  ibv_wr_set_sge(calls, mine.region.lkey(), address_of(mine) + 16, 7);
  calls->wr_id = 3;
  ibv_wr_atomic_fetch_add(calls, theirs.region.rkey(), address_of(theirs), 5);
  ibv_wr_set_sge(calls, mine.region.lkey(), address_of(mine) + 32, 8);
  calls->wr_id = 4;
  ibv_wr_atomic_cmp_swp(calls, theirs.region.rkey(), address_of(theirs), 5, 9);
  ibv_wr_set_sge(calls, mine.region.lkey(), address_of(mine) + 40, 8);
  BOOST_TEST(ibv_wr_complete(calls) == 0);
  BOOST_TEST(completion_of(1).opcode == IBV_WC_RDMA_WRITE);
  BOOST_TEST(completion_of(2).opcode == IBV_WC_RDMA_READ);
  BOOST_TEST(completion_of(3).opcode == IBV_WC_FETCH_ADD);
  BOOST_TEST(completion_of(4).opcode == IBV_WC_COMP_SWAP);
  BOOST_TEST(mine.read(24).substr(16, 7) == "written");
  std::uint64_t words[2]{}, theirs_now = 0;
  std::memcpy(words, mine.bytes.data() + 32, sizeof words);
  std::memcpy(&theirs_now, theirs.bytes.data(), sizeof theirs_now);
  BOOST_TEST(words[0] == 0u);
  BOOST_TEST(words[1] == 5u);
  BOOST_TEST(theirs_now == 9u);
}

BOOST_AUTO_TEST_CASE(that_are_aborted_do_nothing) {
  buffer from(*this, 64), to(*this, 64);
  from.write("second");
  begin(1);
  ibv_wr_rdma_write(calls, to.region.rkey() + 1, address_of(to));  // would fail
  ibv_wr_set_sge(calls, from.region.lkey(), address_of(from), 6);
  ibv_wr_abort(calls);
  begin(2);
  ibv_wr_rdma_write(calls, to.region.rkey(), address_of(to));
  ibv_wr_set_sge(calls, from.region.lkey(), address_of(from), 6);
  BOOST_TEST(ibv_wr_complete(calls) == 0);
  const ibv_wc done = next_completion();
  BOOST_TEST(done.wr_id == 2u);
  BOOST_TEST(done.status == IBV_WC_SUCCESS);
  BOOST_TEST(to.read(6) == "second");
}

BOOST_AUTO_TEST_CASE(are_not_for_queue_pairs_that_were_made_without) {
  BOOST_TEST((table.qp_to_qp_ex(b.native_handle()) == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(completions_in_parts, device_fixture, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(come_one_after_the_other) {
  ibv_cq_init_attr_ex attributes{};
  attributes.cqe = 16;
  attributes.wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM | IBV_WC_EX_WITH_QP_NUM;
  ibv_cq_ex* const made = ibv_create_cq_ex(device.native_handle(), &attributes);
  BOOST_REQUIRE_MESSAGE(made != nullptr, std::strerror(errno));
  const std::unique_ptr<ibv_cq, int (*)(ibv_cq*)> parts(ibv_cq_ex_to_cq(made), table.destroy_cq);
  ibv_poll_cq_attr nothing{};
  BOOST_TEST(ibv_start_poll(made, &nothing) == ENOENT);

  ibv_qp_init_attr with = queue_attributes(IBV_QPT_RC);
  with.recv_cq = parts.get();
  const queue_pair a = connected_pairs::make(*this), b(domain, with);
  connected_pairs::connect(*this, a, b);
  connected_pairs::connect(*this, b, a);
  buffer from(*this, 64), to(*this, 64);
  auto into = to.whole();
  for (const std::uint64_t id : {1u, 2u}) {
    auto receive = receive_request(id, into);
    b.post_receive(receive);
  }
  auto out = from.piece(0, 20);
  auto first = send_request(3, IBV_WR_SEND, out), second = send_request(4, IBV_WR_SEND_WITH_IMM, out);
  second.imm_data = htonl(7);
  a.post_send(first);
  a.post_send(second);
  (void)completion_of(3);
  (void)completion_of(4);

  int e = ENOENT;
  for (int i = 0; i < 1000 && e == ENOENT; ++i) {
    e = ibv_start_poll(made, &nothing);
    if (e == ENOENT) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  BOOST_REQUIRE(e == 0);
  BOOST_TEST(made->wr_id == 1u);
  BOOST_TEST(made->status == IBV_WC_SUCCESS);
  BOOST_TEST(ibv_wc_read_opcode(made) == IBV_WC_RECV);
  BOOST_TEST(ibv_wc_read_byte_len(made) == 20u);
  BOOST_TEST(ibv_wc_read_qp_num(made) == b.number());
  do {
    e = ibv_next_poll(made);
  } while (e == ENOENT);
  BOOST_REQUIRE(e == 0);
  BOOST_TEST(made->wr_id == 2u);
  BOOST_TEST((ibv_wc_read_wc_flags(made) & IBV_WC_WITH_IMM) != 0u);
  BOOST_TEST(ntohl(ibv_wc_read_imm_data(made)) == 7u);
  BOOST_TEST(ibv_next_poll(made) == ENOENT);
  ibv_end_poll(made);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(endpoints, device_fixture, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(connect_with_few_calls) {
  char host[INET_ADDRSTRLEN]{};
  const sockaddr_in here = address();
  inet_ntop(AF_INET, &here.sin_addr, host, sizeof host);
  rdma_addrinfo wanted{};
  wanted.ai_port_space = RDMA_PS_TCP;
  wanted.ai_flags = RAI_PASSIVE;
  rdma_addrinfo* found = nullptr;
  BOOST_REQUIRE_EQUAL(table.cm_getaddrinfo(host, "0", &wanted, &found), 0);
  BOOST_TEST(found->ai_qp_type == IBV_QPT_RC);
  ibv_qp_init_attr attributes{};
  attributes.cap.max_send_wr = attributes.cap.max_recv_wr = 4;
  attributes.cap.max_send_sge = attributes.cap.max_recv_sge = 1;
  attributes.sq_sig_all = 1;
  rdma_cm_id* listener = nullptr;
  BOOST_REQUIRE_EQUAL(table.cm_create_ep(&listener, found, nullptr, &attributes), 0);
  table.cm_freeaddrinfo(found);
  BOOST_REQUIRE_EQUAL(table.cm_listen(listener, 1), 0);
  const std::string service = std::to_string(ntohs(table.cm_get_src_port(listener)));

  int client_error = -1;
  std::thread client([&] {
    rdma_addrinfo to{};
    to.ai_port_space = RDMA_PS_TCP;
    rdma_addrinfo* there = nullptr;
    if (table.cm_getaddrinfo(host, service.c_str(), &to, &there) != 0) return;
    ibv_qp_init_attr with = attributes;
    rdma_cm_id* id = nullptr;
    client_error = table.cm_create_ep(&id, there, nullptr, &with) != 0 ? errno : 0;
    table.cm_freeaddrinfo(there);
    if (client_error != 0) return;
    if (table.cm_connect(id, nullptr) != 0) client_error = errno;
    if (table.cm_disconnect(id) != 0 && client_error == 0) client_error = errno;
    table.cm_destroy_ep(id);
  });
  rdma_cm_id* id = nullptr;
  BOOST_TEST(table.cm_get_request(listener, &id) == 0);
  BOOST_TEST((id != nullptr && id->qp != nullptr));
  BOOST_TEST(table.cm_accept(id, nullptr) == 0);
  BOOST_TEST(table.cm_disconnect(id) == 0);  // each waits for the other one's
  client.join();
  BOOST_TEST(client_error == 0);
  table.cm_destroy_ep(id);
  table.cm_destroy_ep(listener);
}

BOOST_AUTO_TEST_SUITE_END()
