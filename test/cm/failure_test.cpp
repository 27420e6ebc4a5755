// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// How connections fail, and what sockets say then.

#include "core_socket.hpp"
#include "raw_peer.hpp"

#include "support/device_policy.hpp"
#include "support/no_descriptors.hpp"

#include <asio_rdma/detail/core/statistics.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <netinet/in.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <future>
#include <initializer_list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace cm_test;
using core::library_error;
using transfer::reject_reason;

namespace {

/// While it lives, this process gets 16 MiB more of address space and nothing beyond.
class little_memory {
public:
  little_memory() {
    ::getrlimit(RLIMIT_AS, &before_);
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    const rlim_t bytes = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (16 << 20);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  little_memory(const little_memory&) = delete;
  little_memory& operator=(const little_memory&) = delete;
  ~little_memory() { ::setrlimit(RLIMIT_AS, &before_); }

private:
  rlimit before_{};
};

core::listener_counters counters_of(const core::socket& listener) {
  core::socket_statistics s;
  listener.statistics(s);
  return s.listener;
}

/// Reads until it fails; how.
core::error end_of(core::socket& s) {
  std::string text;
  for (;;) {
    if (const core::error e = read_some(s, text)) return e;
  }
}

/// Lets devices give up quickly: after 2^12 * 4.096 us = 17 ms, tried twice.
void be_impatient(core::socket& s) {
  BOOST_REQUIRE_EQUAL(s.set_option(core::option::ack_timeout, 12), core::error());
  BOOST_REQUIRE_EQUAL(s.set_option(core::option::retry_count, 1), core::error());
}

/// A device on an interface of its own, with a connection from a peer made by hand.
struct own_device {
  /// Device rxeN on interface netN.
  explicit own_device(unsigned n) : interface("net" + std::to_string(n)), device("rxe" + std::to_string(n)) {
    run("ip link add " + interface + " type dummy");
    run("ip address add 10.87." + std::to_string(n) + ".1/24 dev " + interface);
    run("ip link set " + interface + " up");
    run("rdma link add " + device + " type rxe netdev " + interface);
    sockaddr_storage address{};
    auto& v4 = reinterpret_cast<sockaddr_in&>(address);
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(0x0a570001 + (n << 8));
    listener = open_socket();
    be_impatient(listener);
    // The device appears a moment later.
    core::error e;
    for (int i = 0; i < 100; ++i) {
      e = listener.bind(plain(address), sizeof address);
      if (!e) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    BOOST_REQUIRE_EQUAL(e, core::error());
    BOOST_REQUIRE_EQUAL(listener.listen(8), core::error());
    (void)listener.local_address(address);
    (void)peer.connect(address, {});
    BOOST_REQUIRE_EQUAL(wait_for(listener, [&] { return listener.accept(socket); }), core::error());
  }
  ~own_device() {
    if (!is_removed) remove();
  }

  /// In the background, and the interface last: the kernel waits until this process has let go of the device, which may
  /// be at its end, and holds the lock of all interfaces if it has to wait for one of those.
  void remove() {
    is_removed = true;
    (void)!std::system(("(rdma link delete " + device + " && ip link delete " + interface + ") &").c_str());
  }
  static void run(const std::string& command) {
    BOOST_TEST_CONTEXT(command) { BOOST_REQUIRE_EQUAL(std::system(command.c_str()), 0); }
  }

  const std::string interface, device;
  bool is_removed = false;
  core::socket listener;
  core::socket socket;
  raw_peer peer;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(failures_of_hardware, *boost::unit_test::label("kernel"))

BOOST_AUTO_TEST_CASE(a_port_that_is_down) {
  own_device d(7);
  d.peer.fall_silent();
  own_device::run("ip link set " + d.interface + " down");
  BOOST_TEST(write_all(d.socket, "is anybody there?") == core::error());
  BOOST_TEST(end_of(d.socket) == core::error(ENETDOWN));
}

BOOST_AUTO_TEST_CASE(a_device_that_is_removed) {
  own_device d(8);
  d.remove();
  // The peer is on the same device and goes with it: which is heard of first is chance.
  const core::error e = end_of(d.socket);
  BOOST_TEST((e == core::error(ENODEV) || e == core::error(ECONNRESET)));
  core::failure f;
  for (int i = 0; i < 100 && f.cm_event != RDMA_CM_EVENT_DEVICE_REMOVAL; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    d.socket.last_failure(f);
  }
  BOOST_TEST(f.cm_event == RDMA_CM_EVENT_DEVICE_REMOVAL);
}

BOOST_AUTO_TEST_SUITE_END()

// They change the machine under connections of sockets at both ends.
BOOST_AUTO_TEST_SUITE(machine_changes_amid_traffic, *boost::unit_test::label("root"))

namespace {

/// Two sockets of ours on a device of their own, each of which writes for ever on a thread of its own, and reads.
struct traffic {
  explicit traffic(own_device& d) {
    client = open_socket();
    be_impatient(client);
    sockaddr_storage address;
    (void)d.listener.local_address(address);
    BOOST_REQUIRE_EQUAL(connect(client, address), core::error());
    BOOST_REQUIRE_EQUAL(wait_for(d.listener, [&] { return d.listener.accept(server); }), core::error());
    for (core::socket* s : {&client, &server}) {
      writers.push_back(std::async(std::launch::async, [s] {
        for (;;) {
          if (const core::error e = write_all(*s, std::string(10000, 'x'))) return e;
        }
      }));
      readers.push_back(std::async(std::launch::async, [this, s] {
        for (std::string text;;) {
          if (const core::error e = read_some(*s, text)) return e;
          moved += text.size();
        }
      }));
    }
    wait_until_moving();
  }
  void wait_until_moving() {
    const std::uint64_t before = moved;
    for (int i = 0; i < 300 && moved < before + 100'000; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    BOOST_REQUIRE(moved >= before + 100'000);
  }
  ~traffic() {
    client.close();
    server.close();
  }
  /// All four calls come to an end in time, none of them with a success.
  void check_end(std::initializer_list<core::error> allowed) {
    for (auto* results : {&readers, &writers}) {
      for (auto& r : *results) {
        BOOST_REQUIRE((r.wait_for(std::chrono::seconds(30)) == std::future_status::ready));
        const core::error e = r.get();
        BOOST_TEST((std::find(allowed.begin(), allowed.end(), e) != allowed.end()), e);
      }
    }
  }

  core::socket client, server;
  std::atomic<std::uint64_t> moved{0};
  std::vector<std::future<core::error>> writers, readers;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_device_is_removed) {
  // A connection on another device goes on.
  listening l;
  core::socket bystander = open_socket();
  BOOST_REQUIRE_EQUAL(connect(bystander, device_address(l.port)), core::error());
  core::socket bystanders_peer = l.accept();
  {
    own_device d(9);
    traffic t(d);
    d.remove();
    t.check_end({core::error(ENODEV), core::error(ECONNRESET), core::error(EPIPE)});
  }
  BOOST_TEST(write_all(bystander, "undisturbed") == core::error());
  std::string text;
  BOOST_TEST(read_some(bystanders_peer, text) == core::error());
  BOOST_TEST(text == "undisturbed");
}

BOOST_AUTO_TEST_CASE(closing_after_a_link_went_down_and_up_leaves_no_call_hanging) {
  own_device d(10);
  traffic t(d);
  own_device::run("ip link set " + d.interface + " down");
  // Packets of a device to itself need no link: the connection may die or live. Nobody hangs in either case.
  std::this_thread::sleep_for(std::chrono::seconds(2));
  own_device::run("ip link set " + d.interface + " up");
  t.client.close();
  t.server.close();
  // rxe can fail to send before it says that the port is down.
  t.check_end({core::error(ENETDOWN), core::error(ETIMEDOUT), core::error(ECONNRESET), core::error(EPIPE),
               core::error(EBADF), library_error::eof,
               core::error(IBV_WC_LOC_QP_OP_ERR, core::error_domain::completion)});
}

// With traffic at that time rxe of Linux 6.1 connects nobody any more, whoever asks (rping neither).
BOOST_AUTO_TEST_CASE(a_listener_outlives_a_link_that_went_down_and_up) {
  own_device d(11);
  own_device::run("ip link set " + d.interface + " down");
  std::this_thread::sleep_for(std::chrono::seconds(2));
  own_device::run("ip link set " + d.interface + " up");
  std::this_thread::sleep_for(std::chrono::seconds(1));
  traffic t(d);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(failures, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(every_reason_to_refuse_has_its_error_and_text) {
  const struct {
    reject_reason reason;
    core::error error;
    const char* word;
  } cases[] = {
      {reject_reason::backlog_full, core::error(ECONNREFUSED), "backlog"},
      {reject_reason::out_of_resources, core::error(ECONNREFUSED), "descriptors"},
      {reject_reason::incompatible_version, library_error::incompatible_version, "version"},
      {reject_reason::mode_mismatch, library_error::mode_mismatch, "kind"},
      {reject_reason::not_ours, library_error::protocol_error, "protocol"},
      {reject_reason::bad_handshake, library_error::protocol_error, "protocol"},
      {reject_reason::not_loopback, core::error(ECONNREFUSED), "another address"},
      {reject_reason::closing, core::error(ECONNREFUSED), "closed"},
  };
  for (const auto& c : cases) {
    raw_peer peer;
    const std::uint16_t port = peer.listen();
    transfer::reject r;
    r.reason = c.reason;
    auto other = std::async(std::launch::async, [&] { peer.reject(bytes_of(transfer::encode_reject(r))); });
    core::socket s = open_socket();
    BOOST_TEST(connect(s, device_address(port)) == c.error);
    other.get();
    core::failure f;
    s.last_failure(f);
    BOOST_TEST(std::string(f.text).find(c.word) != std::string::npos, f.text);
  }
}

BOOST_AUTO_TEST_CASE(a_listener_that_never_answers) {
  raw_peer peer;
  const std::uint16_t port = peer.listen();
  core::socket s = open_socket();
  BOOST_REQUIRE_EQUAL(s.set_option(core::option::connect_timeout, 300), core::error());
  BOOST_TEST(connect(s, device_address(port)) == core::error(ETIMEDOUT));
}

BOOST_AUTO_TEST_CASE(a_server_that_goes_before_it_hears_that_the_connection_stands) {
  for (int i = 0; i < 5; ++i) {
    auto peer = std::make_unique<raw_peer>();
    const std::uint16_t port = peer->listen();
    auto other = std::async(std::launch::async, [&] {
      peer->accept(bytes_of(transfer::encode_handshake(peer->good_handshake())));
      peer.reset();
    });
    core::socket s = open_socket();
    core::error e = connect(s, device_address(port));
    std::string text;
    if (!e) e = read_some(s, text);
    BOOST_TEST((e == core::error(ECONNREFUSED) || e == core::error(ECONNRESET)), e);  // as far as we were when it went
    other.get();
  }
}

BOOST_AUTO_TEST_CASE(a_listener_without_memory_refuses_and_counts) {
  listening l(1, [](core::socket& s) {
    for (const auto o : {core::option::receive_buffer_size, core::option::initial_buffer_size})
      (void)s.set_option(o, 64 << 20);
  });
  BOOST_REQUIRE_EQUAL(l.error, core::error());
  {
    raw_peer peer;
    peer.prepare(device_address(l.port));
    const little_memory limit;
    const verbs::cm_event event = peer.ask({});
    BOOST_REQUIRE_EQUAL(event.type, RDMA_CM_EVENT_REJECTED);
    const auto reject = transfer::decode_reject(event.private_data.data(), event.private_data_size);
    BOOST_REQUIRE(reject);
    BOOST_TEST(static_cast<int>(reject->reason) == static_cast<int>(reject_reason::out_of_resources));
  }
  BOOST_TEST(counters_of(l.socket).refused_resources == 1u);
  BOOST_TEST(counters_of(l.socket).pending == 0u);
}

BOOST_AUTO_TEST_CASE(a_client_without_descriptors) {
  listening l;
  BOOST_REQUIRE_EQUAL(l.error, core::error());
  const sockaddr_storage to = device_address(l.port);
  core::socket s = open_socket();
  {
    const test_support::no_descriptors limit;
    BOOST_TEST(connect(s, to) == core::error(EMFILE));
  }
  BOOST_TEST(connect(s, to) == core::error());
}

BOOST_AUTO_TEST_CASE(requests_that_are_no_handshake_are_counted) {
  listening l;
  BOOST_REQUIRE_EQUAL(l.error, core::error());
  raw_peer peer;
  const verbs::cm_event event = peer.connect(l.port, {'h', 'e', 'l', 'l', 'o'});
  BOOST_REQUIRE_EQUAL(event.type, RDMA_CM_EVENT_REJECTED);
  const core::listener_counters c = counters_of(l.socket);
  BOOST_TEST(c.refused_other == 1u);
  BOOST_TEST(c.refused_backlog == 0u);
  BOOST_TEST(c.refused_resources == 0u);
  BOOST_TEST(c.waiting == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

// Not on rxe of Linux 6.1, which may never complete a request that nobody answers.
BOOST_AUTO_TEST_SUITE(failures_on_soft0, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(a_peer_whose_device_falls_silent) {
  const test_support::device_policy soft0("soft0");
  listening l(1, be_impatient);
  BOOST_REQUIRE_EQUAL(l.error, core::error());
  raw_peer peer;
  (void)peer.connect(l.port, {});
  core::socket s = l.accept();
  peer.fall_silent();
  BOOST_TEST(write_all(s, "is anybody there?") == core::error());
  BOOST_TEST(end_of(s) == core::error(ETIMEDOUT));
}

BOOST_AUTO_TEST_SUITE_END()
