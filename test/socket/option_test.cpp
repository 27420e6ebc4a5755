// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <string>

BOOST_AUTO_TEST_SUITE(options)

namespace {

using asio_rdma::errc;

/// As programs name the options that Asio has no class for.
template <int Level, int Name>
using integer = asio::detail::socket_option::integer<Level, Name>;
template <int Level, int Name>
using boolean = asio::detail::socket_option::boolean<Level, Name>;

template <class Option, class Socket, class Value>
void check_round_trip(Socket& s, Value value) {
  s.set_option(Option(value));
  Option read;
  s.get_option(read);
  BOOST_TEST(read.value() == value);
}

template <class Option, class Socket>
auto value_of(Socket& s) {
  Option o;
  s.get_option(o);
  return o.value();
}

template <class Option, class Socket, class Value>
void check_refused(Socket& s, Value value) {
  const auto before = value_of<Option>(s);
  error_code ec;
  s.set_option(Option(value), ec);
  BOOST_TEST(ec == asio::error::invalid_argument);
  BOOST_TEST(value_of<Option>(s) == before);
}

template <class Option, class Socket>
void check_range(Socket& s, int least, int most) {
  check_round_trip<Option>(s, least);
  check_round_trip<Option>(s, most);
  if (most < 2147483647) check_refused<Option>(s, most + 1);
  check_refused<Option>(s, least - 1);
}

void check_mentions(const std::string& text, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts) BOOST_TEST(text.find(part) != std::string::npos, text << ": no " << part);
}

/// An acceptor that takes one client; both get an option before.
struct configured_pair {
  template <class... Options>
  explicit configured_pair(const Options&... options) {
    acceptor.open(any_port().protocol());
    client.open(any_port().protocol());
    (acceptor.set_option(options), ...);
    (client.set_option(options), ...);
    acceptor.bind(any_port());
    acceptor.listen();
  }
  void connect() {
    client.connect(acceptor.local_endpoint());
    acceptor.accept(server);
  }
  void exchange() {
    write_string(client, "question");
    BOOST_TEST(read_string(server, 8) == "question");
    write_string(server, "answer");
    BOOST_TEST(read_string(client, 6) == "answer");
  }

  asio::io_context context;
  rc::acceptor acceptor{context};
  rc::socket client{context};
  rc::socket server{context};
};

/// Connects; if the device cannot do it, the error must say so, and for which option.
template <class Option>
void check_honoured_or_refused(const std::string& name, int value) {
  configured_pair p{Option(value)};
  error_code ec;
  p.client.connect(p.acceptor.local_endpoint(), ec);
  if (!ec) {
    p.acceptor.accept(p.server);
    BOOST_TEST(value_of<Option>(p.client) == value);
    BOOST_TEST(value_of<Option>(p.server) == value);
    return p.exchange();
  }
  // The listener has the option too, and refuses us before we look ourselves.
  BOOST_TEST(ec == asio::error::connection_refused);
  configured_pair q;
  q.client.set_option(Option(value));
  q.client.connect(q.acceptor.local_endpoint(), ec);
  BOOST_TEST((ec == errc::option_refused));
  BOOST_TEST((ec == boost::system::errc::operation_not_supported));
  check_mentions(ec.message(), {"option " + name + " is " + std::to_string(value), "default"});
  const auto f = asio_rdma::last_failure(q.client);
  BOOST_TEST((f.code == errc::option_refused));
  check_mentions(f.text, {name});
  BOOST_TEST(asio_rdma::device_name(q.client) != "soft0");
}

}  // namespace

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
    check_round_trip<boolean<SOL_SOCKET, SO_REUSEPORT>>(s, on);
    check_round_trip<boolean<IPPROTO_TCP, TCP_QUICKACK>>(s, on);
    check_round_trip<boolean<IPPROTO_TCP, TCP_CORK>>(s, on);
  }
  check_round_trip<rc::socket::receive_low_watermark>(s, 4);
  check_round_trip<rc::socket::receive_buffer_size>(s, 300000);
  check_round_trip<rc::socket::send_buffer_size>(s, 12345);
  check_round_trip<integer<IPPROTO_TCP, TCP_KEEPIDLE>>(s, 60);
  check_round_trip<integer<IPPROTO_TCP, TCP_KEEPINTVL>>(s, 10);
  check_round_trip<integer<IPPROTO_TCP, TCP_KEEPCNT>>(s, 5);
  check_round_trip<integer<IPPROTO_TCP, TCP_USER_TIMEOUT>>(s, 30000);
  check_round_trip<integer<IPPROTO_TCP, TCP_MAXSEG>>(s, 1000);
  check_round_trip<integer<IPPROTO_TCP, TCP_SYNCNT>>(s, 2);
  check_round_trip<integer<IPPROTO_TCP, TCP_LINGER2>>(s, 9);
  check_round_trip<integer<IPPROTO_TCP, TCP_DEFER_ACCEPT>>(s, 1);
  check_round_trip<integer<IPPROTO_TCP, TCP_WINDOW_CLAMP>>(s, 65536);
  check_round_trip<integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>>(s, 16384);
  check_round_trip<integer<IPPROTO_TCP, TCP_FASTOPEN>>(s, 5);
  check_round_trip<integer<SOL_SOCKET, SO_PRIORITY>>(s, 6);
  check_round_trip<integer<SOL_SOCKET, SO_BUSY_POLL>>(s, 20);
  check_round_trip<integer<IPPROTO_IP, IP_TOS>>(s, 0x10);
  check_round_trip<asio::ip::unicast::hops>(s, 7);

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
  check_round_trip<integer<IPPROTO_IPV6, IPV6_TCLASS>>(s6, 0x20);
  check_round_trip<asio::ip::unicast::hops>(s6, 7);
}

