// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Code that takes any kind of stream, but names TCP's protocol and endpoints.

#include "fixture.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <sstream>
#include <type_traits>
#include <unordered_set>

using asio::ip::tcp;

static_assert(std::is_convertible_v<tcp, rc>);
static_assert(!std::is_convertible_v<rc, tcp>);
static_assert(std::is_convertible_v<tcp::endpoint, rc::endpoint>);
static_assert(!std::is_convertible_v<rc::endpoint, tcp::endpoint>);
static_assert(std::is_nothrow_move_constructible_v<rc::endpoint>);

BOOST_AUTO_TEST_SUITE(conversion)

BOOST_AUTO_TEST_CASE(a_socket_opens_and_connects_by_what_is_tcps) {
  asio::io_context context;
  rc::acceptor acceptor(context, tcp::endpoint(test_address(), 0));
  const tcp::endpoint there(test_address(), acceptor.local_endpoint().port());
  rc::socket client(context);
  client.open(there.protocol());
  client.connect(there);
  const rc::socket server = acceptor.accept();
  BOOST_TEST(client.remote_endpoint() == rc::endpoint(there));
  BOOST_TEST(server.remote_endpoint() == client.local_endpoint());
}

BOOST_AUTO_TEST_CASE(an_endpoint_is_what_it_was) {
  for (const char* address : {"10.1.2.3", "fe80::1%3"}) {
    const tcp::endpoint of_tcp(asio::ip::make_address(address), 1234);
    const rc::endpoint ours = of_tcp;
    BOOST_TEST(ours.address() == of_tcp.address());
    BOOST_TEST(ours.port() == 1234);
    BOOST_TEST(ours.size() == of_tcp.size());
    BOOST_TEST((ours.protocol() == of_tcp.protocol()));
    std::ostringstream text;
    text << ours;
    std::ostringstream expected;
    expected << of_tcp;
    BOOST_TEST(text.str() == expected.str());
    const std::unordered_set<rc::endpoint> set{ours};
    BOOST_TEST(set.count(rc::endpoint(of_tcp.address(), 1234)) == 1u);
    BOOST_TEST(set.count(rc::endpoint(of_tcp.address(), 1235)) == 0u);
  }
}

BOOST_AUTO_TEST_CASE(what_the_kernel_accepts_is_refused) {
  asio::io_context context;
  tcp::acceptor acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  tcp::socket client(context);
  client.connect(acceptor.local_endpoint());
  rc::socket server(context);
  error_code e;
  acceptor.accept(server, e);
  BOOST_TEST(e == asio::error::operation_not_supported);
  BOOST_TEST(!server.is_open());
  // It is closed, not forgotten.
  char byte = 0;
  client.read_some(asio::buffer(&byte, 1), e);
  BOOST_TEST((e == asio::error::eof || e == asio::error::connection_reset));
}

BOOST_AUTO_TEST_CASE(a_socket_moves_to_another_type_of_executor) {
  connected_pair p;
  asio::basic_stream_socket<rc, asio::any_io_executor> general(
      asio::basic_stream_socket<rc, asio::io_context::executor_type>(p.context));
  BOOST_TEST(!general.is_open());
}

BOOST_AUTO_TEST_SUITE_END()
