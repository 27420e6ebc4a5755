// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Peers that say nothing any more, and the time before a wait sleeps.

#include "core_socket.hpp"
#include "io/spinner.hpp"
#include "raw_peer.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

using namespace cm_test;
using core::option;
using std::chrono::steady_clock;

namespace {

/// What a socket that nobody touches comes to, within half a minute.
core::error fate_of(const core::socket& s) {
  const auto give_up = steady_clock::now() + std::chrono::seconds(30);
  core::failure f;
  while (!f.code && steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    s.last_failure(f);
  }
  return f.code;
}

/// A connection of ours to a peer that vanishes without a word.
struct forsaken {
  explicit forsaken(int keepalive) {
    (void)l.socket.set_option(option::keepalive, keepalive);
    (void)l.socket.set_option(option::ack_timeout, 14);  // 7 times 67 ms
    const verbs::cm_event event = peer.connect(l.port, {});
    BOOST_REQUIRE_EQUAL(event.type, RDMA_CM_EVENT_ESTABLISHED);
    victim = l.accept();
  }
  core::error outcome() {
    std::string text;
    return read_some(victim, text);
  }

  listening l;
  raw_peer peer;
  core::socket victim;
};

struct pair {
  pair() {
    BOOST_REQUIRE_EQUAL(connect(client, device_address(l.port)), core::error());
    server = l.accept();
  }
  /// So that there was traffic.
  void exchange() {
    std::string text;
    BOOST_TEST(write_all(client, "x") == core::error());
    BOOST_TEST(read_some(server, text) == core::error());
    BOOST_TEST(text == "x");
  }