BOOST_AUTO_TEST_CASE(options_of_tcp_that_mean_something_are_ours_by_another_name) {
  asio::io_context context;
  rc::socket s(context, rc::v4());
  BOOST_TEST((value_of<integer<IPPROTO_IP, IP_TOS>>(s) == 0));
  BOOST_TEST((value_of<asio::ip::unicast::hops>(s) == 64));
  s.set_option(integer<IPPROTO_IP, IP_TOS>(0x10));
  BOOST_TEST(value_of<asio_rdma::traffic_class>(s) == 0x10);
  s.set_option(asio::ip::unicast::hops(7));
  BOOST_TEST(value_of<asio_rdma::hop_limit>(s) == 7);
  s.set_option(integer<SOL_SOCKET, SO_BUSY_POLL>(20));
  BOOST_TEST(value_of<asio_rdma::busy_poll>(s) == 20);
  s.set_option(rc::socket::receive_buffer_size(300000));
  BOOST_TEST(value_of<asio_rdma::receive_buffer_size>(s) == 524288);
  s.set_option(rc::socket::send_buffer_size(1));
  BOOST_TEST(value_of<asio_rdma::send_buffer_size>(s) == 4096);
  s.set_option(rc::socket::send_buffer_size(2000000000));
  BOOST_TEST(value_of<asio_rdma::send_buffer_size>(s) == 67108864);

  error_code ec;
  s.set_option(integer<IPPROTO_IP, IP_TTL>(0), ec);
  BOOST_TEST(ec == asio::error::invalid_argument);
  s.set_option(integer<IPPROTO_IP, IP_TTL>(256), ec);
  BOOST_TEST(ec == asio::error::invalid_argument);
}

BOOST_AUTO_TEST_CASE(keep_alive_takes_the_idle_time) {
  asio::io_context context;
  rc::socket s(context, rc::v4());
  BOOST_TEST(!value_of<rc::socket::keep_alive>(s));
  s.set_option(rc::socket::keep_alive(true));
  BOOST_TEST(value_of<asio_rdma::keepalive>(s) == 7200);
  s.set_option(integer<IPPROTO_TCP, TCP_KEEPIDLE>(60));
  BOOST_TEST(value_of<asio_rdma::keepalive>(s) == 60);
  s.set_option(rc::socket::keep_alive(false));
  BOOST_TEST(value_of<asio_rdma::keepalive>(s) == 0);
  s.set_option(rc::socket::keep_alive(true));
  BOOST_TEST(value_of<asio_rdma::keepalive>(s) == 60);
  s.set_option(asio_rdma::keepalive(5));
  s.set_option(rc::socket::keep_alive(true));
  BOOST_TEST(value_of<asio_rdma::keepalive>(s) == 5);
}

