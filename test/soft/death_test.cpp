// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Processes are killed at random moments under load. Whoever survives learns of it within a second, whatever the dead
// one was about, gets each of its requests back once, keeps nothing of it, and goes on with the next.
// ASIO_RDMA_TEST_KILLS says how often in each case; the normal number suits a suite that is run every day.

#include "machine.hpp"

#include "soft/device.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <thread>

using namespace soft_test;
using namespace std::chrono_literals;
namespace data = boost::unit_test::data;
namespace soft = asio_rdma::soft;

namespace {

using clock = std::chrono::steady_clock;

const auto both_ways = data::make({"direct", "shared"});
const asio_rdma::verbs::api& table = asio_rdma::verbs::software_device();

unsigned kills() {
  const char* const value = ::getenv("ASIO_RDMA_TEST_KILLS");
  return value ? static_cast<unsigned>(std::stoul(value)) : 25;
}

/// What this process has, so that what stays behind shows.
struct holdings {
  std::size_t descriptors = 0, segments = 0;
  unsigned queue_pairs = 0, queues = 0, shared_queues = 0, keys = 0, marks = 0, atomics = 0;

  static holdings now() {
    holdings h;
    soft::device& d = *soft::device::instance();  // its own come first
    DIR* const folder = ::opendir("/proc/self/fd");
    while (::readdir(folder) != nullptr) ++h.descriptors;
    ::closedir(folder);
    std::ifstream maps("/proc/self/maps");
    for (std::string text; std::getline(maps, text);) h.segments += text.find("asio_rdma_soft0") != text.npos ? 1 : 0;
    h.queue_pairs = d.qp_indices().count();
    h.queues = d.cq_indices().count();
    h.shared_queues = d.srq_indices().count();
    h.keys = d.key_indices().count();
    for (const soft::mark& m : d.memory().header().marks) h.marks += m.owner.load() != 0 ? 1 : 0;
    for (const auto& a : d.memory().header().atomics) h.atomics += a.load() != 0 ? 1 : 0;
    return h;
  }
  bool is_within(const holdings& x) const {
    return descriptors <= x.descriptors && segments <= x.segments && queue_pairs <= x.queue_pairs &&
           queues <= x.queues && shared_queues <= x.shared_queues && keys <= x.keys && marks <= x.marks &&
           atomics <= x.atomics;
  }
  friend std::ostream& operator<<(std::ostream& out, const holdings& h) {
    return out << h.descriptors << " descriptors, " << h.segments << " segments, " << h.queue_pairs
               << " queue pairs, " << h.queues << " queues, " << h.shared_queues << " shared queues, " << h.keys
               << " keys, " << h.marks << " marks, " << h.atomics << " atomics";
  }
};

/// The helper thread lets go of things soon after, and so does who serves what came late. Other programs on soft0, such
/// as tests that run at the same time, may make themselves known here and go again.
void expect_no_more_than(
    const holdings& before, const std::function<void()>& serve = [] { std::this_thread::sleep_for(10ms); }) {
  holdings now = holdings::now();
  for (int i = 0; !now.is_within(before) && i < 1000; ++i) {
    serve();
    now = holdings::now();
  }
  BOOST_TEST(now.is_within(before), now << ", where there were " << before);
}

struct introduction {
  std::uint32_t number;
  key at;
};

/// One end of two that send each other all kinds of requests.
class load {
public:
  load(machine& m, const key& there, unsigned seed) : m_(m), there_(there), random_(seed) {}

  /// A few posts, and what has completed. False once something has failed.
  bool step() {
    while (receives_ < depth && m_.receive(++last_id_, 0, 1 << 16) == 0) {
      outstanding_[last_id_] = true;
      ++receives_;
    }
    if (sends_ < depth) post();
    drain();
    return is_well_;
  }
  void drain() {
    for (;;) {
      const ibv_wc c = m_.poll(0ms);
      if (c.vendor_err == ~0u) return;
      const auto found = outstanding_.find(c.wr_id);
      if (found == outstanding_.end()) {
        ++strange_;
        continue;
      }
      --(found->second ? receives_ : sends_);
      outstanding_.erase(found);
      if (c.status != IBV_WC_SUCCESS && is_well_) {
        is_well_ = false;
        first_error_ = c.status;
      }
    }
  }
  std::size_t outstanding() const { return outstanding_.size(); }
  unsigned receives() const { return receives_; }
  unsigned strange() const { return strange_; }
  ibv_wc_status first_error() const { return first_error_; }

private:
  static constexpr unsigned depth = 8;

