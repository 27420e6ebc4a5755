// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

BOOST_AUTO_TEST_SUITE(options)

template <class Option, class Value>
void check_round_trip(rc::socket& s, Value value) {
  s.set_option(Option(value));
  Option read;
  s.get_option(read);
  BOOST_TEST(read.value() == value);
}

BOOST_AUTO_TEST_CASE(options_of_tcp_read_back_as_they_were_set) {
  asio::io_context context;
  rc::socket s(context, rc::v4());
  for (const bool on : {true, false}) {
    check_round_trip<rc::no_delay>(s, on);
    check_round_trip<rc::socket::keep_alive>(s, on);
    check_round_trip<rc::socket::reuse_address>(s, on);
    check_round_trip<rc::socket::broadcast>(s, on);
    check_round_trip<rc::socket::debug>(s, on);
    check_round_trip<rc::socket::do_not_route>(s, on);
    check_round_trip<rc::socket::out_of_band_inline>(s, on);
    check_round_trip<rc::socket::enable_connection_aborted>(s, on);
  }
  check_round_trip<rc::socket::receive_low_watermark>(s, 4);
  check_round_trip<rc::socket::receive_buffer_size>(s, 300000);
  check_round_trip<rc::socket::send_buffer_size>(s, 12345);

  s.set_option(rc::socket::linger(true, 30));
  rc::socket::linger linger;
  s.get_option(linger);
  BOOST_TEST(linger.enabled());
  BOOST_TEST(linger.timeout() == 30);
  s.set_option(rc::socket::linger(false, 30));
  s.get_option(linger);
  BOOST_TEST(!linger.enabled());

  // That of sending cannot be set on Linux.
  boost::system::error_code e;
  s.set_option(rc::socket::send_low_watermark(4), e);
  BOOST_TEST(e == asio::error::no_protocol_option);
  rc::socket::send_low_watermark send_low_watermark;
  s.get_option(send_low_watermark);
  BOOST_TEST(send_low_watermark.value() == 1);

  rc::socket s6(context, rc::v6());
  check_round_trip<asio::ip::v6_only>(s6, true);
}

BOOST_AUTO_TEST_CASE(buffer_sizes_are_hints_that_come_too_late_once_connected) {
  connected_pair p;
  p.client.set_option(rc::socket::receive_buffer_size(8192));
  rc::socket::receive_buffer_size size;
  p.client.get_option(size);
  BOOST_TEST(size.value() == 8192);
}

BOOST_AUTO_TEST_CASE(own_options) {
  asio::io_context context;
  rc::socket s(context, rc::v4());
  check_round_trip<asio_rdma::receive_buffer_size>(s, 1 << 20);
  check_round_trip<asio_rdma::send_buffer_size>(s, 1 << 16);
  check_round_trip<asio_rdma::queue_depth>(s, 64);
  check_round_trip<asio_rdma::ack_timeout>(s, 14);
  check_round_trip<asio_rdma::retry_count>(s, 3);
  check_round_trip<asio_rdma::connect_timeout>(s, 700);
  check_round_trip<asio_rdma::acknowledged_writes>(s, true);

  s.set_option(asio_rdma::receive_buffer_size(5000));
  asio_rdma::receive_buffer_size rounded;
  s.get_option(rounded);
  BOOST_TEST(rounded.value() == 8192);

  error_code ec;
  s.set_option(asio_rdma::queue_depth(1), ec);
  BOOST_TEST(ec == asio::error::invalid_argument);
}

BOOST_AUTO_TEST_CASE(accepted_sockets_inherit) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port().protocol());
  acceptor.set_option(asio_rdma::acknowledged_writes(true));
  acceptor.set_option(asio_rdma::queue_depth(64));
  acceptor.bind(any_port());
  acceptor.listen();
  rc::socket client(context);
  client.connect(acceptor.local_endpoint());
  rc::socket server = acceptor.accept();
  asio_rdma::acknowledged_writes acknowledged;
  asio_rdma::queue_depth depth;
  server.get_option(acknowledged);
  server.get_option(depth);
  BOOST_TEST(acknowledged.value());
  BOOST_TEST(depth.value() == 64);
  write_string(server, "x");
  BOOST_TEST(read_string(client, 1) == "x");
}

BOOST_AUTO_TEST_CASE(unknown_option) {
  asio::io_context context;
  rc::socket s(context, rc::v4());
  error_code ec;
  s.set_option(asio::ip::unicast::hops(3), ec);
  BOOST_TEST(ec == asio::error::no_protocol_option);
  asio::ip::unicast::hops hops;
  s.get_option(hops, ec);
  BOOST_TEST(ec == asio::error::no_protocol_option);
}

BOOST_AUTO_TEST_SUITE_END()