BOOST_AUTO_TEST_CASE(hints_of_tcp_come_too_late_once_connected_and_do_no_harm) {
  connected_pair p;
  check_round_trip<rc::socket::receive_buffer_size>(p.client, 8192);
  check_round_trip<rc::socket::send_buffer_size>(p.client, 8192);
  check_round_trip<integer<IPPROTO_IP, IP_TOS>>(p.client, 8);
  check_round_trip<integer<IPPROTO_IP, IP_TTL>>(p.client, 3);
  BOOST_TEST(value_of<asio_rdma::receive_buffer_size>(p.client) == 131072);
  BOOST_TEST(value_of<asio_rdma::traffic_class>(p.client) != 8);
  BOOST_TEST(value_of<asio_rdma::hop_limit>(p.client) != 3);
}

BOOST_AUTO_TEST_CASE(own_options_and_their_ranges) {
  asio::io_context context;
  rc::socket s(context, rc::v4());
  check_range<asio_rdma::receive_buffer_size>(s, 4096, 67108864);
  check_range<asio_rdma::send_buffer_size>(s, 4096, 67108864);
  check_range<asio_rdma::queue_depth>(s, 32, 8192);
  check_range<asio_rdma::ack_timeout>(s, 0, 31);
  check_range<asio_rdma::retry_count>(s, 0, 7);
  check_range<asio_rdma::connect_timeout>(s, 1, 2147483647);
  check_range<asio_rdma::inline_size>(s, 0, 1024);
  check_range<asio_rdma::busy_poll>(s, -1, 10000);
  check_range<asio_rdma::traffic_class>(s, -1, 255);
  check_range<asio_rdma::rnr_retry>(s, 0, 7);
  check_range<asio_rdma::keepalive>(s, 0, 32767);
  check_range<asio_rdma::service_level>(s, -1, 15);
  check_range<asio_rdma::pkey>(s, 0, 65535);
  check_range<asio_rdma::hop_limit>(s, 0, 255);
  check_range<asio_rdma::gid_index>(s, -1, 255);
  check_round_trip<asio_rdma::acknowledged_writes>(s, true);
  check_round_trip<asio_rdma::acknowledged_writes>(s, false);

  s.set_option(asio_rdma::receive_buffer_size(5000));
  BOOST_TEST(value_of<asio_rdma::receive_buffer_size>(s) == 8192);
}

template <class Socket>
void check_too_late(Socket& s) {
  check_refused<asio_rdma::receive_buffer_size>(s, 8192);
  check_refused<asio_rdma::send_buffer_size>(s, 8192);
  check_refused<asio_rdma::queue_depth>(s, 64);
  check_refused<asio_rdma::ack_timeout>(s, 14);
  check_refused<asio_rdma::retry_count>(s, 3);
  check_refused<asio_rdma::connect_timeout>(s, 700);
  check_refused<asio_rdma::inline_size>(s, 16);
  check_refused<asio_rdma::traffic_class>(s, 8);
  check_refused<asio_rdma::rnr_retry>(s, 3);
  check_refused<asio_rdma::service_level>(s, 3);
  check_refused<asio_rdma::pkey>(s, 65535);
  check_refused<asio_rdma::hop_limit>(s, 3);
  check_refused<asio_rdma::gid_index>(s, 0);
  check_refused<asio_rdma::device>(s, "auto");
  check_round_trip<asio_rdma::busy_poll>(s, 5);
  check_round_trip<asio_rdma::keepalive>(s, 5);
  check_round_trip<asio_rdma::acknowledged_writes>(s, true);
}

BOOST_AUTO_TEST_CASE(what_makes_a_connection_cannot_be_set_once_there_is_one) {
  configured_pair p;
  p.connect();
  check_too_late(p.acceptor);
  check_too_late(p.client);
  check_too_late(p.server);
  p.exchange();
}

BOOST_AUTO_TEST_CASE(after_a_connect_that_failed_there_is_another_try_with_other_values) {
  asio::io_context context;
  rc::socket s(context, any_port().protocol());
  error_code ec;
  s.connect(deserted_endpoint(), ec);
  BOOST_TEST(ec == asio::error::connection_refused);
  check_round_trip<asio_rdma::queue_depth>(s, 64);
  rc::acceptor acceptor(context, any_port());
  s.connect(acceptor.local_endpoint());
  BOOST_TEST(value_of<asio_rdma::queue_depth>(s) == 64);
}

BOOST_AUTO_TEST_CASE(v6_only_comes_before_bind) {
  asio::io_context context;
  rc::acceptor acceptor(context, rc::v6());
  acceptor.bind({rc::v6(), 0});
  error_code ec;
  acceptor.set_option(asio::ip::v6_only(true), ec);
  BOOST_TEST(ec == asio::error::invalid_argument);
}

