// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <vector>

namespace {

void wait_for_failed_lookup(ud::socket& s) {
  while (asio_rdma::statistics(s).datagrams.lookups_failed == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(exchange, two_sockets)

BOOST_AUTO_TEST_CASE(a_datagram_says_where_it_came_from_and_can_be_answered_at_once) {
  for (int i = 0; i < 10; ++i) {
    BOOST_TEST(a.send_to(asio::buffer("question", 8), to_b) == 8u);
    ud::endpoint from;
    BOOST_TEST(receive_string(b, &from) == "question");
    BOOST_TEST(from == to_a);
    BOOST_TEST(b.send_to(asio::buffer("answer", 6), from) == 6u);
    BOOST_TEST(receive_string(a, &from) == "answer");
    BOOST_TEST(from == to_b);
  }
  const auto s = asio_rdma::statistics(b);
  BOOST_TEST(s.datagrams.lookups == 0u);
  BOOST_TEST(s.datagrams.peers_learned == 1u);
  BOOST_TEST(asio_rdma::statistics(a).datagrams.lookups == 1u);
}

BOOST_AUTO_TEST_CASE(blocking_calls_wait) {
  std::string text(20, '\0');
  ud::endpoint from;
  auto received = std::async(std::launch::async, [&] { return b.receive_from(asio::buffer(text), from); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  a.send_to(asio::buffer("late", 4), to_b);
  BOOST_TEST(received.get() == 4u);
  BOOST_TEST(text.substr(0, 4) == "late");
  BOOST_TEST(from == to_a);
}

BOOST_AUTO_TEST_CASE(asynchronous_operations) {
  std::string text(20, '\0');
  ud::endpoint from;
  std::size_t sent = 0, received = 0;
  b.async_receive_from(asio::buffer(text), from, [&](error_code ec, std::size_t n) {
    BOOST_TEST(!ec);
    received = n;
  });
  a.async_send_to(asio::buffer("hello", 5), to_b, [&](error_code ec, std::size_t n) {
    BOOST_TEST(!ec);
    sent = n;
  });
  BOOST_TEST(sent == 0u);
  context.run();
  BOOST_TEST(sent == 5u);
  BOOST_TEST(received == 5u);
  BOOST_TEST(from == to_a);
  BOOST_TEST(context.poll() == 0u);
}

BOOST_AUTO_TEST_CASE(a_datagram_may_be_empty) {
  BOOST_TEST(a.send_to(asio::buffer("", 0), to_b) == 0u);
  a.send_to(asio::buffer("next", 4), to_b);
  BOOST_TEST(receive_string(b).empty());
  BOOST_TEST(receive_string(b) == "next");
  b.connect(to_a);
  BOOST_TEST(b.send(asio::const_buffer()) == 0u);
  BOOST_TEST(receive_string(a).empty());
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_cut_off_and_counted) {
  a.send_to(asio::buffer("0123456789", 10), to_b);
  a.send_to(asio::buffer("next", 4), to_b);
  std::array<char, 4> small{};
  ud::endpoint from;
  BOOST_TEST(b.receive_from(asio::buffer(small), from) == 4u);
  BOOST_TEST(std::string(small.data(), 4) == "0123");
  BOOST_TEST(receive_string(b) == "next");
  a.send_to(asio::buffer("gone", 4), to_b);
  BOOST_TEST(b.receive_from(asio::mutable_buffer(), from) == 0u);
  BOOST_TEST(from == to_a);
  BOOST_TEST(asio_rdma::statistics(b).datagrams.truncated == 2u);
}

BOOST_AUTO_TEST_CASE(peek_and_available) {
  a.send_to(asio::buffer("look", 4), to_b);
  char text[10];
  ud::endpoint from;
  BOOST_TEST(b.receive_from(asio::buffer(text), from, asio::socket_base::message_peek) == 4u);
  BOOST_TEST(from == to_a);
  BOOST_TEST(b.available() == 4u);
  BOOST_TEST(receive_string(b) == "look");
  BOOST_TEST(b.available() == 0u);
}

BOOST_AUTO_TEST_CASE(gather_and_scatter) {
  const std::array<asio::const_buffer, 3> out = {asio::buffer("ab", 2), asio::buffer("", 0), asio::buffer("cdef", 4)};
  BOOST_TEST(a.send_to(out, to_b) == 6u);
  char first[1], second[10];
  const std::array<asio::mutable_buffer, 2> in = {asio::buffer(first), asio::buffer(second)};
  ud::endpoint from;
  BOOST_TEST(b.receive_from(in, from) == 6u);
  BOOST_TEST(first[0] == 'a');
  BOOST_TEST(std::string(second, 5) == "bcdef");
}

BOOST_AUTO_TEST_CASE(the_largest_datagram_arrives_and_a_larger_one_is_an_error) {
  const std::size_t most = asio_rdma::maximum_payload(a);
  BOOST_TEST(most >= 1024u - 8u);
  std::string large(most, 'x');
  for (std::size_t i = 0; i < most; ++i) large[i] = static_cast<char>(i * 7 + i / 256);
  for (int known = 0; known < 2; ++known) {
    error_code ec;
    BOOST_TEST(a.send_to(asio::buffer(large + "x"), to_b, 0, ec) == 0u);
    BOOST_TEST(ec == asio::error::message_size);
    BOOST_TEST(a.send_to(asio::buffer(large), to_b) == most);
    BOOST_TEST(receive_string(b) == large);
  }
  ud::socket unbound(context, ud::v4());
  BOOST_TEST(asio_rdma::maximum_payload(unbound) == most);
  ud::socket closed(context);
  error_code ec;
  asio_rdma::maximum_payload(closed, ec);
  BOOST_TEST(ec == asio::error::bad_descriptor);
}

BOOST_AUTO_TEST_CASE(every_size_in_between) {
  const std::size_t most = asio_rdma::maximum_payload(a);
  for (std::size_t size : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{119}, std::size_t{120},
                           std::size_t{121}, std::size_t{1000}, most - 1, most}) {
    const std::string text(size, static_cast<char>('a' + size % 26));
    a.send_to(asio::buffer(text), to_b);
    BOOST_TEST(receive_string(b) == text);
  }
}

BOOST_AUTO_TEST_CASE(an_unbound_socket_gets_a_port_when_it_sends) {
  ud::socket client(context, ud::v4());
  BOOST_TEST(client.local_endpoint().port() == 0u);
  client.send_to(asio::buffer("here", 4), to_b);
  BOOST_TEST(client.local_endpoint().port() != 0u);
  ud::endpoint from;
  BOOST_TEST(receive_string(b, &from) == "here");
  BOOST_TEST(from.port() == client.local_endpoint().port());
  b.send_to(asio::buffer("there", 5), from);
  BOOST_TEST(receive_string(client) == "there");
}

BOOST_AUTO_TEST_CASE(a_connected_socket_hears_its_peer_alone) {
  ud::socket stranger(context, any_port());
  error_code ec;
  a.send(asio::buffer("x", 1), 0, ec);
  BOOST_TEST((ec == boost::system::errc::destination_address_required));
  BOOST_CHECK_THROW(a.remote_endpoint(), boost::system::system_error);
  a.connect(to_b);
  BOOST_TEST(a.remote_endpoint() == to_b);
  BOOST_TEST(a.local_endpoint() == to_a);
  stranger.send_to(asio::buffer("spam", 4), to_a);
  BOOST_TEST(a.send(asio::buffer("ham", 3)) == 3u);
  BOOST_TEST(receive_string(b) == "ham");
  b.send_to(asio::buffer("eggs", 4), to_a);
  BOOST_TEST(receive_string(a) == "eggs");
  BOOST_TEST(is_silent(a));
  BOOST_TEST(asio_rdma::statistics(a).datagrams.dropped_filtered == 1u);
  // What was there before is not taken back.
  b.send_to(asio::buffer("before", 6), to_a);
  while (a.available() == 0) std::this_thread::yield();
  a.connect(stranger.local_endpoint());
  BOOST_TEST(receive_string(a) == "before");
  stranger.send_to(asio::buffer("friend", 6), to_a);
  BOOST_TEST(receive_string(a) == "friend");
}

BOOST_AUTO_TEST_CASE(asynchronous_connect) {
  error_code result = asio::error::fault;
  a.async_connect(to_b, [&](error_code ec) { result = ec; });
  context.run();
  BOOST_TEST(!result);
  a.send(asio::buffer("hello", 5));
  BOOST_TEST(receive_string(b) == "hello");
}

BOOST_AUTO_TEST_CASE(nobody_there_is_told_to_a_connected_socket_that_has_sent) {
  const ud::endpoint nobody = deserted_endpoint();
  a.connect(nobody);
  BOOST_TEST(is_silent(a));
  a.send(asio::buffer("hello?", 6));
  char text[10];
  error_code ec;
  a.receive(asio::buffer(text), 0, ec);
  BOOST_TEST(ec == asio::error::connection_refused);
  BOOST_TEST((asio_rdma::last_failure(a).step == asio_rdma::failure_step::connect));
  // Once, as with UDP.
  a.connect(to_b);
  BOOST_TEST(a.send(asio::buffer("you", 3)) == 3u);
  BOOST_TEST(receive_string(b) == "you");
}

BOOST_AUTO_TEST_CASE(an_unconnected_socket_is_not_told_and_goes_on) {
  const ud::endpoint nobody = deserted_endpoint();
  a.send_to(asio::buffer("hello?", 6), nobody);
  a.send_to(asio::buffer("you", 3), to_b);
  BOOST_TEST(receive_string(b) == "you");
  wait_for_failed_lookup(a);
  const auto s = asio_rdma::statistics(a);
  BOOST_TEST(s.datagrams.dropped_unresolved == 1u);
  BOOST_TEST(s.datagrams.waiting == 0u);
  BOOST_TEST(s.datagrams.peers == 1u);
}

BOOST_AUTO_TEST_CASE(a_peer_that_comes_later_is_found_then) {
  const ud::endpoint later = deserted_endpoint();
  a.send_to(asio::buffer("early", 5), later);
  wait_for_failed_lookup(a);
  ud::socket c(context, later);
  a.send_to(asio::buffer("now", 3), later);
  BOOST_TEST(receive_string(c) == "now");
}

BOOST_AUTO_TEST_CASE(a_peer_that_was_replaced_is_found_again) {
  a.set_option(asio_rdma::peer_lifetime(1));
  a.send_to(asio::buffer("one", 3), to_b);
  BOOST_TEST(receive_string(b) == "one");
  b.close();
  ud::socket c(context, to_b);
  // By itself, as soon as the lifetime is over.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (c.available() == 0 && std::chrono::steady_clock::now() < end) {
    a.send_to(asio::buffer("two", 3), to_b);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  BOOST_TEST(receive_string(c) == "two");
  // Or at once, if it says something.
  ud::endpoint from;
  c.close();
  ud::socket d(context, to_b);
  d.send_to(asio::buffer("three", 5), to_a);
  BOOST_TEST(receive_string(a, &from) == "three");
  a.send_to(asio::buffer("four", 4), from);
  BOOST_TEST(receive_string(d) == "four");
}

BOOST_AUTO_TEST_CASE(a_port_belongs_to_one_socket) {
  ud::socket c(context, ud::v4());
  error_code ec;
  c.bind(to_a, ec);
  BOOST_TEST(ec == asio::error::address_in_use);
  a.close();
  c.bind(to_a);
  BOOST_TEST(c.local_endpoint() == to_a);
  c.bind(any_port(), ec);
  BOOST_TEST(ec == asio::error::invalid_argument);
}

BOOST_AUTO_TEST_CASE(misuse_gives_the_errors_of_udp) {
  error_code ec;
  char text[4];
  a.send_to(asio::buffer("x", 1), ud::endpoint(test_address(), 0), 0, ec);
  BOOST_TEST(ec == asio::error::invalid_argument);
  a.send_to(asio::buffer("x", 1), to_b, asio::socket_base::message_out_of_band, ec);
  BOOST_TEST(ec == asio::error::operation_not_supported);
  a.shutdown(ud::socket::shutdown_both, ec);
  BOOST_TEST(ec == asio::error::not_connected);
  a.non_blocking(true);
  ud::endpoint from;
  a.receive_from(asio::buffer(text), from, 0, ec);
  BOOST_TEST(ec == asio::error::would_block);
  if (test_address().is_v4()) {
    a.send_to(asio::buffer("x", 1), ud::endpoint(asio::ip::address_v6::loopback(), 7), 0, ec);
    BOOST_TEST(ec == asio::error::address_family_not_supported);
  }
  a.close();
  a.send_to(asio::buffer("x", 1), to_b, 0, ec);
  BOOST_TEST(ec == asio::error::bad_descriptor);
}

BOOST_AUTO_TEST_CASE(shutdown_of_a_connected_socket) {
  a.connect(to_b);
  a.shutdown(ud::socket::shutdown_send);
  error_code ec;
  a.send(asio::buffer("x", 1), 0, ec);
  BOOST_TEST(ec == asio::error::broken_pipe);
  a.shutdown(ud::socket::shutdown_receive);
  char text[4];
  BOOST_TEST(a.receive(asio::buffer(text)) == 0u);
}

BOOST_AUTO_TEST_CASE(close_after_send_loses_nothing) {
  for (int i = 0; i < 20; ++i) {
    ud::socket client(context, any_port());
    client.send_to(asio::buffer("last words", 10), to_b);
    client.close();
    BOOST_TEST(receive_string(b) == "last words");
  }
}

BOOST_AUTO_TEST_CASE(both_wildcard_sockets_and_specific_ones_are_reached) {
  ud::socket any(context, ud::endpoint(ud::v4(), 0));
  a.send_to(asio::buffer("any", 3), reach(any));
  ud::endpoint from;
  BOOST_TEST(receive_string(any, &from) == "any");
  BOOST_TEST(from == to_a);
  any.send_to(asio::buffer("back", 4), from);
  BOOST_TEST(receive_string(a, &from) == "back");
  BOOST_TEST(from == reach(any));
}

BOOST_AUTO_TEST_CASE(the_unspecified_address_means_loopback) {
  ud::socket any(context, ud::endpoint(ud::v4(), 0)), client(context, ud::endpoint(ud::v4(), 0));
  client.send_to(asio::buffer("to me", 5), any.local_endpoint());
  ud::endpoint from;
  BOOST_TEST(receive_string(any, &from) == "to me");
  BOOST_TEST(from == ud::endpoint(asio::ip::address_v4::loopback(), client.local_endpoint().port()));
  any.send_to(asio::buffer("back", 4), from);
  BOOST_TEST(receive_string(client, &from) == "back");
  BOOST_TEST(from == ud::endpoint(asio::ip::address_v4::loopback(), any.local_endpoint().port()));
}

BOOST_AUTO_TEST_CASE(ipv6) {
  ud::socket server(context, ud::endpoint(ud::v6(), 0)), client(context, ud::endpoint(ud::v6(), 0));
  const ud::endpoint to_server(asio::ip::address_v6::loopback(), server.local_endpoint().port());
  client.send_to(asio::buffer("six", 3), to_server);
  ud::endpoint from;
  BOOST_TEST(receive_string(server, &from) == "six");
  BOOST_TEST(from == ud::endpoint(asio::ip::address_v6::loopback(), client.local_endpoint().port()));
  server.send_to(asio::buffer("back", 4), from);
  BOOST_TEST(receive_string(client) == "back");
  // From IPv4, unless it is forbidden.
  ud::socket four(context, ud::endpoint(ud::v4(), 0));
  four.send_to(asio::buffer("four", 4), reach(server));
  BOOST_TEST(receive_string(server, &from) == "four");
  BOOST_TEST(from.address().to_v6().is_v4_mapped());
  server.send_to(asio::buffer("back", 4), from);
  BOOST_TEST(receive_string(four) == "back");
}

BOOST_AUTO_TEST_CASE(names_are_resolved) {
  ud::resolver resolver(context);
  const auto results = resolver.resolve(to_b.address().to_string(), std::to_string(to_b.port()));
  BOOST_TEST((results.begin()->endpoint() == to_b));
  a.send_to(asio::buffer("found", 5), *results.begin());
  BOOST_TEST(receive_string(b) == "found");
}

BOOST_AUTO_TEST_CASE(cancel_and_close_abort_what_waits) {
  char text[10];
  ud::endpoint from;
  int aborted = 0;
  const auto handler = [&](error_code ec, std::size_t n) {
    BOOST_TEST(ec == asio::error::operation_aborted);
    BOOST_TEST(n == 0u);
    ++aborted;
  };
  a.async_receive_from(asio::buffer(text), from, handler);
  a.async_receive(asio::buffer(text), handler);
  a.cancel();
  context.run();
  BOOST_TEST(aborted == 2);
  a.async_receive_from(asio::buffer(text), from, handler);
  a.close();
  context.restart();
  context.run();
  BOOST_TEST(aborted == 3);
  // It is in order after cancel().
  b.async_receive_from(asio::buffer(text), from, handler);
  b.cancel();
  context.restart();
  context.run();
  ud::socket c(context, any_port());
  c.send_to(asio::buffer("on", 2), to_b);
  BOOST_TEST(receive_string(b) == "on");
}

BOOST_AUTO_TEST_CASE(several_receives_are_filled_in_order) {
  std::vector<std::string> in(5, std::string(8, '\0'));
  std::vector<int> order;
  for (int i = 0; i < 5; ++i) {
    b.async_receive(asio::buffer(in[static_cast<std::size_t>(i)]), [&, i](error_code ec, std::size_t n) {
      BOOST_TEST(!ec);
      in[static_cast<std::size_t>(i)].resize(n);
      order.push_back(i);
    });
  }
  for (int i = 0; i < 5; ++i) a.send_to(asio::buffer(std::to_string(i)), to_b);
  context.run();
  BOOST_TEST(order == (std::vector<int>{0, 1, 2, 3, 4}), boost::test_tools::per_element());
  for (int i = 0; i < 5; ++i) BOOST_TEST(in[static_cast<std::size_t>(i)] == std::to_string(i));
}

BOOST_AUTO_TEST_CASE(waits) {
  bool readable = false;
  b.async_wait(ud::socket::wait_read, [&](error_code ec) {
    BOOST_TEST(!ec);
    readable = true;
  });
  context.poll();
  BOOST_TEST(!readable);
  a.wait(ud::socket::wait_write);
  a.send_to(asio::buffer("x", 1), to_b);
  context.restart();
  context.run();
  BOOST_TEST(readable);
  b.wait(ud::socket::wait_read);
  BOOST_TEST(receive_string(b) == "x");
}

BOOST_AUTO_TEST_CASE(sockets_move_while_operations_wait) {
  char text[10];
  ud::endpoint from;
  std::size_t received = 0;
  b.async_receive_from(asio::buffer(text), from, [&](error_code, std::size_t n) { received = n; });
  ud::socket moved(std::move(b));
  BOOST_TEST(!b.is_open());
  a.send_to(asio::buffer("moved", 5), to_b);
  context.run();
  BOOST_TEST(received == 5u);
  BOOST_TEST(moved.local_endpoint() == to_b);
}

BOOST_AUTO_TEST_CASE(a_context_that_dies_destroys_handlers) {
  auto alive = std::make_shared<int>(0);
  {
    asio::io_context dying;
    auto s = std::make_shared<ud::socket>(dying, any_port());
    char text[10];
    ud::endpoint from;
    s->async_receive_from(asio::buffer(text), from, [alive, s](error_code, std::size_t) { BOOST_ERROR("called"); });
    dying.poll();
  }
  BOOST_TEST(alive.use_count() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
