// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include "support/source_file.hpp"

#include <boost/lexical_cast.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>

using asio_rdma::connection_state;
using asio_rdma::process_snapshot;
using asio_rdma::snapshot;
using asio_rdma::socket_statistics;
using asio_rdma::statistics;
using std::chrono::milliseconds;

namespace {

template <class Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

/// Other tests' connections say their goodbyes in the background.
process_snapshot settled() {
  process_snapshot s;
  BOOST_TEST(eventually([&] { return (s = snapshot()).sockets.empty(); }), s);
  return s;
}

const socket_statistics* find(const process_snapshot& s, std::uint64_t number) {
  const auto found =
      std::find_if(s.sockets.begin(), s.sockets.end(), [=](const auto& each) { return each.number == number; });
  return found == s.sockets.end() ? nullptr : &*found;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Writes until neither the peer's ring nor our own memory takes more; the number of bytes.
std::size_t fill(rc::socket& s) {
  s.non_blocking(true);
  const std::vector<char> block(1 << 20, 'x');
  std::size_t filled = 0;
  // What the device has acknowledged makes room once more.
  for (int vain = 0; vain < 20; ++vain) {
    error_code ec;
    for (std::size_t n = 0; !ec; filled += n) {
      n = s.write_some(asio::buffer(block), ec);
      if (n > 0) vain = 0;
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
  s.non_blocking(false);
  return filled;
}

/// A client is connected a moment before its listener knows.
void wait_for_backlog(rc::acceptor& a, std::uint64_t count) {
  BOOST_TEST(eventually([&] { return statistics(a).listener.waiting == count; }));
}

void read_all(rc::socket& s, std::size_t size) {
  std::vector<char> data(size);
  asio::read(s, asio::buffer(data));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(statistics_of_sockets)

BOOST_AUTO_TEST_CASE(both_ends_count_the_same) {
  connected_pair p;
  const auto data = pattern(3010);
  std::size_t at = 0;
  for (const std::size_t size : {1000u, 2000u, 10u}) {
    BOOST_TEST(p.client.write_some(asio::buffer(data.data() + at, size)) == size);
    at += size;
  }
  BOOST_TEST(eventually([&] { return p.server.available() == data.size(); }));
  // available() takes completions, here of what was sent.
  BOOST_TEST(eventually([&] {
    p.client.available();
    return statistics(p.client).counters.bytes_acknowledged == data.size();
  }));
  socket_statistics s = statistics(p.server);
  BOOST_TEST(s.counters.bytes_received == 3010u);
  BOOST_TEST(s.counters.bytes_read == 0u);
  BOOST_TEST(s.counters.reads == 0u);
  BOOST_TEST(s.levels.receive_buffer_used == 3010u);

  std::vector<unsigned char> received(data.size());
  BOOST_TEST(p.server.receive(asio::buffer(received.data(), 10), rc::socket::message_peek) == 10u);
  BOOST_TEST(p.server.read_some(asio::buffer(received.data(), 10)) == 10u);
  BOOST_TEST(p.server.read_some(asio::buffer(received.data() + 10, 3000)) == 3000u);
  BOOST_TEST((received == data));
  p.server.non_blocking(true);
  error_code ec;
  p.server.read_some(asio::buffer(received), ec);
  BOOST_TEST(ec == asio::error::would_block);

  s = statistics(p.server);
  BOOST_TEST(s.counters.bytes_read == 3010u);
  BOOST_TEST(s.counters.read_bytes_copied == 3020u);
  BOOST_TEST(s.counters.reads == 3u);
  BOOST_TEST(s.counters.reads_blocked == 1u);
  BOOST_TEST(s.counters.messages_received == 3u);
  BOOST_TEST(s.counters.control_messages_received == 0u);
  BOOST_TEST(s.counters.completions == 4u);  // that of a credit among them
  BOOST_TEST(s.counters.bytes_written == 0u);
  BOOST_TEST(s.counters.writes == 0u);
  BOOST_TEST(s.counters.messages_sent == 0u);
  BOOST_TEST(s.levels.receive_buffer_used == 0u);

  s = statistics(p.client);
  BOOST_TEST(s.counters.bytes_written == 3010u);
  BOOST_TEST(s.counters.bytes_sent == 3010u);
  BOOST_TEST(s.counters.write_bytes_copied == 3010u);
  BOOST_TEST(s.counters.writes == 3u);
  BOOST_TEST(s.counters.writes_blocked == 0u);
  BOOST_TEST(s.counters.messages_sent == 3u);
  BOOST_TEST(s.counters.completions == 3u);
  BOOST_TEST(s.counters.bytes_received == 0u);
  BOOST_TEST(s.counters.credit_stalls == 0u);
  BOOST_TEST(s.counters.credit_stall_time.count() == 0);
  BOOST_TEST(s.levels.send_buffer_used == 0u);
  // The peer has not told yet that it was read.
  BOOST_TEST(s.levels.peer_buffer_used == 3010u);
  BOOST_TEST(s.levels.credit_bytes == s.levels.peer_buffer_size - 3010);
  BOOST_TEST(s.levels.credit_messages == s.levels.peer_queue_depth - 3);
}

BOOST_AUTO_TEST_CASE(both_ends_count_the_same_through_many_rings) {
  connected_pair p;
  constexpr std::size_t size = 3 << 20;
  scoped_thread writer([&] {
    const auto data = pattern(size);
    asio::write(p.client, asio::buffer(data));
  });
  read_all(p.server, size);
  writer.join();
  socket_statistics c, s;
  BOOST_TEST(eventually([&] {
    p.client.available();
    p.server.available();
    c = statistics(p.client);
    s = statistics(p.server);
    return c.counters.bytes_acknowledged == size &&
           c.counters.control_messages_received == s.counters.control_messages_sent &&
           s.counters.control_messages_received == c.counters.control_messages_sent;
  }));
  BOOST_TEST(c.counters.bytes_sent == size);
  BOOST_TEST(s.counters.bytes_received == size);
  BOOST_TEST(s.counters.bytes_read == size);
  BOOST_TEST(s.counters.messages_received == c.counters.messages_sent);
  BOOST_TEST(c.counters.messages_sent >= size / c.levels.peer_buffer_size * 4);  // a ring is four messages
  BOOST_TEST(s.counters.control_messages_sent >= size / c.levels.peer_buffer_size);
}

BOOST_AUTO_TEST_CASE(levels_are_those_of_the_options) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port().protocol());
  acceptor.set_option(asio_rdma::receive_buffer_size(16384));
  acceptor.set_option(asio_rdma::initial_buffer_size(1 << 20));
  acceptor.set_option(asio_rdma::queue_depth(40));
  acceptor.bind(any_port());
  acceptor.listen();
  rc::socket client(context, any_port().protocol());
  client.set_option(asio_rdma::send_buffer_size(4096));
  client.connect(acceptor.local_endpoint());
  rc::socket server = acceptor.accept();
  const socket_statistics c = statistics(client), s = statistics(server);
  BOOST_TEST(c.levels.send_buffer_size == 4096u);
  BOOST_TEST(c.levels.receive_buffer_size == 8192u);  // at first
  BOOST_TEST(c.levels.receive_queue_depth == 128u);
  BOOST_TEST(c.levels.peer_buffer_size == 16384u);
  BOOST_TEST(c.levels.peer_queue_depth == 40u);
  BOOST_TEST(c.levels.credit_bytes == 16384u);
  BOOST_TEST(c.levels.credit_messages == 40u);
  BOOST_TEST(c.levels.registered_memory >= 8192u + 4096u);
  BOOST_TEST(c.levels.registered_memory <= 32768u);
  BOOST_TEST(s.levels.receive_buffer_size == 16384u);
  BOOST_TEST(s.levels.receive_queue_depth == 40u);
  BOOST_TEST(s.levels.peer_buffer_size == 8192u);
}

BOOST_AUTO_TEST_CASE(both_ends_name_the_same_path) {
  connected_pair p;
  const socket_statistics c = statistics(p.client), s = statistics(p.server);
  BOOST_TEST(c.state == connection_state::established);
  BOOST_TEST(s.state == connection_state::established);
  BOOST_TEST(!c.accepted);
  BOOST_TEST(s.accepted);
  BOOST_TEST(c.number != s.number);
  BOOST_TEST(c.local == p.client.local_endpoint());
  BOOST_TEST(c.remote == p.client.remote_endpoint());
  BOOST_TEST(s.local == c.remote);
  BOOST_TEST(s.remote == c.local);
  BOOST_TEST(c.queue_pair != 0u);
  BOOST_TEST(c.queue_pair == s.peer_queue_pair);
  BOOST_TEST(s.queue_pair == c.peer_queue_pair);
  for (const socket_statistics& each : {c, s}) {
    BOOST_TEST(each.device == asio_rdma::device_name(p.client));
    BOOST_TEST(each.port == 1u);
    BOOST_TEST(each.gid_index >= 0);
    BOOST_TEST(!each.gid.is_unspecified());
    BOOST_TEST((each.path_mtu >= 256 && each.path_mtu <= 4096));
    BOOST_TEST(each.ack_timeout == 16);
    BOOST_TEST(each.retry_count == 6);
    BOOST_TEST(each.rnr_retry == 7);
    BOOST_TEST(each.established_for.count() > 0);
    BOOST_TEST(!each.error);
    BOOST_TEST(each.failure.empty());
  }
}

BOOST_AUTO_TEST_CASE(a_peer_that_does_not_read_shows_as_a_credit_stall) {
  connected_pair p;
  const std::size_t filled = fill(p.client);
  std::this_thread::sleep_for(milliseconds(20));
  socket_statistics s = statistics(p.client);
  BOOST_TEST(s.counters.credit_stalls == 1u);
  BOOST_TEST((s.counters.credit_stall_time >= milliseconds(20)));
  BOOST_TEST(s.counters.writes_blocked >= 1u);
  BOOST_TEST(s.counters.bytes_written == filled);
  BOOST_TEST(s.levels.credit_bytes == 0u);
  BOOST_TEST(s.levels.send_buffer_unsent == s.levels.send_buffer_size);
  BOOST_TEST(s.levels.peer_buffer_used == s.levels.peer_buffer_size);
  p.server.available();
  BOOST_TEST(statistics(p.server).levels.receive_buffer_used == s.levels.peer_buffer_size);
  BOOST_TEST(statistics(p.server).counters.credit_stalls == 0u);

  read_all(p.server, filled);
  BOOST_TEST(eventually([&] {
    p.client.available();
    return (s = statistics(p.client)).levels.send_buffer_unsent == 0;
  }));
  std::this_thread::sleep_for(milliseconds(20));
  BOOST_TEST((statistics(p.client).counters.credit_stall_time == s.counters.credit_stall_time));
}

BOOST_AUTO_TEST_CASE(waits_are_counted_by_who_waits) {
  connected_pair p;
  {
    scoped_thread reader([&] { read_all(p.server, 1); });
    std::this_thread::sleep_for(milliseconds(50));
    write_string(p.client, "x");
  }
  socket_statistics s = statistics(p.server);
  BOOST_TEST(s.counters.thread_sleeps >= 1u);
  BOOST_TEST(s.counters.events_armed >= 1u);
  BOOST_TEST(s.counters.descriptor_waits == 0u);

  char c = 0;
  p.server.async_read_some(asio::buffer(&c, 1), [](error_code ec, std::size_t) { BOOST_TEST(!ec); });
  p.context.poll();
  write_string(p.client, "y");
  run(p.context);
  const socket_statistics later = statistics(p.server);
  BOOST_TEST(c == 'y');
  BOOST_TEST(later.counters.descriptor_waits >= 1u);
  BOOST_TEST(later.counters.events_taken > s.counters.events_taken);
  BOOST_TEST(later.counters.thread_sleeps == s.counters.thread_sleeps);
  BOOST_TEST(later.counters.reads == 2u);
}

BOOST_AUTO_TEST_CASE(what_the_internal_thread_does_is_counted) {
  connected_pair p;
  const std::size_t filled = fill(p.client);
  const auto before = statistics(p.client).counters.background_turns;
  read_all(p.server, filled);  // nobody looks after the client
  BOOST_TEST(statistics(p.client).counters.background_turns > before);
}

BOOST_AUTO_TEST_CASE(ends_of_directions_are_told) {
  connected_pair p;
  p.client.shutdown(rc::socket::shutdown_send);
  char c = 0;
  error_code ec;
  p.server.read_some(asio::buffer(&c, 1), ec);
  BOOST_TEST(ec == asio::error::eof);
  BOOST_TEST(statistics(p.client).sending_ended);
  BOOST_TEST(!statistics(p.client).receiving_ended);
  BOOST_TEST(statistics(p.server).receiving_ended);
  BOOST_TEST(!statistics(p.server).sending_ended);
  BOOST_TEST(statistics(p.server).counters.control_messages_received == 1u);
}

BOOST_AUTO_TEST_CASE(a_listener_counts_what_it_takes_and_refuses) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port().protocol());
  acceptor.bind(any_port());
  acceptor.listen(1);
  rc::socket first(context), second(context), third(context);
  first.connect(acceptor.local_endpoint());
  for (rc::socket* each : {&second, &third}) {
    error_code ec;
    each->connect(acceptor.local_endpoint(), ec);
    BOOST_TEST(ec == asio::error::connection_refused);
  }
  wait_for_backlog(acceptor, 1);
  socket_statistics s = statistics(acceptor);
  BOOST_TEST(s.state == connection_state::listening);
  BOOST_TEST(s.local == acceptor.local_endpoint());
  BOOST_TEST(s.listener.backlog == 1u);
  BOOST_TEST(s.listener.waiting == 1u);
  BOOST_TEST(s.listener.accepted == 0u);
  BOOST_TEST(s.listener.refused_backlog == 2u);
  BOOST_TEST(s.listener.refused_resources == 0u);
  BOOST_TEST(s.listener.refused_other == 0u);
  rc::socket server = acceptor.accept();
  s = statistics(acceptor);
  BOOST_TEST(s.listener.waiting == 0u);
  BOOST_TEST(s.listener.accepted == 1u);
}

BOOST_AUTO_TEST_CASE(a_failed_connect_says_why) {
  const process_snapshot before = settled();
  asio::io_context context;
  rc::socket s(context);
  error_code ec;
  s.connect(deserted_endpoint(), ec);
  BOOST_TEST(ec == asio::error::connection_refused);
  const socket_statistics failed = statistics(s);
  BOOST_TEST(failed.state == connection_state::failed);
  BOOST_TEST(failed.error == asio::error::connection_refused);
  BOOST_TEST(failed.failure == asio_rdma::last_failure(s).text);
  BOOST_TEST(failed.levels.registered_memory == 0u);
  BOOST_TEST(contains(to_string(failed), failed.failure));
  const process_snapshot after = snapshot();
  BOOST_TEST(after.sockets.empty());
  BOOST_TEST(after.totals.connects_failed == before.totals.connects_failed + 1);
  BOOST_TEST(after.totals.connected == before.totals.connected);
}

BOOST_AUTO_TEST_CASE(a_lost_connection_says_why) {
  const process_snapshot before = settled();
  connected_pair p;
  p.client.set_option(rc::socket::linger(true, 0));
  p.client.close();
  p.server.wait(rc::socket::wait_error);
  const socket_statistics s = statistics(p.server);
  BOOST_TEST(s.state == connection_state::ended);
  BOOST_TEST(s.error == asio::error::connection_reset);
  BOOST_TEST(!s.failure.empty());
  BOOST_TEST(s.queue_pair != 0u);
  p.server.close();
  BOOST_TEST(settled().totals.lost == before.totals.lost + 1);
}

BOOST_AUTO_TEST_CASE(sockets_without_a_connection) {
  asio::io_context context;
  rc::socket s(context);
  BOOST_TEST(statistics(s).number == 0u);
  BOOST_TEST(statistics(s).state == connection_state::unconnected);
  s.open(any_port().protocol());
  BOOST_TEST(statistics(s).state == connection_state::unconnected);
  BOOST_TEST(statistics(s).local.port() == 0);
  s.bind(any_port());
  BOOST_TEST(statistics(s).state == connection_state::unconnected);
  BOOST_TEST(statistics(s).local == s.local_endpoint());
  BOOST_TEST(contains(to_string(statistics(s)), "UNCONN"));
}

BOOST_AUTO_TEST_CASE(a_snapshot_holds_exactly_what_exists) {
  const process_snapshot before = settled();
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  rc::socket client(context), waiting(context);
  client.connect(acceptor.local_endpoint());
  rc::socket server = acceptor.accept();
  waiting.connect(acceptor.local_endpoint());
  wait_for_backlog(acceptor, 1);

  process_snapshot s = snapshot();
  BOOST_TEST(s.sockets.size() == 5u, s);  // with the one that waits in the backlog
  std::map<connection_state, int> states;
  for (const auto& each : s.sockets) ++states[each.state];
  BOOST_TEST(states[connection_state::listening] == 1);
  BOOST_TEST(states[connection_state::established] == 4);
  BOOST_REQUIRE(find(s, statistics(acceptor).number) && find(s, statistics(server).number));
  BOOST_TEST(find(s, statistics(acceptor).number)->listener.waiting == 1u);
  BOOST_TEST(find(s, statistics(server).number)->remote == client.local_endpoint());
  BOOST_TEST(s.totals.connected == before.totals.connected + 2);
  BOOST_TEST(s.totals.accepted == before.totals.accepted + 2);
  std::uint64_t memory = 0;
  for (const auto& each : s.sockets) memory += each.levels.registered_memory;
  BOOST_TEST(memory >= 4 * 2 * 8192u);
  BOOST_TEST(s.totals.registered_memory == memory);
  for (std::size_t i = 1; i < s.sockets.size(); ++i) BOOST_TEST(s.sockets[i - 1].number < s.sockets[i].number);

  // One that no socket owns any more, with bytes that the peer does not read.
  const std::uint64_t number = statistics(client).number;
  const std::size_t filled = fill(client);
  client.close();
  s = snapshot();
  BOOST_TEST(s.sockets.size() == 5u, s);
  BOOST_REQUIRE(find(s, number));
  BOOST_TEST(find(s, number)->state == connection_state::lingering);
  BOOST_TEST(find(s, number)->counters.bytes_written == filled);
  BOOST_TEST(find(s, number)->sending_ended);
  BOOST_TEST(statistics(client).number == 0u);
  BOOST_TEST(contains(to_string(s), "LINGER"));

  std::vector<char> rest(filled + 1);
  error_code ec;
  BOOST_TEST(asio::read(server, asio::buffer(rest), ec) == filled);
  BOOST_TEST(ec == asio::error::eof);
  server.close();
  waiting.close();
  acceptor.close();
  s = settled();
  BOOST_TEST(s.totals.registered_memory == 0u);
  BOOST_TEST(s.totals.connected == before.totals.connected + 2);
  BOOST_TEST(s.totals.accepted == before.totals.accepted + 2);
  BOOST_TEST(s.totals.counters.bytes_written == before.totals.counters.bytes_written + filled);
  BOOST_TEST(s.totals.counters.bytes_acknowledged == before.totals.counters.bytes_acknowledged + filled);
  BOOST_TEST(s.totals.counters.bytes_read == before.totals.counters.bytes_read + filled);
  BOOST_TEST(s.totals.counters.credit_stalls > before.totals.counters.credit_stalls);
}

BOOST_AUTO_TEST_CASE(the_text_of_a_snapshot_names_everything) {
  (void)settled();
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  rc::socket client(context);
  client.connect(acceptor.local_endpoint());
  rc::socket server = acceptor.accept();
  write_string(client, "12345");
  BOOST_TEST(read_string(server, 5) == "12345");
  std::ostringstream out;
  out << snapshot();
  const std::string text = out.str();
  const auto name = [](const rc::endpoint& e) { return boost::lexical_cast<std::string>(e); };
  BOOST_TEST(contains(text, "LISTEN   0       "), text);
  BOOST_TEST(contains(text, name(acceptor.local_endpoint()) + " *\n"), text);
  BOOST_TEST(contains(text, "ESTAB    0       "), text);
  BOOST_TEST(contains(text, name(client.local_endpoint()) + " " + name(client.remote_endpoint()) + "\n"), text);
  BOOST_TEST(contains(text, name(server.local_endpoint()) + " " + name(server.remote_endpoint()) + "\n"), text);
  const socket_statistics s = statistics(server);
  BOOST_TEST(contains(text, " number:" + std::to_string(s.number) + " device:" + s.device + "/1 gid["), text);
  BOOST_TEST(contains(text, " qp:" + std::to_string(s.queue_pair) + " peer_qp:" + std::to_string(s.peer_queue_pair)),
             text);
  BOOST_TEST(contains(text, " bytes_written:5 bytes_sent:5 "), text);
  BOOST_TEST(contains(text, " bytes_received:5 bytes_read:5 "), text);
  BOOST_TEST(contains(text, " accepted:1 refused_backlog:0 "), text);
  BOOST_TEST(contains(text, "\nTOTAL    connected:"), text);
  // Each line is a value's or belongs to one.
  std::istringstream lines(text);
  int heads = 0;
  for (std::string line; std::getline(lines, line);) heads += line[0] != '\t';
  BOOST_TEST(heads == 1 + 3 + 1);
}

/// Names before a colon, at the begin of the word.
std::set<std::string> names_in(const std::string& text) {
  static const std::regex pattern("[ \t]([a-z_]+)(\\[[0-9]+\\])?:");
  std::set<std::string> names;
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) names.insert((*i)[1]);
  return names;
}