BOOST_AUTO_TEST_CASE(accepted_sockets_inherit) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port().protocol());
  acceptor.set_option(asio_rdma::acknowledged_writes(true));
  acceptor.set_option(asio_rdma::queue_depth(64));
  acceptor.set_option(asio_rdma::receive_buffer_size(8192));
  acceptor.set_option(asio_rdma::retry_count(5));
  acceptor.set_option(asio_rdma::rnr_retry(4));
  acceptor.set_option(asio_rdma::ack_timeout(18));
  acceptor.set_option(asio_rdma::keepalive(100));
  acceptor.set_option(asio_rdma::traffic_class(0x20));
  acceptor.set_option(rc::no_delay(true));
  acceptor.set_option(integer<IPPROTO_TCP, TCP_KEEPCNT>(3));
  acceptor.set_option(rc::acceptor::send_buffer_size(5000));
  acceptor.bind(any_port());
  acceptor.listen();
  acceptor.set_option(asio_rdma::busy_poll(7));
  rc::socket client(context);
  client.connect(acceptor.local_endpoint());
  rc::socket server = acceptor.accept();
  BOOST_TEST(value_of<asio_rdma::acknowledged_writes>(server));
  BOOST_TEST(value_of<asio_rdma::queue_depth>(server) == 64);
  BOOST_TEST(value_of<asio_rdma::receive_buffer_size>(server) == 8192);
  BOOST_TEST(value_of<asio_rdma::retry_count>(server) == 5);
  BOOST_TEST(value_of<asio_rdma::rnr_retry>(server) == 4);
  BOOST_TEST(value_of<asio_rdma::ack_timeout>(server) == 18);
  BOOST_TEST(value_of<asio_rdma::keepalive>(server) == 100);
  BOOST_TEST(value_of<asio_rdma::traffic_class>(server) == 0x20);
  BOOST_TEST(value_of<asio_rdma::busy_poll>(server) == 7);
  BOOST_TEST(value_of<rc::no_delay>(server));
  BOOST_TEST((value_of<integer<IPPROTO_TCP, TCP_KEEPCNT>>(server) == 3));
  BOOST_TEST(value_of<rc::socket::send_buffer_size>(server) == 5000);
  BOOST_TEST(value_of<asio_rdma::send_buffer_size>(server) == 8192);
  // The client has its own.
  BOOST_TEST(value_of<asio_rdma::retry_count>(client) == 6);
  BOOST_TEST(value_of<asio_rdma::ack_timeout>(client) == 16);
  write_string(server, "x");
  BOOST_TEST(read_string(client, 1) == "x");
}

BOOST_AUTO_TEST_CASE(what_the_device_granted_is_read_back) {
  configured_pair p{asio_rdma::inline_size(64), asio_rdma::retry_count(5), asio_rdma::rnr_retry(4),
                    asio_rdma::ack_timeout(17), asio_rdma::traffic_class(0x68)};
  p.connect();
  for (rc::socket* s : {&p.client, &p.server}) {
    BOOST_TEST(value_of<asio_rdma::inline_size>(*s) >= 64);
    BOOST_TEST(value_of<asio_rdma::retry_count>(*s) == 5);
    BOOST_TEST(value_of<asio_rdma::rnr_retry>(*s) == 4);
    BOOST_TEST(value_of<asio_rdma::ack_timeout>(*s) == 17);
    BOOST_TEST(value_of<asio_rdma::traffic_class>(*s) == 0x68);
    BOOST_TEST(value_of<asio_rdma::pkey>(*s) == 0xffff);
    BOOST_TEST(value_of<asio_rdma::gid_index>(*s) >= 0);
    BOOST_TEST(value_of<asio_rdma::hop_limit>(*s) > 0);
    BOOST_TEST(value_of<asio_rdma::service_level>(*s) >= 0);
    BOOST_TEST(value_of<asio_rdma::device>(*s) == asio_rdma::device_name(*s));
  }
  p.exchange();
}

