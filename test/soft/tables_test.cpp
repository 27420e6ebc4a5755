// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The small parts: indices, marks, memory of the segment, states, GIDs, counted memory.

#include "soft/address_handle.hpp"
#include "soft/calls.hpp"
#include "soft/gid_table.hpp"
#include "soft/index_pool.hpp"
#include "soft/lent_buffers.hpp"
#include "soft/marks.hpp"
#include "soft/memlock.hpp"
#include "soft/segment.hpp"
#include "soft/transitions.hpp"

#include <arpa/inet.h>
#include <netinet/ip.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace soft = asio_rdma::soft;

BOOST_AUTO_TEST_SUITE(indices)

BOOST_AUTO_TEST_CASE(are_each_given_once) {
  soft::index_pool pool(2, 6);
  std::set<unsigned> taken;
  for (int i = 0; i < 4; ++i) taken.insert(pool.take());
  BOOST_TEST(taken == (std::set<unsigned>{2, 3, 4, 5}), boost::test_tools::per_element());
  BOOST_TEST(pool.take() == 6u);
  pool.give_back(4);
  BOOST_TEST(pool.take() == 4u);
  BOOST_TEST(pool.take() == 6u);
}

BOOST_AUTO_TEST_CASE(are_used_again_as_late_as_possible) {
  soft::index_pool pool(0, 4);
  for (unsigned i = 0; i < 4; ++i) {
    BOOST_TEST(pool.take() == i);
    pool.give_back(i);
  }
  BOOST_TEST(pool.take() == 0u);
}