BOOST_AUTO_TEST_CASE(the_document_explains_every_name_and_state) {
  const std::string document = source_file("doc/statistics.md");
  connected_pair p;
  rc::acceptor acceptor(p.context, any_port());
  const std::set<std::string> names = names_in(to_string(snapshot()));
  BOOST_TEST(names.size() > 50u);
  for (const std::string& name : names) BOOST_TEST(contains(document, "`" + name + "`"), name);
  for (int state = 0; state <= static_cast<int>(connection_state::closed); ++state) {
    const std::string row = std::string("| `") + to_string(static_cast<connection_state>(state)) + "` |";
    BOOST_TEST(contains(document, row), row);
  }
}

BOOST_AUTO_TEST_CASE(snapshots_are_taken_while_four_threads_run_traffic) {
  const process_snapshot before = settled();
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> moved{0};
  {
    std::vector<std::unique_ptr<scoped_thread>> threads;
    for (int i = 0; i < 4; ++i) {
      threads.push_back(std::make_unique<scoped_thread>([&] {
        while (!stop) {  // connections begin and end meanwhile
          connected_pair p;
          for (int round = 0; round < 50; ++round) {
            write_string(p.client, std::string(1000, 'x'));
            LOCKED_TEST(read_string(p.server, 1000).size() == 1000u);
            moved += 1000;
          }
        }
      }));
    }
    std::map<std::uint64_t, socket_statistics> known;
    const auto until = std::chrono::steady_clock::now() + milliseconds(500);
    for (int i = 0; i < 20 || std::chrono::steady_clock::now() < until; ++i) {
      const process_snapshot s = snapshot();
      const std::string text = to_string(s);
      for (const socket_statistics& each : s.sockets) {
        const socket_statistics& last = known[each.number];
        LOCKED_TEST(each.counters.bytes_written >= each.counters.bytes_sent);
        LOCKED_TEST(each.counters.bytes_sent >= each.counters.bytes_acknowledged);
        LOCKED_TEST(each.counters.bytes_received >= each.counters.bytes_read);
        LOCKED_TEST(each.counters.bytes_written >= last.counters.bytes_written);
        LOCKED_TEST(each.counters.bytes_read >= last.counters.bytes_read);
        const std::string number = " number:" + std::to_string(each.number);
        LOCKED_TEST((contains(text, number + " ") || contains(text, number + "\n")));
        known[each.number] = each;
      }
    }
    stop = true;
  }
  const process_snapshot after = settled();
  BOOST_TEST(after.totals.counters.bytes_written - before.totals.counters.bytes_written == moved);
  BOOST_TEST(after.totals.counters.bytes_read - before.totals.counters.bytes_read == moved);
  BOOST_TEST(after.totals.connected - before.totals.connected == moved / 50000);
  BOOST_TEST(after.totals.accepted - before.totals.accepted == moved / 50000);
}

BOOST_AUTO_TEST_SUITE_END()
