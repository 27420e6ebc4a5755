// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "device_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <string>

using namespace verbs_test;
using namespace asio_rdma::verbs;

namespace {

void aim(ibv_send_wr& request, const buffer& target, std::uint32_t rkey) {
  request.wr.rdma.remote_addr = reinterpret_cast<std::uintptr_t>(target.bytes.data());
  request.wr.rdma.rkey = rkey;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(data_path, connected_pairs, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(a_message_is_sent_and_received) {
  buffer from(*this, 5000), to(*this, 6000);
  from.write("a message");
  auto into = to.whole(), out = from.whole();
  auto receive = receive_request(1, into);
  auto send = send_request(2, IBV_WR_SEND, out);
  b.post_receive(receive);
  a.post_send(send);
  BOOST_TEST(completion_of(2).status == IBV_WC_SUCCESS);
  const ibv_wc received = completion_of(1);
  BOOST_TEST(received.status == IBV_WC_SUCCESS);
  BOOST_TEST(received.byte_len == 5000u);
  BOOST_TEST(received.qp_num == b.number());
  BOOST_TEST(to.read(9) == "a message");
}

BOOST_AUTO_TEST_CASE(a_write_with_immediate_raises_a_receive) {
  buffer from(*this, 100), to(*this, 100);
  from.write("written");
  auto nothing = to.piece(0, 0), out = from.piece(0, 7);
  auto receive = receive_request(1, nothing);
  auto write = send_request(2, IBV_WR_RDMA_WRITE_WITH_IMM, out);
  write.imm_data = htonl(0xfeed);
  aim(write, to, to.region.rkey());
  b.post_receive(receive);
  a.post_send(write);
  const ibv_wc received = completion_of(1);
  BOOST_TEST(received.opcode == IBV_WC_RECV_RDMA_WITH_IMM);
  BOOST_TEST((received.wc_flags & IBV_WC_WITH_IMM) != 0u);
  BOOST_TEST(ntohl(received.imm_data) == 0xfeedu);
  BOOST_TEST(received.byte_len == 7u);
  BOOST_TEST(to.read(7) == "written");
  BOOST_TEST(completion_of(2).opcode == IBV_WC_RDMA_WRITE);
}

BOOST_AUTO_TEST_CASE(a_read_fetches_the_peers_memory) {
  buffer mine(*this, 100), theirs(*this, 100);
  theirs.write("to be read");
  auto into = mine.piece(0, 10);
  auto read = send_request(1, IBV_WR_RDMA_READ, into);
  aim(read, theirs, theirs.region.rkey());
  a.post_send(read);
  const ibv_wc done = next_completion();
  BOOST_TEST(done.status == IBV_WC_SUCCESS);
  BOOST_TEST(done.opcode == IBV_WC_RDMA_READ);
  BOOST_TEST(mine.read(10) == "to be read");
}

BOOST_AUTO_TEST_CASE(atomics_change_the_peers_memory_and_return_what_was_there) {
  buffer mine(*this, 8), theirs(*this, 8);
  std::uint64_t value = 40;
  std::memcpy(theirs.bytes.data(), &value, sizeof value);
  const auto mine_now = [&] {
    std::memcpy(&value, mine.bytes.data(), sizeof value);
    return value;
  };
  auto into = mine.whole();
  auto add = send_request(1, IBV_WR_ATOMIC_FETCH_AND_ADD, into);
  add.wr.atomic.remote_addr = reinterpret_cast<std::uintptr_t>(theirs.bytes.data());
  add.wr.atomic.rkey = theirs.region.rkey();
  add.wr.atomic.compare_add = 2;
  a.post_send(add);
  BOOST_TEST(next_completion().opcode == IBV_WC_FETCH_ADD);
  BOOST_TEST(mine_now() == 40u);

  auto swap = send_request(2, IBV_WR_ATOMIC_CMP_AND_SWP, into);
  swap.wr.atomic = add.wr.atomic;
  swap.wr.atomic.compare_add = 42;
  swap.wr.atomic.swap = 7;
  a.post_send(swap);
  BOOST_TEST(next_completion().opcode == IBV_WC_COMP_SWAP);
  BOOST_TEST(mine_now() == 42u);
  std::memcpy(&value, theirs.bytes.data(), sizeof value);
  BOOST_TEST(value == 7u);
}

BOOST_AUTO_TEST_CASE(inline_data_needs_no_key_and_is_taken_at_once) {
  buffer to(*this, 64);
  char text[] = "inline";
  ibv_sge out{reinterpret_cast<std::uintptr_t>(text), sizeof text, 0};
  auto into = to.whole();
  auto receive = receive_request(1, into);
  auto send = send_request(2, IBV_WR_SEND, out);
  send.send_flags |= IBV_SEND_INLINE;
  b.post_receive(receive);
  a.post_send(send);
  std::memset(text, 'x', sizeof text);
  BOOST_TEST(completion_of(1).byte_len == sizeof text);
  BOOST_TEST(to.read(6) == "inline");
}

BOOST_AUTO_TEST_CASE(a_wrong_local_key_completes_with_an_error) {
  buffer from(*this, 64);
  auto out = from.whole();
  out.lkey ^= 0xff;
  auto send = send_request(1, IBV_WR_SEND, out);
  a.post_send(send);
  const ibv_wc failed = next_completion();
  BOOST_TEST(failed.wr_id == 1u);
  const error_code ec = completion_error(failed.status);
  BOOST_TEST((ec.category() == asio_rdma::completion_category()));
  // It should be IBV_WC_LOC_PROT_ERR; rxe says IBV_WC_LOC_QP_OP_ERR.
  BOOST_TEST((ec == boost::system::errc::bad_address || ec == boost::system::errc::invalid_argument));
  BOOST_TEST(a.state() == IBV_QPS_ERR);
}

BOOST_AUTO_TEST_CASE(memory_beyond_its_region_completes_with_an_error) {
  buffer from(*this, 64);
  auto out = from.piece(32, 64);
  auto send = send_request(1, IBV_WR_SEND, out);
  a.post_send(send);
  const error_code ec = completion_error(next_completion().status);
  BOOST_TEST(ec == error_code(IBV_WC_LOC_PROT_ERR, asio_rdma::completion_category()));
  BOOST_TEST((ec == boost::system::errc::bad_address));
}

BOOST_AUTO_TEST_CASE(a_wrong_remote_key_completes_with_an_error_and_flushes_what_follows) {
  buffer from(*this, 64), to(*this, 64);
  auto out = from.whole();
  auto write = send_request(1, IBV_WR_RDMA_WRITE, out);
  auto next = send_request(2, IBV_WR_SEND, out);
  aim(write, to, to.region.rkey() ^ 0xff);
  write.next = &next;
  a.post_send(write);
  const ibv_wc failed = completion_of(1);
  BOOST_TEST((completion_error(failed.status) == boost::system::errc::permission_denied));
  BOOST_TEST((completion_error(completion_of(2).status) == boost::system::errc::operation_canceled));
}

BOOST_AUTO_TEST_CASE(to_error_flushes_every_receive) {
  buffer to(*this, 64);
  auto into = to.whole();
  for (std::uint64_t id = 1; id <= 3; ++id) {
    auto receive = receive_request(id, into);
    b.post_receive(receive);
  }
  b.to_error();
  for (std::uint64_t id = 1; id <= 3; ++id) BOOST_TEST(completion_of(id).status == IBV_WC_WR_FLUSH_ERR);
}

BOOST_AUTO_TEST_CASE(a_full_queue_names_the_request_that_did_not_fit) {
  buffer to(*this, 64);
  auto into = to.whole();
  const auto room = b.query(IBV_QP_CAP).init_attributes.cap.max_recv_wr;
  std::vector<ibv_recv_wr> requests(room + 2, receive_request(0, into));
  for (std::size_t i = 0; i + 1 < requests.size(); ++i) requests[i].next = &requests[i + 1];
  error_code ec;
  const ibv_recv_wr* const bad = b.post_receive(requests[0], ec);
  BOOST_TEST((ec == boost::system::errc::not_enough_memory));
  BOOST_TEST((bad >= &requests[16] && bad <= &requests[room + 1]));
}

BOOST_AUTO_TEST_CASE(too_much_inline_data_is_not_posted) {
  buffer from(*this, 100'000);
  auto out = from.whole();
  auto send = send_request(1, IBV_WR_SEND, out);
  send.send_flags |= IBV_SEND_INLINE;
  error_code ec;
  BOOST_TEST(a.post_send(send, ec) == &send);
  BOOST_TEST(!!ec);
  BOOST_CHECK_THROW(a.post_send(send), boost::system::system_error);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(completion_events, connected_pairs, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(come_only_when_asked_for) {
  buffer from(*this, 64), to(*this, 64);
  auto out = from.whole();
  auto write = send_request(1, IBV_WR_RDMA_WRITE, out);
  aim(write, to, to.region.rkey());
  ibv_wc completion{};
  error_code ec;

  a.post_send(write);
  while (completions.poll(&completion, 1) == 0) continue;
  BOOST_TEST(channel.get_event(ec) == nullptr);
  BOOST_TEST((ec == boost::system::errc::resource_unavailable_try_again));
  BOOST_CHECK_THROW(channel.get_event(), boost::system::system_error);

  completions.request_notification();
  a.post_send(write);
  while (completions.poll(&completion, 1) == 0) continue;
  ibv_cq* queue = nullptr;
  while (queue == nullptr) queue = channel.get_event(ec);  // it may come a little later than the completion
  BOOST_TEST(queue == completions.native_handle());
  completions.count_event();
  BOOST_TEST(channel.get_event(ec) == nullptr);  // one-shot
}

BOOST_AUTO_TEST_CASE(are_not_raised_by_what_was_there_before) {
  buffer from(*this, 64), to(*this, 64);
  auto out = from.whole();
  auto write = send_request(1, IBV_WR_RDMA_WRITE, out);
  aim(write, to, to.region.rkey());
  completions.request_notification();
  a.post_send(write);
  while (completions.take_events() == 0) continue;  // now a completion is there, and the queue is not armed
  completions.request_notification();
  BOOST_TEST(completions.take_events() == 0u);
  ibv_wc completion{};
  BOOST_TEST(completions.poll(&completion, 1) == 1);  // this is why one polls once more after arming
}

BOOST_AUTO_TEST_CASE(of_solicited_messages_alone_can_be_asked_for) {
  buffer from(*this, 64), to(*this, 64);
  auto out = from.whole(), into = to.whole();
  const auto exchange = [&](unsigned flags) {
    auto receive = receive_request(1, into);
    auto send = send_request(2, IBV_WR_SEND, out);
    send.send_flags = flags;  // unsignaled
    b.post_receive(receive);
    a.post_send(send);
    ibv_wc completion{};
    while (completions.poll(&completion, 1) == 0) continue;
  };
  completions.request_notification(true);
  exchange(0);
  BOOST_TEST(completions.take_events() == 0u);
  exchange(IBV_SEND_SOLICITED);
  while (completions.take_events() == 0) continue;
}

BOOST_AUTO_TEST_SUITE_END()