BOOST_AUTO_TEST_CASE(are_each_given_once_to_threads_too) {
  soft::index_pool pool(0, 8);
  std::atomic<bool> in_use[8]{};
  std::atomic<unsigned> doubled{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        const unsigned index = pool.take();
        if (index == 8) continue;
        if (in_use[index].exchange(true)) ++doubled;
        in_use[index] = false;
        pool.give_back(index);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  BOOST_TEST(doubled == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// A segment of nobody's, with a valid key at index 5.
struct segment_fixture {
  segment_fixture() {
    BOOST_REQUIRE_EQUAL(memory.create(7), 0);
    header().keys[5].key = key;
  }
  soft::segment_header& header() { return memory.header(); }

  static constexpr std::uint32_t key = 5 << 8 | 0x21;
  soft::segment memory;
};

/// Runs f in a thread, which must be waiting when the object is made; it ends when the object does.
class waiter {
public:
  template <class Function>
  explicit waiter(Function f) : thread_([this, f] { f(), ended_ = true; }) {}
  ~waiter() { thread_.join(); }
  bool is_waiting() const {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return !ended_;
  }

private:
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(marks, segment_fixture)

BOOST_AUTO_TEST_CASE(find_valid_keys_only) {
  soft::held_mark m(header(), 3);
  BOOST_TEST((m.add_key(key) == &header().keys[5]));
  BOOST_TEST((m.add_key(key + 1) == nullptr));          // another tag
  BOOST_TEST((m.add_key(6 << 8 | 1) == nullptr));       // nothing there
  BOOST_TEST((m.add_key(0) == nullptr));
  BOOST_TEST((m.add_key(0xffff'ffff) == nullptr));      // outside of the table
}

BOOST_AUTO_TEST_CASE(name_as_many_keys_as_a_request_has_pieces) {
  soft::held_mark m(header(), 3);
  for (unsigned i = 0; i < soft::max_sge; ++i) BOOST_TEST((m.add_key(key) != nullptr));
  BOOST_TEST((m.add_key(key) == nullptr));
}

BOOST_AUTO_TEST_CASE(hold_up_who_waits_for_the_key) {
  auto m = std::make_unique<soft::held_mark>(header(), 3);
  (void)m->add_key(key);
  soft::wait_for_key(header(), key + 1);  // of another key: at once
  const waiter w([this] { soft::wait_for_key(header(), key); });
  BOOST_TEST(w.is_waiting());
  m.reset();
}

BOOST_AUTO_TEST_CASE(hold_up_who_waits_for_the_queue_pair) {
  soft::held_mark m(header(), 3);
  m.set_qp(77);
  soft::wait_for_qp(header(), 78);
  const waiter w([this] { soft::wait_for_qp(header(), 77); });
  BOOST_TEST(w.is_waiting());
  m.release();
}

BOOST_AUTO_TEST_CASE(of_the_dead_are_wiped_and_no_others) {
  soft::held_mark dead(header(), 3), alive(header(), 4);
  dead.set_qp(77);
  (void)dead.add_key(key);
  alive.set_qp(78);
  soft::wipe_marks(header(), 3);
  soft::wait_for_qp(header(), 77);
  soft::wait_for_key(header(), key);
  const waiter w([this] { soft::wait_for_qp(header(), 78); });
  BOOST_TEST(w.is_waiting());
  alive.release();
}

BOOST_AUTO_TEST_CASE(are_enough_for_many_threads) {
  std::vector<std::unique_ptr<soft::held_mark>> all;
  for (unsigned i = 0; i < soft::max_marks; ++i) all.push_back(std::make_unique<soft::held_mark>(header(), 3));
  const waiter w([this] { soft::held_mark one_more(header(), 4); });
  BOOST_TEST(w.is_waiting());
  all.pop_back();
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(memory_of_the_segment)

BOOST_AUTO_TEST_CASE(is_mapped_by_others_if_it_is_one) {
  soft::segment own, mapped, other;
  BOOST_TEST(own.create(9) == 0);
  BOOST_TEST(mapped.map(own.fd()) == 0);
  BOOST_TEST(mapped.header().slot == 9u);
  BOOST_TEST(mapped.header().instance == own.header().instance);
  BOOST_TEST(::ftruncate(own.fd(), 4096) == -1);  // nobody can pull it away under the others

  const int unsealed = ::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  BOOST_TEST(::ftruncate(unsealed, soft::segment_bytes) == 0);
  BOOST_TEST(other.map(unsealed) == EPROTO);
  BOOST_TEST(other.map(STDIN_FILENO) == EPROTO);
  ::close(unsealed);
}

BOOST_AUTO_TEST_CASE(is_given_out_aligned_and_without_overlap) {
  soft::segment memory;
  BOOST_REQUIRE_EQUAL(memory.create(0), 0);
  soft::segment_heap heap;
  heap.open(memory);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;
  for (const std::size_t size : {1u, 64u, 65u, 5000u, 1u << 20, 3u}) {
    const std::uint64_t at = heap.allocate(size);
    BOOST_TEST(at % 64 == 0u);
    BOOST_TEST(at >= sizeof(soft::segment_header));
    for (const auto& p : pieces) BOOST_TEST((at >= p.first + p.second || p.first >= at + size));
    pieces.emplace_back(at, size);
  }
}

BOOST_AUTO_TEST_CASE(is_used_again_after_it_was_freed) {
  soft::segment memory;
  BOOST_REQUIRE_EQUAL(memory.create(0), 0);
  soft::segment_heap heap;
  heap.open(memory);
  // More in all than there is.
  for (unsigned i = 0; i < 100; ++i) {
    const std::uint64_t at = heap.allocate(soft::max_message);
    BOOST_REQUIRE(at != 0);
    heap.free(at, soft::max_message);
  }
  std::vector<std::uint64_t> all;
  while (const std::uint64_t at = heap.allocate(soft::max_message)) all.push_back(at);
  BOOST_TEST(all.size() >= soft::segment_bytes / soft::max_message - 3);
  heap.free(all.back(), soft::max_message);
  BOOST_TEST(heap.allocate(soft::max_message) == all.back());
  heap.free(0, 64);  // what could not be had is not given back either
  BOOST_TEST(heap.allocate(soft::max_message) == 0u);
}

BOOST_AUTO_TEST_CASE(that_is_lent_comes_back_once) {
  soft::segment memory;
  BOOST_REQUIRE_EQUAL(memory.create(0), 0);
  soft::segment_heap heap;
  heap.open(memory);
  soft::lent_buffers lent(heap);
  const std::uint64_t first = lent.lend(1, 100), second = lent.lend(2, 100);
  lent.take_back(2, first);  // not its own
  BOOST_TEST(heap.allocate(100) != first);
  lent.take_back(1, first);
  lent.take_back(1, first);
  BOOST_TEST(heap.allocate(100) == first);
  BOOST_TEST(heap.allocate(100) != first);
  lent.take_back_all(1);
  lent.take_back_all(2);
  BOOST_TEST(heap.allocate(100) == second);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(transitions)

namespace {

constexpr int rc_init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
constexpr int rc_rtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                       IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
constexpr int rc_rts = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                       IBV_QP_MAX_QP_RD_ATOMIC;
constexpr ibv_qp_state all_states[] = {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS,
                                       IBV_QPS_SQD,   IBV_QPS_SQE,  IBV_QPS_ERR};

struct step {
  ibv_qp_state from, to;
  int mask;
};

}  // namespace

BOOST_AUTO_TEST_CASE(of_a_reliable_queue_pair_need_each_of_their_attributes) {
  for (const step& s : {step{IBV_QPS_RESET, IBV_QPS_INIT, rc_init}, step{IBV_QPS_INIT, IBV_QPS_RTR, rc_rtr},
                        step{IBV_QPS_RTR, IBV_QPS_RTS, rc_rts}}) {
    BOOST_TEST(soft::is_transition(IBV_QPT_RC, s.from, s.to, s.mask));
    for (int bit = 1; bit <= IBV_QP_DEST_QPN; bit *= 2) {
      if (bit == IBV_QP_STATE || (s.mask & bit) == 0) continue;
      BOOST_TEST(!soft::is_transition(IBV_QPT_RC, s.from, s.to, s.mask & ~bit), "without " << bit);
    }
    BOOST_TEST(!soft::is_transition(IBV_QPT_RC, s.from, s.to, s.mask | IBV_QP_QKEY));
  }
}

BOOST_AUTO_TEST_CASE(of_a_datagram_queue_pair_need_their_own) {
  constexpr int init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;
  BOOST_TEST(soft::is_transition(IBV_QPT_UD, IBV_QPS_RESET, IBV_QPS_INIT, init));
  BOOST_TEST(!soft::is_transition(IBV_QPT_UD, IBV_QPS_RESET, IBV_QPS_INIT, rc_init));
  BOOST_TEST(soft::is_transition(IBV_QPT_UD, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QP_STATE));
  BOOST_TEST(soft::is_transition(IBV_QPT_UD, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_STATE | IBV_QP_SQ_PSN));
  BOOST_TEST(!soft::is_transition(IBV_QPT_UD, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_STATE));
  BOOST_TEST(soft::is_transition(IBV_QPT_UD, IBV_QPS_SQE, IBV_QPS_RTS, IBV_QP_STATE));
}

BOOST_AUTO_TEST_CASE(to_reset_and_error_are_always_possible) {
  for (const ibv_qp_type type : {IBV_QPT_RC, IBV_QPT_UD}) {
    for (const ibv_qp_state from : all_states) {
      BOOST_TEST(soft::is_transition(type, from, IBV_QPS_RESET, IBV_QP_STATE));
      BOOST_TEST(soft::is_transition(type, from, IBV_QPS_ERR, IBV_QP_STATE));
      BOOST_TEST(!soft::is_transition(type, from, IBV_QPS_ERR, IBV_QP_STATE | IBV_QP_TIMEOUT));
    }
  }
}

BOOST_AUTO_TEST_CASE(skip_no_state) {
  constexpr int everything = IBV_QP_STATE | rc_init | rc_rtr | rc_rts;
  for (const ibv_qp_type type : {IBV_QPT_RC, IBV_QPT_UD}) {
    for (const auto& [from, to] : {std::pair{IBV_QPS_RESET, IBV_QPS_RTR}, std::pair{IBV_QPS_RESET, IBV_QPS_RTS},
                                   std::pair{IBV_QPS_INIT, IBV_QPS_RTS}, std::pair{IBV_QPS_RTS, IBV_QPS_RTR},
                                   std::pair{IBV_QPS_RTR, IBV_QPS_INIT}, std::pair{IBV_QPS_ERR, IBV_QPS_RTS},
                                   std::pair{IBV_QPS_ERR, IBV_QPS_INIT}, std::pair{IBV_QPS_INIT, IBV_QPS_SQD}}) {
      for (const int mask : {everything, int{IBV_QP_STATE}, rc_init, rc_rtr, rc_rts}) {
        BOOST_TEST(!soft::is_transition(type, from, to, mask), from << " to " << to);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

ibv_gid gid_of(const char* text) {
  ibv_gid result{};
  in_addr v4{};
  if (::inet_pton(AF_INET, text, &v4) == 1) return soft::mapped_v4(v4.s_addr);
  BOOST_REQUIRE_EQUAL(::inet_pton(AF_INET6, text, result.raw), 1);
  return result;
}

bool is_same(const ibv_gid& a, const ibv_gid& b) { return std::memcmp(a.raw, b.raw, sizeof a.raw) == 0; }

}  // namespace

BOOST_AUTO_TEST_SUITE(gids)

BOOST_AUTO_TEST_CASE(are_the_addresses_of_this_host_in_a_lasting_order) {
  const std::vector<soft::gid_row> table = soft::gid_table();
  BOOST_REQUIRE(!table.empty());
  BOOST_TEST(soft::is_mapped_v4(table.front().gid));
  for (std::size_t i = 0; i < table.size(); ++i) {
    BOOST_TEST(soft::index_of_gid(table[i].gid) == static_cast<int>(i));
    BOOST_TEST(is_same(soft::gid_at(static_cast<int>(i)).value(), table[i].gid));
    BOOST_TEST(soft::is_own_address(table[i].gid));
    BOOST_TEST(!soft::is_multicast(table[i].gid));
  }
  BOOST_TEST(!soft::gid_at(-1).has_value());
  BOOST_TEST(!soft::gid_at(static_cast<int>(table.size())).has_value());
  BOOST_TEST(soft::index_of_gid(gid_of("203.0.113.7")) == -1);
}

BOOST_AUTO_TEST_CASE(of_groups_and_of_others_are_told_apart) {
  for (const char* group : {"224.0.0.1", "239.255.1.2", "ff02::1"}) BOOST_TEST(soft::is_multicast(gid_of(group)));
  for (const char* one : {"223.255.255.255", "240.0.0.1", "fe80::1"}) BOOST_TEST(!soft::is_multicast(gid_of(one)));
  BOOST_TEST(soft::is_own_address(gid_of("127.9.9.9")));
  BOOST_TEST(!soft::is_own_address(gid_of("203.0.113.7")));
}

BOOST_AUTO_TEST_CASE(go_there_and_back_in_the_header_of_a_datagram) {
  for (const auto& [from, to] : {std::pair{"127.0.0.1", "127.0.0.2"}, std::pair{"::1", "::1"},
                                 std::pair{"127.0.0.1", "239.1.2.3"}, std::pair{"::1", "ff0e::5"}}) {
    if (soft::index_of_gid(gid_of(from)) < 0) continue;  // a host without IPv6
    ibv_grh grh{};
    soft::fill_grh(gid_of(from), gid_of(to), 1000, 0x20, 7, grh);
    ibv_wc wc{};
    ibv_ah_attr back{};
    BOOST_TEST(soft::init_ah_from_wc(nullptr, 1, &wc, &grh, &back) == EINVAL);  // the completion says: no header
    wc.wc_flags = IBV_WC_GRH;
    BOOST_TEST(soft::init_ah_from_wc(nullptr, 2, &wc, &grh, &back) == EINVAL);
    BOOST_TEST(soft::init_ah_from_wc(nullptr, 1, &wc, &grh, &back) == 0);
    BOOST_TEST(is_same(back.grh.dgid, gid_of(from)));
    BOOST_TEST(int{back.is_global} == 1);
    BOOST_TEST(int{back.port_num} == 1);
    const ibv_gid source = soft::gid_at(back.grh.sgid_index).value();
    if (soft::index_of_gid(gid_of(to)) >= 0) BOOST_TEST(is_same(source, gid_of(to)));
    BOOST_TEST(soft::is_mapped_v4(source) == soft::is_mapped_v4(gid_of(from)));
  }
}

BOOST_AUTO_TEST_CASE(are_in_an_ipv4_header_where_they_are_of_ipv4) {
  ibv_grh grh{};
  soft::fill_grh(gid_of("127.0.0.1"), gid_of("127.0.0.2"), 1000, 0x20, 7, grh);
  iphdr h{};
  std::memcpy(&h, reinterpret_cast<const unsigned char*>(&grh) + 20, sizeof h);
  BOOST_TEST(unsigned{h.version} == 4u);
  BOOST_TEST(unsigned{h.ihl} == 5u);
  BOOST_TEST(int{h.tos} == 0x20);
  BOOST_TEST(int{h.ttl} == 7);
  BOOST_TEST(ntohs(h.tot_len) == 20 + 8 + 12 + 8 + 1000 + 4);  // IP, UDP, BTH, DETH, the bytes, ICRC
  BOOST_TEST(h.saddr == htonl(INADDR_LOOPBACK));
  h.saddr ^= 1;  // whose checksum is wrong is no header
  std::memcpy(reinterpret_cast<unsigned char*>(&grh) + 20, &h, sizeof h);
  ibv_wc wc{};
  wc.wc_flags = IBV_WC_GRH;
  ibv_ah_attr back{};
  BOOST_TEST(soft::init_ah_from_wc(nullptr, 1, &wc, &grh, &back) == EINVAL);
}

BOOST_AUTO_TEST_CASE(are_in_an_ipv6_header_otherwise) {
  ibv_grh grh{};
  soft::fill_grh(gid_of("::1"), gid_of("fe80::2"), 1000, 0x20, 7, grh);
  BOOST_TEST(ntohl(grh.version_tclass_flow) == (6u << 28 | 0x20u << 20));
  BOOST_TEST(ntohs(grh.paylen) == 8 + 12 + 8 + 1000 + 4);
  BOOST_TEST(int{grh.hop_limit} == 7);
  BOOST_TEST(is_same(grh.sgid, gid_of("::1")));
  BOOST_TEST(is_same(grh.dgid, gid_of("fe80::2")));
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

constexpr std::size_t page = 4096;

/// Counting is on, with room for four pages.
struct counted {
  counted() {
    if (const char* const value = ::getenv("ASIO_RDMA_SOFT_MEMLOCK")) before_ = value;
    ::setenv("ASIO_RDMA_SOFT_MEMLOCK", "1", 1);
    ::getrlimit(RLIMIT_MEMLOCK, &limit_);
    rlimit small = limit_;
    small.rlim_cur = 4 * page;
    BOOST_REQUIRE_EQUAL(::setrlimit(RLIMIT_MEMLOCK, &small), 0);
  }
  ~counted() {
    ::setrlimit(RLIMIT_MEMLOCK, &limit_);
    ::unsetenv("ASIO_RDMA_SOFT_MEMLOCK");
    if (!before_.empty()) ::setenv("ASIO_RDMA_SOFT_MEMLOCK", before_.c_str(), 1);
  }

  char* const memory = reinterpret_cast<char*>(0x10000);  // never touched

private:
  rlimit limit_{};
  std::string before_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(counted_memory, counted)

BOOST_AUTO_TEST_CASE(is_whole_pages) {
  for (const auto& [offset, length, pages] :
       {std::tuple{0u, 1u, 1u}, std::tuple{0u, 4096u, 1u}, std::tuple{4095u, 2u, 2u}, std::tuple{100u, 0u, 0u}}) {
    const std::size_t bytes = soft::memlock::charge(memory + offset, length);
    BOOST_TEST(bytes == pages * page);
    soft::memlock::discharge(bytes);
  }
}

BOOST_AUTO_TEST_CASE(is_refused_beyond_the_limit) {
  namespace memlock = soft::memlock;
  BOOST_TEST(memlock::charge(memory, 5 * page) == memlock::refused);
  const std::size_t first = memlock::charge(memory, 3 * page);
  BOOST_TEST(first == 3 * page);
  BOOST_TEST(memlock::charge(memory, 2 * page) == memlock::refused);
  const std::size_t second = memlock::charge(memory, page);
  BOOST_TEST(second == page);
  memlock::discharge(first);
  BOOST_TEST(memlock::charge(memory, 3 * page) == 3 * page);
  memlock::discharge(4 * page);
}

BOOST_AUTO_TEST_CASE(is_not_counted_unless_it_is_asked_for) {
  ::setenv("ASIO_RDMA_SOFT_MEMLOCK", "0", 1);
  BOOST_TEST(soft::memlock::charge(memory, 100 * page) == 0u);
  ::unsetenv("ASIO_RDMA_SOFT_MEMLOCK");
  BOOST_TEST(soft::memlock::charge(memory, 100 * page) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
