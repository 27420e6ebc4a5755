// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Every kind of request, and every way in which one fails, between two processes: where one may write into the other's
// memory, and where it may not.

#include "machine.hpp"

#include "soft/context.hpp"

#include <arpa/inet.h>
#include <signal.h>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <memory>
#include <thread>

using namespace soft_test;
using namespace std::chrono_literals;
namespace data = boost::unit_test::data;

namespace {

const auto both_ways = data::make({"direct", "shared"});
using clock = std::chrono::steady_clock;

/// A request that goes to a place of another machine's memory.
request aimed(ibv_wr_opcode opcode, const key& at, std::uint32_t length = 8) {
  request r;
  r.opcode = opcode;
  r.address = at.address;
  r.rkey = at.rkey;
  r.length = length;
  return r;
}

request atomic(ibv_wr_opcode opcode, const key& at, std::uint64_t compare_add, std::uint64_t swap = 0) {
  request r = aimed(opcode, at);
  r.compare_add = compare_add;
  r.swap = swap;
  return r;
}

request flagged(request r, unsigned flags) {
  r.flags = flags;
  return r;
}

/// Both queue pairs have stopped; the requests that were left are flushed.
void expect_both_in_error(two_machines& t) {
  for (int i = 0; t.far.state() != IBV_QPS_ERR && i < 1000; ++i) std::this_thread::sleep_for(1ms);
  BOOST_TEST(t.near.state() == IBV_QPS_ERR);
  BOOST_TEST(t.far.state() == IBV_QPS_ERR);
  BOOST_TEST(t.near.send({}) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_WR_FLUSH_ERR);
  BOOST_TEST(t.far.receive(77) == 0);
  ibv_wc flushed = t.far.poll();
  while (flushed.status == IBV_WC_WR_FLUSH_ERR && flushed.wr_id != 77) flushed = t.far.poll();
  BOOST_TEST(flushed.status == IBV_WC_WR_FLUSH_ERR);
}

/// The request fails with that status, the other side with an event.
void expect_refused(two_machines& t, const request& r, ibv_wc_status status, int event) {
  BOOST_TEST(t.near.send(r) == 0);
  const ibv_wc failed = t.near.poll();
  BOOST_TEST(failed.status == status);
  BOOST_TEST(failed.wr_id == r.id);
  BOOST_TEST(t.far.async_event() == event);
  expect_both_in_error(t);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(exchange)

BOOST_DATA_TEST_CASE(of_messages, both_ways, way) {
  two_machines t(way);
  t.near.write(0, "a message");
  BOOST_TEST(t.far.receive(7) == 0);
  request r;
  r.length = 9;
  BOOST_TEST(t.near.send(r) == 0);
  const ibv_wc sent = t.near.poll(), received = t.far.poll();
  BOOST_TEST(sent.status == IBV_WC_SUCCESS);
  BOOST_TEST(sent.opcode == IBV_WC_SEND);
  BOOST_TEST(sent.wr_id == 1u);
  BOOST_TEST(sent.qp_num == t.near_number);
  BOOST_TEST(received.status == IBV_WC_SUCCESS);
  BOOST_TEST(received.opcode == IBV_WC_RECV);
  BOOST_TEST(received.wr_id == 7u);
  BOOST_TEST(received.byte_len == 9u);
  BOOST_TEST(received.qp_num == t.far_number);
  BOOST_TEST(received.src_qp == t.near_number);
  BOOST_TEST(received.wc_flags == 0u);
  BOOST_TEST(t.far.read(0, 9) == "a message");
  BOOST_TEST(!t.near.has_completion());
  BOOST_TEST(!t.far.has_completion());
}

BOOST_DATA_TEST_CASE(of_messages_the_other_way, both_ways, way) {
  two_machines t(way);
  t.far.write(0, "answer");
  BOOST_TEST(t.near.receive(7, 100) == 0);
  BOOST_TEST(t.far.send({}) == 0);
  BOOST_TEST(t.far.poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(t.near.read(100, 6) == "answer");
}

BOOST_DATA_TEST_CASE(of_messages_of_all_sizes, both_ways, way) {
  two_machines t(way);
  for (const std::uint32_t length : {0u, 1u, 4095u, 65536u, static_cast<unsigned>(memory_size) - 64}) {
    BOOST_TEST(t.far.receive(length, 0, memory_size) == 0);
    t.near.write(64 + (length == 0 ? 0 : length - 1), "x");
    request r;
    r.offset = 64;
    r.length = length;
    BOOST_TEST(t.near.send(r) == 0);
    BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
    BOOST_TEST(t.far.poll().byte_len == length);
    if (length != 0) BOOST_TEST(t.far.read(length - 1, 1) == "x");
  }
}

BOOST_DATA_TEST_CASE(of_an_immediate_value, both_ways, way) {
  two_machines t(way);
  BOOST_TEST(t.far.receive(7) == 0);
  request r;
  r.opcode = IBV_WR_SEND_WITH_IMM;
  r.value = htonl(0xfeed);
  BOOST_TEST(t.near.send(r) == 0);
  const ibv_wc received = t.far.poll();
  BOOST_TEST(received.opcode == IBV_WC_RECV);
  BOOST_TEST(received.wc_flags == unsigned{IBV_WC_WITH_IMM});
  BOOST_TEST(ntohl(received.imm_data) == 0xfeedu);
}

BOOST_DATA_TEST_CASE(by_writing, both_ways, way) {
  two_machines t(way);
  const key at = t.far.add_key(all_access, 1000, 100);
  t.near.write(0, "written");
  BOOST_TEST(t.near.send(aimed(IBV_WR_RDMA_WRITE, at, 7)) == 0);
  const ibv_wc done = t.near.poll();
  BOOST_TEST(done.status == IBV_WC_SUCCESS);
  BOOST_TEST(done.opcode == IBV_WC_RDMA_WRITE);
  BOOST_TEST(t.far.read(1000, 7) == "written");
  BOOST_TEST(!t.far.has_completion());
}

BOOST_DATA_TEST_CASE(by_writing_with_an_immediate_value, both_ways, way) {
  two_machines t(way);
  const key at = t.far.add_key(all_access, 1000, 100);
  BOOST_TEST(t.far.receive(7, 0, 0) == 0);
  t.near.write(0, "written");
  request r = aimed(IBV_WR_RDMA_WRITE_WITH_IMM, at, 7);
  r.value = htonl(0xfeed);
  BOOST_TEST(t.near.send(r) == 0);
  BOOST_TEST(t.near.poll().opcode == IBV_WC_RDMA_WRITE);
  const ibv_wc received = t.far.poll();
  BOOST_TEST(received.opcode == IBV_WC_RECV_RDMA_WITH_IMM);
  BOOST_TEST(received.wr_id == 7u);
  BOOST_TEST(received.byte_len == 7u);
  BOOST_TEST(ntohl(received.imm_data) == 0xfeedu);
  BOOST_TEST(t.far.read(1000, 7) == "written");
}

BOOST_DATA_TEST_CASE(by_reading, both_ways, way) {
  two_machines t(way);
  const key at = t.far.add_key(all_access, 1000, 100);
  t.far.write(1000, "to be read");
  request r = aimed(IBV_WR_RDMA_READ, at, 10);
  r.offset = 500;
  BOOST_TEST(t.near.send(r) == 0);
  const ibv_wc done = t.near.poll();
  BOOST_TEST(done.status == IBV_WC_SUCCESS);
  BOOST_TEST(done.opcode == IBV_WC_RDMA_READ);
  BOOST_TEST(t.near.read(500, 10) == "to be read");
}

BOOST_DATA_TEST_CASE(by_atomics, both_ways, way) {
  two_machines t(way);
  const key at = t.far.add_key();
  t.far.write_word(0, 40);
  BOOST_TEST(t.near.send(atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, at, 2)) == 0);
  ibv_wc done = t.near.poll();
  BOOST_TEST(done.status == IBV_WC_SUCCESS);
  BOOST_TEST(done.opcode == IBV_WC_FETCH_ADD);
  BOOST_TEST(t.near.read_word(0) == 40u);
  BOOST_TEST(t.far.read_word(0) == 42u);
  BOOST_TEST(t.near.send(atomic(IBV_WR_ATOMIC_CMP_AND_SWP, at, 42, 7)) == 0);
  done = t.near.poll();
  BOOST_TEST(done.opcode == IBV_WC_COMP_SWAP);
  BOOST_TEST(t.near.read_word(0) == 42u);
  BOOST_TEST(t.far.read_word(0) == 7u);
  BOOST_TEST(t.near.send(atomic(IBV_WR_ATOMIC_CMP_AND_SWP, at, 42, 8)) == 0);  // it is another value
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(t.near.read_word(0) == 7u);
  BOOST_TEST(t.far.read_word(0) == 7u);
}

BOOST_DATA_TEST_CASE(of_inline_bytes_lets_go_of_them_at_once, both_ways, way) {
  two_machines t(way);
  t.near.write(0, "inline");
  request r = flagged({}, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
  r.lkey = 0xbad00;  // is not looked at
  BOOST_TEST(t.near.send(r) == 0);
  t.near.write(0, "gone  ");  // the receiver has no buffer yet
  BOOST_TEST(t.far.receive(7) == 0);
  BOOST_TEST(t.far.poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(t.far.read(0, 6) == "inline");
  r.length = 65;  // more than there is room for
  BOOST_TEST(t.near.send(r) != 0);
}

BOOST_DATA_TEST_CASE(wakes_who_asked_for_solicited_completions, both_ways, way) {
  two_machines t(way);
  BOOST_TEST((t.far.receive(1) == 0 && t.far.receive(2) == 0));
  BOOST_TEST(t.far.arm(true) == 0);
  BOOST_TEST(t.near.send({}) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(t.far.poll().wr_id == 1u);
  BOOST_TEST(!t.far.has_event());
  BOOST_TEST(t.near.send(flagged({}, IBV_SEND_SIGNALED | IBV_SEND_SOLICITED)) == 0);
  BOOST_TEST(t.far.has_event(5s));
  BOOST_TEST(!t.far.has_event());  // one for each request
}

BOOST_DATA_TEST_CASE(wakes_who_asked_for_any_completion, both_ways, way) {
  two_machines t(way);
  BOOST_TEST((t.far.receive(1) == 0 && t.far.receive(2) == 0));
  BOOST_TEST(t.far.arm(false) == 0);
  BOOST_TEST((t.near.send({}) == 0 && t.near.send({}) == 0));
  BOOST_TEST(t.far.has_event(5s));
  BOOST_TEST(!t.far.has_event());
}

BOOST_DATA_TEST_CASE(waits_for_a_receiver_that_is_late, both_ways, way) {
  two_machines t(way);
  BOOST_TEST(t.near.send({}) == 0);
  BOOST_TEST(t.near.poll(50ms).vendor_err == ~0u);
  BOOST_TEST(t.far.receive(7) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(t.far.poll().wr_id == 7u);
}

BOOST_DATA_TEST_CASE(ends_when_a_receiver_is_too_late, both_ways, way) {
  terms l;
  l.rnr_timer = 20;  // 10.24 ms
  l.rnr_retries = 3;
  two_machines t(way, l);
  const auto begin = clock::now();
  BOOST_TEST(t.near.send({}) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_RNR_RETRY_EXC_ERR);
  const auto time = clock::now() - begin;
  BOOST_TEST((time >= 30ms && time < 1900ms));  // with the timer's default it would be 1966 ms
  BOOST_TEST(t.near.state() == IBV_QPS_ERR);
  BOOST_TEST(t.far.state() == IBV_QPS_RTS);  // the receiver has done nothing wrong
}

BOOST_DATA_TEST_CASE(begins_each_request_with_all_of_its_retries, both_ways, way) {
  terms l;
  l.rnr_timer = 20;
  l.rnr_retries = 3;
  two_machines t(way, l);
  for (std::uint64_t i = 0; i < 4; ++i) {
    BOOST_TEST(t.near.send({}) == 0);
    std::this_thread::sleep_for(15ms);  // uses up one or two
    BOOST_TEST(t.far.receive(i) == 0);
    BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  }
}

BOOST_DATA_TEST_CASE(ends_when_the_other_process_has_died, both_ways, way) {
  two_machines t(way);
  t.far.process.kill(SIGKILL);
  BOOST_TEST(t.far.process.wait() == 128 + SIGKILL);
  const auto begin = clock::now();
  BOOST_TEST((t.near.send({}) == 0 && t.near.send({}) == 0));
  BOOST_TEST(t.near.poll().status == IBV_WC_RETRY_EXC_ERR);
  BOOST_TEST((clock::now() - begin < 1s));
  BOOST_TEST(t.near.poll().status == IBV_WC_WR_FLUSH_ERR);
  BOOST_TEST(t.near.state() == IBV_QPS_ERR);
}

BOOST_DATA_TEST_CASE(ends_when_the_other_queue_pair_listens_no_more, both_ways, way) {
  terms l;
  l.timeout = 10;
  two_machines t(way, l);
  BOOST_TEST(t.far.go_to(IBV_QPS_RESET) == 0);
  BOOST_TEST(t.near.send({}) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_RETRY_EXC_ERR);
}

// A card sends, and then waits for the answer once more than it retries.
BOOST_DATA_TEST_CASE(waits_for_an_answer_even_without_retries, both_ways, way) {
  terms l;
  l.timeout = 14;
  l.retries = 0;
  two_machines t(way, l);
  BOOST_TEST(t.far.go_to(IBV_QPS_RESET) == 0);
  const auto begin = clock::now();
  BOOST_TEST(t.near.send({}) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_RETRY_EXC_ERR);
  BOOST_TEST((clock::now() - begin >= 60ms));
}

BOOST_DATA_TEST_CASE(refuses_keys_that_are_not_there, both_ways, way) {
  for (const ibv_wr_opcode opcode : {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD}) {
    two_machines t(way);
    key at = t.far.add_key();
    at.rkey ^= 1;
    expect_refused(t, aimed(opcode, at), IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
  }
}

BOOST_DATA_TEST_CASE(refuses_keys_that_are_deregistered, both_ways, way) {
  two_machines t(way);
  const key at = t.far.add_key();
  BOOST_TEST(t.near.send(aimed(IBV_WR_RDMA_WRITE, at)) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(t.far.drop_key(at) == 0);
  expect_refused(t, aimed(IBV_WR_RDMA_WRITE, at), IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
}

BOOST_DATA_TEST_CASE(refuses_keys_of_another_protection_domain, both_ways, way) {
  two_machines t(way);
  const key at = t.far.add_key(all_access, 0, 100, true);
  t.far.write(0, "unharmed");
  t.near.write(0, "harmful!");
  expect_refused(t, aimed(IBV_WR_RDMA_WRITE, at), IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
  BOOST_TEST(t.far.read(0, 8) == "unharmed");
}

BOOST_DATA_TEST_CASE(refuses_what_goes_beyond_the_region, both_ways, way) {
  for (const std::int64_t offset : {-1, 93, 1 << 20}) {
    two_machines t(way);
    key at = t.far.add_key(all_access, 1000, 100);
    at.address += static_cast<std::uint64_t>(offset);
    expect_refused(t, aimed(IBV_WR_RDMA_WRITE, at), IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
  }
}

BOOST_DATA_TEST_CASE(refuses_what_the_region_does_not_allow, both_ways, way) {
  constexpr unsigned local = IBV_ACCESS_LOCAL_WRITE;
  for (const auto& [opcode, access] :
       {std::pair{IBV_WR_RDMA_WRITE, local | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC},
        std::pair{IBV_WR_RDMA_READ, local | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC},
        std::pair{IBV_WR_ATOMIC_CMP_AND_SWP, local | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ}}) {
    two_machines t(way);
    expect_refused(t, aimed(opcode, t.far.add_key(access)), IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
  }
}

BOOST_DATA_TEST_CASE(refuses_what_the_queue_pair_does_not_allow, both_ways, way) {
  terms l;
  l.access = IBV_ACCESS_REMOTE_READ;
  two_machines t(way, l);
  expect_refused(t, aimed(IBV_WR_RDMA_WRITE, t.far.add_key()), IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
}

BOOST_DATA_TEST_CASE(refuses_atomics_at_odd_addresses, both_ways, way) {
  two_machines t(way);
  key at = t.far.add_key();
  at.address += 4;
  expect_refused(t, atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, at, 1), IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
}

BOOST_DATA_TEST_CASE(refuses_reads_where_there_are_none, both_ways, way) {
  terms there;
  there.reads = 0;
  two_machines t(way);
  BOOST_TEST(t.far.go_to(IBV_QPS_RESET) == 0);
  BOOST_TEST(t.far.connect(t.near_number, there) == 0);
  expect_refused(t, aimed(IBV_WR_RDMA_READ, t.far.add_key()), IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
}

BOOST_DATA_TEST_CASE(writes_no_bytes_whatever_the_key, both_ways, way) {
  two_machines t(way);
  BOOST_TEST(t.near.send(aimed(IBV_WR_RDMA_WRITE, {}, 0)) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
}

BOOST_DATA_TEST_CASE(refuses_local_keys_that_do_not_fit, both_ways, way) {
  for (int i = 0; i < 5; ++i) {
    two_machines t(way);
    BOOST_TEST(t.far.receive(7) == 0);
    request r;
    if (i == 0) r.lkey = 0xbad00;
    if (i == 1) r.lkey = t.near.add_key(all_access, 0, 100, true).lkey;
    if (i == 2) r.lkey = t.near.add_key(all_access, 0, 7).lkey;
    if (i == 3) {
      const key gone = t.near.add_key();
      BOOST_TEST(t.near.drop_key(gone) == 0);
      r.lkey = gone.lkey;
    }
    if (i == 4) {  // nobody may write there, also not the answer to a read
      r = aimed(IBV_WR_RDMA_READ, t.far.add_key());
      r.lkey = t.near.add_key(0).lkey;
    }
    BOOST_TEST(t.near.send(r) == 0);
    BOOST_TEST(t.near.poll().status == IBV_WC_LOC_PROT_ERR, "case " << i);
    BOOST_TEST(t.near.state() == IBV_QPS_ERR);
    BOOST_TEST(!t.far.has_completion());
    BOOST_TEST(t.far.state() == IBV_QPS_RTS);
  }
}

BOOST_DATA_TEST_CASE(fails_both_sides_when_a_message_is_too_long, both_ways, way) {
  two_machines t(way);
  t.far.write(4, "kept");
  BOOST_TEST(t.far.receive(7, 0, 4) == 0);
  BOOST_TEST(t.near.send({}) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_REM_INV_REQ_ERR);
  const ibv_wc received = t.far.poll();
  BOOST_TEST(received.status == IBV_WC_LOC_LEN_ERR);
  BOOST_TEST(received.wr_id == 7u);
  BOOST_TEST(t.far.read(4, 4) == "kept");
  expect_both_in_error(t);
}

BOOST_DATA_TEST_CASE(fails_both_sides_when_the_receivers_key_is_wrong, both_ways, way) {
  two_machines t(way);
  BOOST_TEST(t.far.receive(7, 0, 4096, 0xbad00) == 0);
  BOOST_TEST(t.near.send({}) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_REM_OP_ERR);
  BOOST_TEST(t.far.poll().status == IBV_WC_LOC_PROT_ERR);
  expect_both_in_error(t);
}

BOOST_DATA_TEST_CASE(flushes_what_waits_in_its_order, both_ways, way) {
  two_machines t(way);
  for (std::uint64_t i = 0; i < 5; ++i) {
    BOOST_TEST(t.near.receive(100 + i) == 0);
    request r = flagged({}, 0);  // flushed requests complete, signalled or not
    r.id = i;
    BOOST_TEST(t.near.send(r) == 0);
  }
  BOOST_TEST(t.near.go_to(IBV_QPS_ERR) == 0);
  std::uint64_t sends = 0, receives = 0;
  for (int i = 0; i < 10; ++i) {
    const ibv_wc flushed = t.near.poll();
    BOOST_TEST(flushed.status == IBV_WC_WR_FLUSH_ERR);
    BOOST_TEST(flushed.wr_id == (flushed.wr_id < 100 ? sends++ : 100 + receives++));
  }
  BOOST_TEST(!t.near.has_completion());
}

BOOST_DATA_TEST_CASE(keeps_places_until_a_later_completion_is_polled, both_ways, way) {
  setup s;
  s.depth = 4;
  two_machines t(way, {}, s, s);
  const request silent = flagged(aimed(IBV_WR_RDMA_WRITE, t.far.add_key()), 0);
  const request loud = flagged(silent, IBV_SEND_SIGNALED);
  for (int i = 0; i < 3; ++i) BOOST_TEST(t.near.send(silent) == 0);
  BOOST_TEST(t.near.send(loud) == 0);
  std::this_thread::sleep_for(20ms);
  BOOST_TEST(t.near.send(silent) == ENOMEM);  // though all are done
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  for (int i = 0; i < 4; ++i) BOOST_TEST(t.near.send(silent) == 0);
  BOOST_TEST(t.near.send(silent) == ENOMEM);
}

BOOST_DATA_TEST_CASE(takes_a_list_as_far_as_it_is_good, both_ways, way) {
  setup s;
  s.depth = 4;
  two_machines t(way, {}, s, s);
  for (std::uint64_t i = 0; i < 4; ++i) BOOST_TEST(t.far.receive(i) == 0);
  BOOST_TEST(t.far.receive(4) == ENOMEM);
  BOOST_TEST(t.near.send_list({}, 3, 99) == 3);
  BOOST_TEST(t.near.send_list({}, 3, 99) == 1);  // no room for the second
  for (std::uint64_t i = 0; i < 4; ++i) {
    BOOST_TEST(t.far.poll().wr_id == i);
    BOOST_TEST(t.far.receive(i) == 0);
  }
  for (const std::uint64_t id : {0u, 1u, 2u, 0u}) BOOST_TEST(t.near.poll().wr_id == id);
  BOOST_TEST(t.near.send_list({}, 3, 1) == 1);  // the second is wrong
  BOOST_TEST(t.near.poll().wr_id == 0u);
  BOOST_TEST(!t.near.has_completion());
  BOOST_TEST(t.far.poll().wr_id == 0u);
  BOOST_TEST(!t.far.has_completion());
}

BOOST_DATA_TEST_CASE(signals_everything_if_the_queue_is_made_so, both_ways, way) {
  setup s;
  s.signals_all = true;
  two_machines t(way, {}, s);
  BOOST_TEST(t.near.send(flagged(aimed(IBV_WR_RDMA_WRITE, t.far.add_key()), 0)) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
}

BOOST_DATA_TEST_CASE(shares_receives_and_says_when_few_are_left, both_ways, way) {
  setup s;
  s.is_shared = true;
  two_machines t(way, {}, {}, s);
  for (std::uint64_t i = 0; i < 4; ++i) BOOST_TEST(t.far.receive(i, 64 * i, 64) == 0);
  BOOST_TEST(t.far.set_limit(3) == 0);
  t.near.write(0, "shared");
  BOOST_TEST(t.near.send({}) == 0);
  BOOST_TEST(t.far.poll().wr_id == 0u);
  BOOST_TEST(t.far.async_event(20ms) == -1);  // three are not fewer than three
  BOOST_TEST(t.near.send({}) == 0);
  BOOST_TEST(t.far.poll().wr_id == 1u);
  BOOST_TEST(t.far.read(64, 6) == "shared");
  BOOST_TEST(t.far.async_event() == IBV_EVENT_SRQ_LIMIT_REACHED);
  BOOST_TEST(t.near.send({}) == 0);
  BOOST_TEST(t.far.poll().wr_id == 2u);
  BOOST_TEST(t.far.async_event(20ms) == -1);  // once
  BOOST_TEST(t.far.go_to(IBV_QPS_ERR) == 0);
  BOOST_TEST(t.far.async_event() == IBV_EVENT_QP_LAST_WQE_REACHED);
  BOOST_TEST(!t.far.has_completion());  // shared receives are not flushed
}

BOOST_DATA_TEST_CASE(overruns_a_queue_that_nobody_polls, both_ways, way) {
  setup small;
  small.completions = 4;
  two_machines t(way, {}, {}, small);
  for (std::uint64_t i = 0; i < 8; ++i) BOOST_TEST(t.far.receive(i) == 0);
  for (int i = 0; i < 6; ++i) BOOST_TEST(t.near.send({}) == 0);
  BOOST_TEST(t.far.async_event() == IBV_EVENT_CQ_ERR);
  BOOST_TEST(t.far.async_event() == IBV_EVENT_QP_FATAL);
  BOOST_TEST(t.far.state() == IBV_QPS_ERR);
}

BOOST_DATA_TEST_CASE(goes_on_in_a_queue_that_grows, both_ways, way) {
  setup small;
  small.completions = 4;
  two_machines t(way, {}, {}, small);
  for (std::uint64_t i = 0; i < 8; ++i) BOOST_TEST(t.far.receive(i) == 0);
  for (int i = 0; i < 3; ++i) BOOST_TEST(t.near.send({}) == 0);
  for (int i = 0; i < 3; ++i) BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(t.far.resize(2) == EINVAL);  // more are waiting
  BOOST_TEST(t.far.resize(16) == 0);
  for (int i = 0; i < 5; ++i) BOOST_TEST(t.near.send({}) == 0);
  for (std::uint64_t i = 0; i < 8; ++i) BOOST_TEST(t.far.poll().wr_id == i);
}

BOOST_DATA_TEST_CASE(through_windows_ends_with_them, both_ways, way) {
  two_machines t(way);
  key w = t.far.add_window();
  request bind;
  bind.opcode = IBV_WR_BIND_MW;
  bind.value = static_cast<std::uint32_t>(w.number);
  bind.offset = 1000;
  bind.length = 100;
  bind.bind_access = IBV_ACCESS_REMOTE_WRITE;
  bind.rkey = w.rkey = (w.rkey & ~0xffu) | ((w.rkey + 1) & 0xff);
  BOOST_TEST(t.far.send(bind) == 0);
  const ibv_wc bound = t.far.poll();
  BOOST_TEST(bound.status == IBV_WC_SUCCESS);
  BOOST_TEST(bound.opcode == IBV_WC_BIND_MW);

  key at = t.far.add_key(all_access, 1000, 100);
  at.rkey = w.rkey;
  t.near.write(0, "windowed");
  BOOST_TEST(t.near.send(aimed(IBV_WR_RDMA_WRITE, at)) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(t.far.read(1000, 8) == "windowed");

  request away;
  away.opcode = IBV_WR_LOCAL_INV;
  away.value = w.rkey;
  BOOST_TEST(t.far.send(away) == 0);
  const ibv_wc gone = t.far.poll();
  BOOST_TEST(gone.status == IBV_WC_SUCCESS);
  BOOST_TEST(gone.opcode == IBV_WC_LOCAL_INV);
  expect_refused(t, aimed(IBV_WR_RDMA_WRITE, at), IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
}

BOOST_DATA_TEST_CASE(through_windows_is_limited_to_what_they_show, both_ways, way) {
  for (int i = 0; i < 3; ++i) {
    two_machines t(way);
    key w = t.far.add_window();
    request bind;
    bind.opcode = IBV_WR_BIND_MW;
    bind.value = static_cast<std::uint32_t>(w.number);
    bind.offset = 1000;
    bind.length = 100;
    bind.bind_access = IBV_ACCESS_REMOTE_WRITE;
    bind.rkey = w.rkey;
    BOOST_TEST(t.far.send(bind) == 0);
    BOOST_TEST(t.far.poll().status == IBV_WC_SUCCESS);
    key at = t.far.add_key(all_access, 1000, 200);
    at.rkey = w.rkey;
    if (i == 0) at.address += 93;
    if (i == 1) at.address -= 1;
    const request r = aimed(i == 2 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE, at);
    expect_refused(t, r, IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
  }
}

BOOST_DATA_TEST_CASE(takes_a_window_away_with_a_message, both_ways, way) {
  two_machines t(way);
  const key w = t.far.add_window();
  request bind;
  bind.opcode = IBV_WR_BIND_MW;
  bind.value = static_cast<std::uint32_t>(w.number);
  bind.length = 100;
  bind.bind_access = IBV_ACCESS_REMOTE_WRITE;
  bind.rkey = w.rkey;
  BOOST_TEST(t.far.send(bind) == 0);
  BOOST_TEST(t.far.poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(t.far.receive(7) == 0);
  request r;
  r.opcode = IBV_WR_SEND_WITH_INV;
  r.value = w.rkey;
  BOOST_TEST(t.near.send(r) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  const ibv_wc received = t.far.poll();
  BOOST_TEST(received.wc_flags == unsigned{IBV_WC_WITH_INV});
  BOOST_TEST(received.invalidated_rkey == w.rkey);
  key at = t.far.add_key();
  at.rkey = w.rkey;
  expect_refused(t, aimed(IBV_WR_RDMA_WRITE, at), IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
}

BOOST_DATA_TEST_CASE(takes_no_window_away_that_is_not_there, both_ways, way) {
  two_machines t(way);
  BOOST_TEST(t.far.receive(7) == 0);
  request r;
  r.opcode = IBV_WR_SEND_WITH_INV;
  r.value = t.far.add_key().rkey;  // of a region
  BOOST_TEST(t.near.send(r) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_REM_ACCESS_ERR);
  BOOST_TEST(t.far.poll().status == IBV_WC_LOC_PROT_ERR);
  expect_both_in_error(t);
}

BOOST_DATA_TEST_CASE(works_again_after_a_reset, both_ways, way) {
  const copying copy(way);
  remote_machine a, b;
  const std::uint32_t to = a.make(), from = b.make();
  BOOST_TEST(a.connect(from) == 0);
  BOOST_TEST(b.connect(to) == 0);
  BOOST_TEST(a.go_to(IBV_QPS_RESET) == 0);
  BOOST_TEST(a.connect(from) == 0);
  BOOST_TEST(a.receive(1) == 0);
  BOOST_TEST(b.send({}) == 0);
  BOOST_TEST(a.poll().status == IBV_WC_SUCCESS);
}

BOOST_AUTO_TEST_CASE(late_news_of_a_failure_before_a_reset_changes_nothing) {
  namespace soft = asio_rdma::soft;
  const std::unique_ptr<machine> local = make_local();
  machine& a = *local;
  remote_machine b;
  const std::uint32_t to = a.make(), from = b.make();
  BOOST_TEST(a.connect(from) == 0);
  BOOST_TEST(b.connect(to) == 0);
  BOOST_TEST(a.go_to(IBV_QPS_RESET) == 0);
  BOOST_TEST(a.connect(from) == 0);
  for (const auto e : {soft::device_event::qp_access_error, soft::device_event::qp_request_error,
                       soft::device_event::qp_receive_error}) {
    soft::handle_event(e, to);
  }
  BOOST_TEST(a.state() == IBV_QPS_RTS);
  BOOST_TEST(a.receive(1) == 0);
  BOOST_TEST(b.send({}) == 0);
  BOOST_TEST(a.poll().status == IBV_WC_SUCCESS);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

const setup datagrams{IBV_QPT_UD, 16, false, false, 256};

request datagram(std::uint32_t to, const ibv_gid& gid = first_gid()) {
  request r;
  r.to_qp = to;
  r.to = gid;
  return r;
}

ibv_gid group_gid(unsigned char last) {
  ibv_gid g{};
  g.raw[10] = g.raw[11] = 0xff;
  g.raw[12] = 239;
  g.raw[15] = last;
  return g;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(datagram_exchange)

BOOST_DATA_TEST_CASE(leads_to_the_other_process, both_ways, way) {
  two_machines t(way, {}, datagrams, datagrams);
  t.near.write(0, "datagram");
  BOOST_TEST(t.far.receive(7) == 0);
  request r = datagram(t.far_number);
  r.opcode = IBV_WR_SEND_WITH_IMM;
  r.value = htonl(5);
  BOOST_TEST(t.near.send(r) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  const ibv_wc received = t.far.poll();
  BOOST_TEST(received.status == IBV_WC_SUCCESS);
  BOOST_TEST(received.byte_len == 48u);
  BOOST_TEST(received.src_qp == t.near_number);
  BOOST_TEST(received.wc_flags == unsigned{IBV_WC_GRH | IBV_WC_WITH_IMM});
  BOOST_TEST(ntohl(received.imm_data) == 5u);
  BOOST_TEST(t.far.read(40, 8) == "datagram");
}

BOOST_DATA_TEST_CASE(drops_what_nobody_waits_for, both_ways, way) {
  two_machines t(way, {}, datagrams, datagrams);
  BOOST_TEST(t.near.send(datagram(t.far_number)) == 0);  // no receive
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(t.near.send(datagram(t.far_number + 1)) == 0);  // no queue pair
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(t.near.send(datagram(t.far_number + (100 << 14))) == 0);  // no process
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  std::this_thread::sleep_for(20ms);
  BOOST_TEST(t.far.receive(7) == 0);
  BOOST_TEST(t.far.poll(20ms).vendor_err == ~0u);
}

BOOST_DATA_TEST_CASE(survives_a_process_that_has_died, both_ways, way) {
  two_machines t(way, {}, datagrams, datagrams);
  BOOST_TEST(t.far.receive(7) == 0);
  BOOST_TEST(t.near.send(datagram(t.far_number)) == 0);
  BOOST_TEST(t.near.poll().status == IBV_WC_SUCCESS);
  t.far.process.kill(SIGKILL);
  BOOST_TEST(t.far.process.wait() == 128 + SIGKILL);
  for (int i = 0; i < 4; ++i) {
    BOOST_TEST(t.near.send(datagram(t.far_number)) == 0);
    BOOST_TEST(t.near.poll(1s).status == IBV_WC_SUCCESS);
  }
}

// The members are there before, and after, the sender has come.
BOOST_DATA_TEST_CASE(leads_to_all_members_of_a_group, both_ways, way) {
  const copying copy(way);
  const ibv_gid group = group_gid(7), other = group_gid(8);
  remote_machine early;
  early.make(datagrams);
  BOOST_TEST(early.join(group) == 0);
  remote_machine sender, late, stranger;
  sender.make(datagrams);
  late.make(datagrams);
  stranger.make(datagrams);
  BOOST_TEST(late.join(group) == 0);
  BOOST_TEST(stranger.join(other) == 0);
  for (machine* m : {static_cast<machine*>(&early), static_cast<machine*>(&late), static_cast<machine*>(&stranger)}) {
    BOOST_TEST((m->receive(1) == 0 && m->receive(2) == 0));
  }
  sender.write(0, "to a few");
  BOOST_TEST(sender.send(datagram(0xffffff, group)) == 0);
  BOOST_TEST(sender.poll().status == IBV_WC_SUCCESS);
  for (machine* m : {static_cast<machine*>(&early), static_cast<machine*>(&late)}) {
    const ibv_wc received = m->poll(1s);
    BOOST_TEST(received.vendor_err != ~0u);
    BOOST_TEST(received.byte_len == 48u);
    BOOST_TEST(m->read(40, 8) == "to a few");
  }
  BOOST_TEST(stranger.poll(20ms).vendor_err == ~0u);

  BOOST_TEST(early.leave(group) == 0);
  BOOST_TEST(early.leave(group) == EINVAL);
  BOOST_TEST(sender.send(datagram(0xffffff, group)) == 0);
  BOOST_TEST(late.poll(1s).wr_id == 2u);
  BOOST_TEST(early.poll(20ms).vendor_err == ~0u);
}

BOOST_DATA_TEST_CASE(leads_to_a_member_once, both_ways, way) {
  two_machines t(way, {}, datagrams, datagrams);
  const ibv_gid group = group_gid(9);
  BOOST_TEST(t.far.join(group) == 0);
  BOOST_TEST(t.far.join(group) == 0);
  BOOST_TEST((t.far.receive(1) == 0 && t.far.receive(2) == 0));
  BOOST_TEST(t.near.send(datagram(0xffffff, group)) == 0);
  BOOST_TEST(t.far.poll(1s).wr_id == 1u);
  BOOST_TEST(t.far.poll(20ms).vendor_err == ~0u);
}

BOOST_AUTO_TEST_SUITE_END()