BOOST_AUTO_TEST_CASE(inline_size_is_what_the_device_can_do_at_most) {
  for (const int size : {0, 16, 1024}) {
    configured_pair p{asio_rdma::inline_size(size)};
    p.connect();
    const int granted = value_of<asio_rdma::inline_size>(p.client);
    BOOST_TEST(granted >= 0);
    if (asio_rdma::device_name(p.client) == "soft0") BOOST_TEST(granted == size);
    // Messages of that size, and of one more, arrive whole.
    for (const std::size_t length : {static_cast<std::size_t>(granted), static_cast<std::size_t>(granted) + 1}) {
      const auto sent = pattern(length);
      auto received = pattern(length, 2);
      asio::write(p.client, asio::buffer(sent));
      asio::read(p.server, asio::buffer(received));
      BOOST_TEST((sent == received));
    }
  }
}

BOOST_AUTO_TEST_CASE(traffic_class_goes_to_the_peer_unless_it_has_its_own) {
  configured_pair p;
  p.client.set_option(asio_rdma::traffic_class(0x40));
  p.connect();
  BOOST_TEST(value_of<asio_rdma::traffic_class>(p.client) == 0x40);
  if (asio_rdma::device_name(p.client) != "soft0") BOOST_TEST(value_of<asio_rdma::traffic_class>(p.server) == 0x40);
}

BOOST_AUTO_TEST_CASE(service_level) {
  check_honoured_or_refused<asio_rdma::service_level>("service_level", 3);
}

BOOST_AUTO_TEST_CASE(hop_limit) {
  check_honoured_or_refused<asio_rdma::hop_limit>("hop_limit", 9);
  // The one that there is anyway is always honoured.
  configured_pair before;
  before.connect();
  const int usual = value_of<asio_rdma::hop_limit>(before.client);
  configured_pair p{asio_rdma::hop_limit(usual)};
  p.connect();
  BOOST_TEST(value_of<asio_rdma::hop_limit>(p.client) == usual);
}

BOOST_AUTO_TEST_CASE(the_partition_has_to_be_the_one_of_the_address) {
  configured_pair p{asio_rdma::pkey(0x7fff)};  // a limited member of the default one
  p.connect();
  p.exchange();

  configured_pair wrong;
  wrong.client.set_option(asio_rdma::pkey(0x8001));
  error_code ec;
  wrong.client.connect(wrong.acceptor.local_endpoint(), ec);
  BOOST_TEST((ec == errc::option_refused));
  check_mentions(ec.message(), {"pkey", "0x8001", "0xffff", "bind to an address"});
  check_mentions(asio_rdma::last_failure(wrong.client).text, {"0x8001"});
}

BOOST_AUTO_TEST_CASE(the_gid_has_to_be_the_one_of_the_address) {
  configured_pair before;
  before.connect();
  const int chosen = value_of<asio_rdma::gid_index>(before.client);
  configured_pair p{asio_rdma::gid_index(chosen)};
  p.connect();
  p.exchange();

  configured_pair wrong;
  const int other = chosen == 0 ? 1 : 0;
  wrong.client.set_option(asio_rdma::gid_index(other));
  error_code ec;
  wrong.client.connect(wrong.acceptor.local_endpoint(), ec);
  BOOST_TEST((ec == errc::option_refused));
  check_mentions(ec.message(), {"gid_index is " + std::to_string(other), "GID " + std::to_string(chosen)});
  // The listener has not handed it out: the next connection is another one.
  wrong.client.close();
  wrong.connect();
  wrong.exchange();

  configured_pair absent;
  absent.client.set_option(asio_rdma::gid_index(255));
  absent.client.connect(absent.acceptor.local_endpoint(), ec);
  BOOST_TEST((ec == errc::option_refused));
  check_mentions(ec.message(), {"no such GID"});
}

BOOST_AUTO_TEST_CASE(a_listener_refuses_what_its_options_do_not_allow) {
  configured_pair p;
  rc::acceptor strict(p.context, any_port().protocol());
  strict.set_option(asio_rdma::pkey(0x8001));
  strict.bind(any_port());
  strict.listen();
  error_code ec;
  p.client.connect(strict.local_endpoint(), ec);
  BOOST_TEST(ec == asio::error::connection_refused);
}