  void post() {
    request r;
    r.id = ++last_id_;
    r.address = there_.address;
    r.rkey = there_.rkey;
    const unsigned size = 1u << random_() % 17;
    switch (random_() % 6) {
      case 0:
      case 1:
        r.length = size;
        break;
      case 2:
        r.opcode = IBV_WR_RDMA_WRITE;
        r.length = size;
        break;
      case 3:
        r.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
        r.length = size;
        break;
      case 4:
        r.opcode = IBV_WR_RDMA_READ;
        r.length = size;
        break;
      default:
        r.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
    }
    if (m_.send(r) != 0) return;
    outstanding_[r.id] = false;
    ++sends_;
  }

  machine& m_;
  const key there_;
  std::minstd_rand random_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, bool> outstanding_;  // whether it is a receive
  unsigned receives_ = 0, sends_ = 0, strange_ = 0;
  bool is_well_ = true;
  ibv_wc_status first_error_ = IBV_WC_SUCCESS;
};

/// What waits in the shared queues of this process.
std::uint64_t shared_receives() {
  soft::device& d = *soft::device::instance();
  std::uint64_t sum = 0;
  for (soft::receive_queue_entry& entry : d.memory().header().srqs) {
    if (entry.live.load() != 0) {
      soft::ticket_ring(entry.ring, d.memory().base()).for_each_ready([&](std::uint64_t) { ++sum; });
    }
  }
  return sum;
}

terms quick() {
  terms t;
  t.timeout = 12;  // 17 ms
  return t;
}

setup deep(bool is_shared) {
  setup s;
  s.is_shared = is_shared;
  return s;
}

const register_scenario loaded("load", [](const line& parent, const std::vector<std::string>& a) {
  const auto m = make_local();
  const std::uint32_t number = m->make(deep(false));
  parent.send(introduction{number, m->add_key()});
  const auto other = parent.receive<introduction>();
  m->connect(other.number, quick());
  load l(*m, other.at, static_cast<unsigned>(std::stoul(a.at(0))));
  parent.send('r');
  (void)parent.receive<char>();
  while (l.step()) {
  }
  return 1;  // it should have been killed
});

void kill_one_under_load(unsigned seed, bool is_shared) {
  std::mt19937 random(seed);
  child other("load", {std::to_string(seed + 1)});
  const auto m = make_local();
  const introduction mine{m->make(deep(is_shared)), m->add_key()};
  other.to().send(mine);
  const auto theirs = other.to().receive<introduction>();
  BOOST_REQUIRE_EQUAL(m->connect(theirs.number, quick()), 0);
  (void)other.to().receive<char>();
  other.to().send('g');
  load l(*m, theirs.at, seed);
  const auto killing = clock::now() + std::chrono::microseconds(random() % 15'000);
  while (clock::now() < killing) BOOST_REQUIRE(l.step());
  other.kill(SIGKILL);
  const auto killed = clock::now();
  // Longer than allowed, so that a failure says how long it took.
  while (l.step() && clock::now() - killed < 20s) {
  }
  const auto told = clock::now();
  BOOST_TEST(l.first_error() == IBV_WC_RETRY_EXC_ERR);
  if (is_shared) {
    BOOST_TEST(m->async_event(1s) == IBV_EVENT_QP_LAST_WQE_REACHED);
    // Nothing that was not used up has gone from the shared queue.
    l.drain();
    for (int i = 0; shared_receives() != l.receives() && i < 1000; ++i) std::this_thread::sleep_for(1ms);
    BOOST_TEST(shared_receives() == l.receives());
  } else {
    while (l.outstanding() != 0 && clock::now() - killed < 20s) l.drain();
    BOOST_TEST(l.outstanding() == 0u);
  }
  BOOST_TEST(l.strange() == 0u);
  BOOST_TEST(std::chrono::duration<double>(told - killed).count() < 1.0);
  BOOST_TEST(std::chrono::duration<double>(clock::now() - killed).count() < 1.0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(death)

BOOST_DATA_TEST_CASE(under_load_gives_the_survivor_all_it_had_posted, both_ways, way) {
  const copying copy(way);
  kill_one_under_load(1, false);  // what is made once is there now
  const holdings before = holdings::now();
  const std::uint64_t end = soft::device::instance()->heap().end();
  for (unsigned i = 0; i < kills(); ++i) {
    BOOST_TEST_CONTEXT("kill " << i) kill_one_under_load(100 + 2 * i, false);
  }
  expect_no_more_than(before);
  // Buffers of other sizes may have been lent, but not more for each kill.
  BOOST_TEST(soft::device::instance()->heap().end() - end < 32u << 20);
}

BOOST_DATA_TEST_CASE(under_load_leaves_a_shared_queue_to_the_others, both_ways, way) {
  const copying copy(way);
  kill_one_under_load(1, true);
  const holdings before = holdings::now();
  for (unsigned i = 0; i < kills() / 2; ++i) {
    BOOST_TEST_CONTEXT("kill " << i) kill_one_under_load(100 + 2 * i, true);
  }
  expect_no_more_than(before);
}

/// Of a process that sleeps, the others have a descriptor of its channel to wake it.
BOOST_DATA_TEST_CASE(closes_descriptors_by_which_it_was_woken, both_ways, way) {
  const holdings before = holdings::now();
  for (int i = 0; i < 3; ++i) {
    two_machines t(way);
    BOOST_TEST((t.far.receive(1) == 0 && t.far.arm(false) == 0 && t.near.send({}) == 0));
    BOOST_TEST(t.far.has_event(5s));
    t.far.process.kill(SIGKILL);
    (void)t.far.process.wait();
  }
  expect_no_more_than(before);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  result.sin_port = htons(port);
  return result;
}

struct event {
  rdma_cm_event_type type = RDMA_CM_EVENT_TIMEWAIT_EXIT;  // stands for none
  rdma_cm_id* id = nullptr;
};

/// An event channel and what its ids' queue pairs are made of.
class manager {
public:
  manager() : channel_(table.cm_create_event_channel()) {}
  ~manager() {
    for (rdma_cm_id* id : ids_) drop_queues(id);
    if (cq_) table.destroy_cq(cq_);
    if (pd_) table.dealloc_pd(pd_);
    table.cm_destroy_event_channel(channel_);
  }

  rdma_cm_id* make_id() {
    rdma_cm_id* id = nullptr;
    if (table.cm_create_id(channel_, &id, nullptr, RDMA_PS_TCP) != 0) throw std::runtime_error("rdma_create_id");
    ids_.insert(id);
    return id;
  }
  event next(std::chrono::milliseconds time) {
    pollfd p{channel_->fd, POLLIN, 0};
    rdma_cm_event* e = nullptr;
    if (::poll(&p, 1, static_cast<int>(time.count())) != 1 || table.cm_get_event(channel_, &e) != 0) return {};
    const event result{e->event, e->id};
    if (e->event == RDMA_CM_EVENT_CONNECT_REQUEST) ids_.insert(e->id);
    table.cm_ack_event(e);
    return result;
  }
  bool make_queues(rdma_cm_id* id) {
    if (!pd_) pd_ = table.alloc_pd(id->verbs);
    if (!cq_) cq_ = table.create_cq(id->verbs, 64, nullptr, nullptr, 0);
    ibv_qp_init_attr a{};
    a.send_cq = a.recv_cq = cq_;
    a.qp_type = IBV_QPT_RC;
    a.cap = {4, 4, 1, 1, 0};
    return table.cm_create_qp(id, pd_, &a) == 0;
  }
  bool has_queues() const { return cq_ != nullptr; }
  void destroy(rdma_cm_id* id) {
    drop_queues(id);
    ids_.erase(id);
  }

private:
  static void drop_queues(rdma_cm_id* id) {
    if (id->qp) table.cm_destroy_qp(id);
    table.cm_destroy_id(id);
  }

  rdma_event_channel* channel_;
  ibv_pd* pd_ = nullptr;
  ibv_cq* cq_ = nullptr;
  std::set<rdma_cm_id*> ids_;
};

rdma_conn_param parameters() {
  rdma_conn_param p{};
  p.responder_resources = p.initiator_depth = 1;
  p.retry_count = p.rnr_retry_count = 7;
  return p;
}

/// Accepts whatever comes, and keeps what was accepted until its end is told.
class server {
public:
  server() : listener_(manager_.make_id()) {
    sockaddr_in a = loopback(0);
    if (table.cm_bind_addr(listener_, reinterpret_cast<sockaddr*>(&a)) != 0 || table.cm_listen(listener_, 64) != 0) {
      throw std::runtime_error("rdma_listen");
    }
  }
  std::uint16_t port() const { return ntohs(table.cm_get_src_port(listener_)); }
  void step(std::chrono::milliseconds time) {
    const event e = manager_.next(time);
    switch (e.type) {
      case RDMA_CM_EVENT_TIMEWAIT_EXIT:
      case RDMA_CM_EVENT_ESTABLISHED:
        return;
      case RDMA_CM_EVENT_CONNECT_REQUEST: {
        rdma_conn_param p = parameters();
        if (manager_.make_queues(e.id) && table.cm_accept(e.id, &p) == 0) open_.insert(e.id);
        else manager_.destroy(e.id);
        return;
      }
      default:
        open_.erase(e.id);
        manager_.destroy(e.id);
    }
  }
  std::size_t open() const { return open_.size(); }
  bool has_served() const { return manager_.has_queues(); }

private:
  manager manager_;
  rdma_cm_id* listener_;
  std::set<rdma_cm_id*> open_;
};

/// Connects, disconnects and connects again.
class client {
public:
  explicit client(std::uint16_t port) : to_(loopback(port)) {}
  /// One event of the connection that it is about. False once that has ended otherwise than by its own wish.
  bool step(std::chrono::milliseconds time) {
    if (!id_) {
      id_ = manager_.make_id();
      if (table.cm_resolve_addr(id_, nullptr, reinterpret_cast<sockaddr*>(&to_), 1000) != 0) return end();
    }
    switch (manager_.next(time).type) {
      case RDMA_CM_EVENT_TIMEWAIT_EXIT:
        return true;
      case RDMA_CM_EVENT_ADDR_RESOLVED:
        return table.cm_resolve_route(id_, 1000) == 0 || end();
      case RDMA_CM_EVENT_ROUTE_RESOLVED: {
        rdma_conn_param p = parameters();
        return (manager_.make_queues(id_) && table.cm_connect(id_, &p) == 0) || end();
      }
      case RDMA_CM_EVENT_ESTABLISHED:
        // Half of the connections stay until the other side ends.
        if (++connections_ % 4 == 0) return true;
        end();
        return true;
      default:
        return end();
    }
  }

private:
  bool end() {
    manager_.destroy(id_);
    id_ = nullptr;
    return false;
  }

  sockaddr_in to_;
  manager manager_;
  rdma_cm_id* id_ = nullptr;
  unsigned connections_ = 0;
};

const register_scenario serving("serve", [](const line& parent, const std::vector<std::string>&) {
  server s;
  parent.send(s.port());
  for (;;) s.step(1000ms);
  return 0;
});

const register_scenario connecting("connect", [](const line& parent, const std::vector<std::string>& a) {
  client c(static_cast<std::uint16_t>(std::stoul(a.at(0))));
  parent.send('r');
  while (c.step(1000ms)) {
  }
  return 0;
});

void kill_a_server(unsigned seed) {
  std::mt19937 random(seed);
  child other("serve");
  client c(other.to().receive<std::uint16_t>());
  const auto killing = clock::now() + std::chrono::microseconds(random() % 10'000);
  while (clock::now() < killing) BOOST_REQUIRE(c.step(0ms));
  other.kill(SIGKILL);
  const auto killed = clock::now();
  bool is_open = true;
  while (is_open && clock::now() - killed < 1s) is_open = c.step(10ms);
  BOOST_TEST(!is_open);
}

void kill_a_client(server& s, unsigned seed) {
  std::mt19937 random(seed);
  child other("connect", {std::to_string(s.port())});
  (void)other.to().receive<char>();
  const auto killing = clock::now() + std::chrono::microseconds(random() % 10'000);
  while (clock::now() < killing) s.step(0ms);
  other.kill(SIGKILL);
  const auto killed = clock::now();
  s.step(5ms);
  while (s.open() != 0 && clock::now() - killed < 1s) s.step(10ms);
  BOOST_TEST(s.open() == 0u);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(death_while_connecting)

BOOST_AUTO_TEST_CASE(of_the_server_is_told_within_a_second) {
  kill_a_server(1);
  std::this_thread::sleep_for(200ms);  // what is still under way of it
  const holdings before = holdings::now();
  for (unsigned i = 0; i < kills(); ++i) {
    BOOST_TEST_CONTEXT("kill " << i) kill_a_server(100 + i);
  }
  expect_no_more_than(before);
}

BOOST_AUTO_TEST_CASE(of_the_client_is_told_within_a_second) {
  server s;
  for (unsigned i = 0; !s.has_served(); ++i) kill_a_client(s, i);
  for (int i = 0; i < 200; ++i) s.step(1ms);  // what is still under way of the last one
  const holdings before = holdings::now();
  for (unsigned i = 0; i < kills(); ++i) {
    BOOST_TEST_CONTEXT("kill " << i) kill_a_client(s, 100 + i);
  }
  // A request of the last client that nobody has taken yet holds its process.
  expect_no_more_than(before, [&s] { s.step(10ms); });
}

BOOST_AUTO_TEST_SUITE_END()