  listening l;
  core::socket client = open_socket();
  core::socket server;
};

/// How long it takes to get ready to sleep.
steady_clock::duration time_to_prepare(core::socket& s) {
  const auto start = steady_clock::now();
  const int fd = s.prepare_wait();
  const auto result = steady_clock::now() - start;
  BOOST_TEST(fd >= 0);
  s.end_wait();
  return result;
}

/// Writes one byte a moment after it was told to.
class late_writer {
public:
  explicit late_writer(core::socket& s) : thread_([this, &s] {
    while (!go_) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    (void)write_all(s, "y");
  }) {}
  ~late_writer() { thread_.join(); }
  void go() { go_ = true; }

private:
  std::atomic<bool> go_{false};
  std::thread thread_;
};

long sleeps_of_this_thread() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

constexpr int tries = 40;

/// How often a read did not have to sleep for a byte that came soon.
int reads_without_a_sleep(pair& p) {
  int result = 0;
  for (int i = 0; i < tries; ++i) {
    p.exchange();
    std::string text;
    {
      late_writer writer(p.client);
      const long before = sleeps_of_this_thread();
      writer.go();
      BOOST_TEST(read_some(p.server, text) == core::error());
      result += sleeps_of_this_thread() == before ? 1 : 0;
    }
  }
  return result;
}

/// How often a byte came before the descriptor had to be waited for.
int waits_without_a_descriptor(pair& p) {
  int result = 0;
  for (int i = 0; i < tries; ++i) {
    p.exchange();
    std::string text;
    {
      late_writer writer(p.client);
      writer.go();
      result += p.server.prepare_wait() < 0 ? 1 : 0;
      p.server.end_wait();
    }
    BOOST_TEST(read_some(p.server, text) == core::error());
  }
  return result;
}

constexpr int longest_spin = 10000;  // microseconds

/// Whether spinning makes a count clearly larger. A busy machine keeps the spinning thread from its processor, and so
/// spoils a round, but not ten.
bool spinning_adds_to(int (*count)(pair& p)) {
  pair p;
  for (int round = 0; round < 10; ++round) {
    BOOST_TEST(p.server.set_option(option::busy_poll, 0) == core::error());
    const int without = count(p);
    BOOST_TEST(p.server.set_option(option::busy_poll, longest_spin) == core::error());
    if (count(p) >= without + tries / 4) return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(keepalive)

BOOST_AUTO_TEST_CASE(finds_a_dead_peer_while_nobody_does_anything) {
  forsaken f(1);
  f.peer.vanish();
  BOOST_TEST(fate_of(f.victim) == core::error(ETIMEDOUT));
  BOOST_TEST(f.outcome() == core::error(ETIMEDOUT));
}

BOOST_AUTO_TEST_CASE(finds_a_dead_peer_while_the_owner_waits_and_does_not_run) {
  forsaken f(1);
  BOOST_TEST(f.victim.prepare_wait() >= 0);
  f.peer.vanish();
  BOOST_TEST(fate_of(f.victim) == core::error(ETIMEDOUT));
  f.victim.end_wait();
}

BOOST_AUTO_TEST_CASE(wakes_a_thread_that_waits_to_read) {
  forsaken f(1);
  f.peer.vanish();
  BOOST_TEST(f.outcome() == core::error(ETIMEDOUT));
}

BOOST_AUTO_TEST_CASE(can_be_switched_on_later_and_off_again) {
  forsaken f(0);
  f.peer.vanish();
  BOOST_TEST(f.victim.set_option(option::keepalive, 1) == core::error());
  BOOST_TEST(f.victim.set_option(option::keepalive, 0) == core::error());
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  core::failure none;
  f.victim.last_failure(none);
  BOOST_TEST(none.code == core::error());
  BOOST_TEST(f.victim.set_option(option::keepalive, 1) == core::error());
  BOOST_TEST(fate_of(f.victim) == core::error(ETIMEDOUT));
}

BOOST_AUTO_TEST_SUITE_END()

// An owner tries several things and then waits for all of them. What changes in between must not be slept over, whoever
// took the event that told of it.
BOOST_AUTO_TEST_SUITE(an_owner_about_to_wait)

BOOST_AUTO_TEST_CASE(notices_that_it_was_connected_since_it_looked) {
  listening l;
  int seen = 0;
  for (int i = 0; i < 20; ++i) {
    core::socket client = open_socket();
    const sockaddr_storage to = device_address(l.port);
    BOOST_REQUIRE_EQUAL(client.connect(plain(to), sizeof to), core::error());
    const bool looked_too_early = client.connect_result() == core::error(EAGAIN);
    const core::socket server = l.accept();
    if (!looked_too_early) continue;
    ++seen;
    BOOST_TEST(client.prepare_wait() < 0);
    BOOST_TEST(client.connect_result() == core::error());
    BOOST_TEST(client.prepare_wait() >= 0);
    client.end_wait();
  }
  BOOST_TEST(seen > 0);
}

BOOST_AUTO_TEST_CASE(notices_what_another_attempt_has_taken) {
  pair p;
  std::string text;
  for (int i = 0; i < 3; ++i) {
    char c = 0;
    iovec one{&c, 1};
    std::size_t bytes = 0;
    BOOST_TEST(p.server.read(&one, 1, false, bytes) == core::error(EAGAIN));
    BOOST_TEST(write_all(p.client, "x") == core::error());
    core::error e;
    while (p.server.available(e) == 0 && !e) std::this_thread::yield();
    BOOST_TEST(p.server.prepare_wait() < 0);
    BOOST_TEST(read_some(p.server, text) == core::error());
    p.server.end_wait();
  }
}

BOOST_AUTO_TEST_CASE(notices_a_datagram_that_another_attempt_has_taken) {
  core::socket receiver, sender;
  BOOST_REQUIRE_EQUAL(core::socket::open_datagram(AF_INET, receiver), core::error());
  BOOST_REQUIRE_EQUAL(core::socket::open_datagram(AF_INET, sender), core::error());
  const sockaddr_storage at = device_address(0);
  BOOST_REQUIRE_EQUAL(receiver.bind(plain(at), sizeof at), core::error());
  sockaddr_storage to{}, from{};
  BOOST_REQUIRE_EQUAL(receiver.local_address(to), core::error());
  for (int i = 0; i < 3; ++i) {
    char c = 'x';
    iovec one{&c, 1};
    std::size_t bytes = 0;
    BOOST_TEST(receiver.receive_from(&one, 1, false, from, bytes) == core::error(EAGAIN));
    const auto send = [&] { return sender.send_to(&one, 1, plain(to), sizeof(sockaddr_in), bytes); };
    BOOST_TEST(wait_for(sender, send) == core::error());
    core::error e;
    while (receiver.available(e) == 0 && !e) std::this_thread::yield();
    BOOST_TEST(receiver.prepare_wait() < 0);
    BOOST_TEST(receiver.receive_from(&one, 1, false, from, bytes) == core::error());
    receiver.end_wait();
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(busy_poll)

BOOST_AUTO_TEST_CASE(a_read_does_not_sleep_for_what_comes_soon) {
  BOOST_TEST(spinning_adds_to(reads_without_a_sleep));
}

BOOST_AUTO_TEST_CASE(an_owner_gets_no_descriptor_for_what_comes_soon) {
  BOOST_TEST(spinning_adds_to(waits_without_a_descriptor));
}

BOOST_AUTO_TEST_CASE(once_in_vain_is_enough_until_there_is_traffic) {
  constexpr std::chrono::microseconds spin(longest_spin);
  pair p;
  BOOST_TEST(p.server.set_option(option::busy_poll, longest_spin) == core::error());
  for (int i = 0; i < 2; ++i) {
    p.exchange();
    BOOST_TEST((time_to_prepare(p.server) >= spin));
    auto shortest = steady_clock::duration::max();
    for (int j = 0; j < 20; ++j) shortest = std::min(shortest, time_to_prepare(p.server));
    BOOST_TEST((shortest < spin));
  }
}

BOOST_AUTO_TEST_CASE(automatic_looks_after_short_waits_and_not_after_long_ones) {
  pair p;
  BOOST_TEST(p.server.set_option(option::busy_poll, asio_rdma::io::spinner::automatic) == core::error());
  constexpr int rounds = 20;
  // How many waits look for a while before they sleep, if the one before took so long.
  const auto spins_after = [&p](steady_clock::duration wait) {
    int result = 0;
    for (int i = 0; i < rounds; ++i) {
      std::string text;
      p.exchange();
      (void)p.server.prepare_wait();
      std::this_thread::sleep_for(wait);
      BOOST_TEST(write_all(p.client, "y") == core::error());
      BOOST_TEST(read_some(p.server, text) == core::error());
      p.server.end_wait();
      const auto start = steady_clock::now();
      (void)p.server.prepare_wait();
      result += steady_clock::now() - start >= asio_rdma::io::spin_window::first ? 1 : 0;
      p.server.end_wait();
    }
    return result;
  };
  // A busy machine makes short waits long, and spoils a try, but not ten.
  int after_long = rounds, after_short = 0;
  for (int i = 0; i < 10 && after_long > rounds / 2; ++i)
    after_long = spins_after(2 * asio_rdma::io::spin_window::longest);
  for (int i = 0; i < 10 && after_short < rounds / 2; ++i) after_short = spins_after(steady_clock::duration::zero());
  char device[64];
  p.server.device_name(device, sizeof device);
  if (device == std::string("soft0"))
    BOOST_TEST(after_long <= rounds / 2);  // emulated, all else takes longer than that
  BOOST_TEST(after_short >= rounds / 2);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(death_of_the_path, *boost::unit_test::label("kernel"))

namespace {

struct link_down {
  link_down() { BOOST_REQUIRE_EQUAL(std::system("ip link set net1 down"), 0); }
  ~link_down() { BOOST_TEST(std::system("ip link set net1 up") == 0); }
};

}  // namespace

// Both ends are on one device, whose link goes down: nothing gets through, and nobody sends anything.
BOOST_AUTO_TEST_CASE(keepalive_finds_it) {
  BOOST_REQUIRE_EQUAL(::geteuid(), 0u);  // others cannot take links down
  core::socket server = open_socket();
  core::socket client = open_socket();
  sockaddr_storage address{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(address);
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(0x0a4e0001);  // 10.78.0.1, net1
  BOOST_REQUIRE_EQUAL(server.bind(plain(address), sizeof address), core::error());
  BOOST_REQUIRE_EQUAL(server.listen(1), core::error());
  sockaddr_storage bound{};
  (void)server.local_address(bound);
  BOOST_TEST(client.set_option(option::keepalive, 1) == core::error());
  BOOST_TEST(client.set_option(option::ack_timeout, 14) == core::error());
  BOOST_REQUIRE_EQUAL(connect(client, bound), core::error());
  core::socket peer;
  BOOST_REQUIRE_EQUAL(wait_for(server, [&] { return server.accept(peer); }), core::error());
  {
    const link_down down;
    const core::error fate = fate_of(client);
    BOOST_TEST((fate == core::error(ETIMEDOUT) || fate == core::error(ENETDOWN)), fate);
  }
}

BOOST_AUTO_TEST_SUITE_END()