BOOST_AUTO_TEST_CASE(a_socket_has_its_own_device) {
  asio::io_context context;
  rc::socket s(context, any_port().protocol());
  BOOST_TEST(value_of<asio_rdma::device>(s) == asio_rdma::device_policy());

  error_code ec;
  s.set_option(asio_rdma::device("no_such_device0"), ec);
  BOOST_TEST((ec == errc::unknown_device));
  check_mentions(ec.message(), {"no_such_device0", "soft0"});
  BOOST_TEST(value_of<asio_rdma::device>(s) == asio_rdma::device_policy());
  BOOST_CHECK_THROW(asio_rdma::device(std::string(64, 'x')), std::length_error);

  rc::acceptor acceptor(context, any_port().protocol());
  acceptor.set_option(asio_rdma::device("soft0"));
  BOOST_TEST(value_of<asio_rdma::device>(acceptor) == "soft0");
  acceptor.bind(any_port());
  acceptor.listen();
  s.set_option(asio_rdma::device("soft0"));
  s.connect(acceptor.local_endpoint());
  rc::socket server = acceptor.accept();
  BOOST_TEST(asio_rdma::device_name(s) == "soft0");
  BOOST_TEST(value_of<asio_rdma::device>(server) == "soft0");
  write_string(s, "x");
  BOOST_TEST(read_string(server, 1) == "x");

  s.close();
  s.open(any_port().protocol());
  s.set_option(asio_rdma::device("soft0"));
  s.set_option(asio_rdma::device(""));  // as if it had not been set
  BOOST_TEST(value_of<asio_rdma::device>(s) == asio_rdma::device_policy());
}

BOOST_AUTO_TEST_CASE(bytes_flow_while_both_ends_spin) {
  configured_pair p{asio_rdma::busy_poll(200)};
  p.connect();
  scoped_thread echo([&p] {
    for (int i = 0; i < 200; ++i) {
      char c = 0;
      error_code ec;
      asio::read(p.server, asio::buffer(&c, 1), ec);
      asio::write(p.server, asio::buffer(&c, 1), ec);
      LOCKED_TEST(!ec);
    }
  });
  for (int i = 0; i < 200; ++i) {
    const char sent = static_cast<char>(i);
    char received = 0;
    asio::write(p.client, asio::buffer(&sent, 1));
    asio::read(p.client, asio::buffer(&received, 1));
    LOCKED_TEST(received == sent);
  }
}

BOOST_AUTO_TEST_CASE(asynchronous_operations_spin_too_and_can_be_cancelled_and_closed) {
  configured_pair p{asio_rdma::busy_poll(200)};
  p.connect();
  char in[2] = {};
  int reads = 0;
  for (int i = 0; i < 50; ++i) {
    asio::async_read(p.server, asio::buffer(in, 1), [&](error_code ec, std::size_t) { reads += ec ? 0 : 1; });
    asio::async_write(p.client, asio::buffer("x", 1), [](error_code, std::size_t) {});
    run(p.context);
  }
  BOOST_TEST(reads == 50);
  error_code outcome;
  p.server.async_read_some(asio::buffer(in), [&](error_code ec, std::size_t) { outcome = ec; });
  p.server.cancel();
  run(p.context);
  BOOST_TEST(outcome == asio::error::operation_aborted);
  p.server.async_read_some(asio::buffer(in), [&](error_code ec, std::size_t) { outcome = ec; });
  p.client.close();
  run(p.context);
  BOOST_TEST(outcome == asio::error::eof);
}

BOOST_AUTO_TEST_CASE(a_peer_that_is_alive_answers_the_keepalive) {
  configured_pair p{asio_rdma::keepalive(1), asio_rdma::ack_timeout(14)};
  p.connect();
  p.exchange();
  std::this_thread::sleep_for(std::chrono::milliseconds(3500));
  p.exchange();
  BOOST_TEST(!asio_rdma::last_failure(p.client).code);
  BOOST_TEST(!asio_rdma::last_failure(p.server).code);
}

BOOST_AUTO_TEST_CASE(unknown_options) {
  asio::io_context context;
  rc::socket s(context, rc::v4());
  error_code ec;
  s.set_option(integer<IPPROTO_TCP, 9999>(3), ec);
  BOOST_TEST(ec == asio::error::no_protocol_option);
  integer<IPPROTO_TCP, 9999> value;
  s.get_option(value, ec);
  BOOST_TEST(ec == asio::error::no_protocol_option);
  s.set_option(asio_rdma::detail::text_option<SOL_SOCKET, SO_BINDTODEVICE>("eth0"), ec);
  BOOST_TEST(ec == asio::error::no_protocol_option);
  s.set_option(integer<asio_rdma::detail::rdma_option_level, 9999>(3), ec);
  BOOST_TEST(ec == asio::error::no_protocol_option);
}

BOOST_AUTO_TEST_SUITE_END()
