// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "device_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <poll.h>
#include <numeric>
#include <stdexcept>
#include <vector>

using namespace verbs_test;
using namespace asio_rdma::verbs;
using asio_rdma::errc;
using bytes = std::vector<unsigned char>;

namespace {

bytes numbered(std::size_t size) {
  bytes result(size);
  std::iota(result.begin(), result.end(), static_cast<unsigned char>(1));
  return result;
}

rdma_conn_param parameters(const bytes& private_data) {
  rdma_conn_param result{};
  result.private_data = private_data.data();
  result.private_data_len = static_cast<std::uint8_t>(private_data.size());
  result.responder_resources = result.initiator_depth = 4;
  result.retry_count = result.rnr_retry_count = 7;
  return result;
}

bytes private_data(const cm_event& event) {
  return bytes(event.private_data.begin(), event.private_data.begin() + event.private_data_size);
}

/// Connections within this process: both ends report on one channel.
struct connection_fixture : device_fixture {
  connection_fixture() { channel_of_events.nonblocking(true); }

  cm_event next_event() const {
    pollfd ready{channel_of_events.fd(), POLLIN, 0};
    if (::poll(&ready, 1, 30'000) != 1) throw std::runtime_error("no event came");
    return channel_of_events.get_event();
  }
  cm_event expect(rdma_cm_event_type type) const {
    const cm_event event = next_event();
    BOOST_REQUIRE_MESSAGE(event.type == type, "event " << event.type << ": " << event.error().message());
    return event;
  }

  cm_id listen() const {
    cm_id id(channel_of_events);
    const sockaddr_in own = address();
    id.bind(reinterpret_cast<const sockaddr*>(&own));
    id.listen(4);
    return id;
  }

  void add_queue_pair(const cm_id& id, protection_domain& own_domain, completion_queue& own_queue) const {
    own_domain = protection_domain(id.context());
    own_queue = completion_queue(id.context(), 32);
    ibv_qp_init_attr attributes = queue_attributes(IBV_QPT_RC);
    attributes.send_cq = attributes.recv_cq = own_queue.native_handle();
    id.create_queue_pair(own_domain, attributes);
  }

  /// An id that is ready to connect to a port of this host.
  cm_id resolved(std::uint16_t to_port) const {
    cm_id id(channel_of_events);
    sockaddr_in destination = address();
    destination.sin_port = htons(to_port);
    id.resolve_address(nullptr, reinterpret_cast<const sockaddr*>(&destination), std::chrono::seconds(5));
    expect(RDMA_CM_EVENT_ADDR_RESOLVED);
    id.resolve_route(std::chrono::seconds(5));
    expect(RDMA_CM_EVENT_ROUTE_RESOLVED);
    return id;
  }

  event_channel channel_of_events{table};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(connections, connection_fixture, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(carry_private_data_and_messages) {
  protection_domain client_domain, server_domain;  // before the ids, whose queue pairs go first
  completion_queue client_queue, server_queue;
  const cm_id listener = listen();
  BOOST_TEST(listener.source_port() != 0);
  const cm_id client = resolved(listener.source_port());
  BOOST_TEST(client.context().name() == std::string(device.name()));
  BOOST_TEST(client.port() == port);
  BOOST_TEST(client.destination_port() == listener.source_port());
  add_queue_pair(client, client_domain, client_queue);
  const bytes hello = numbered(56);  // all that fits
  client.connect(parameters(hello));

  const cm_event request = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
  BOOST_TEST(request.listen_id == listener.native_handle());
  BOOST_TEST((private_data(request) == hello));
  BOOST_TEST(int{request.connection.initiator_depth} == 4);
  const cm_id server = cm_id::adopt(request.id, table);
  BOOST_TEST(server.source_port() == listener.source_port());
  BOOST_TEST(server.destination_port() == client.source_port());
  BOOST_TEST(server.peer_address().sa_family == AF_INET);
  add_queue_pair(server, server_domain, server_queue);

  std::vector<char> memory(64);
  const memory_region region(server_domain, memory.data(), memory.size(), IBV_ACCESS_LOCAL_WRITE);
  ibv_sge into{reinterpret_cast<std::uintptr_t>(memory.data()), 64, region.lkey()};
  auto receive = receive_request(1, into);
  server.queue_pair().post_receive(receive);
  const bytes welcome = numbered(196);
  server.accept(parameters(welcome));
  cm_event first = expect(RDMA_CM_EVENT_ESTABLISHED), second = expect(RDMA_CM_EVENT_ESTABLISHED);
  if (first.id != client.native_handle()) std::swap(first, second);
  BOOST_TEST(second.id == server.native_handle());
  BOOST_TEST((private_data(first) == welcome));

  char text[] = "hello";
  ibv_sge out{reinterpret_cast<std::uintptr_t>(text), sizeof text, 0};
  auto send = send_request(2, IBV_WR_SEND, out);
  send.send_flags |= IBV_SEND_INLINE;
  client.queue_pair().post_send(send);
  ibv_wc completion{};
  while (server_queue.poll(&completion, 1) == 0) continue;
  BOOST_TEST(completion.status == IBV_WC_SUCCESS);
  BOOST_TEST(std::string(memory.data()) == "hello");

  client.disconnect();
  const cm_event disconnected = expect(RDMA_CM_EVENT_DISCONNECTED);
  BOOST_TEST(disconnected.id == server.native_handle());
  BOOST_TEST((disconnected.error() == boost::system::errc::connection_reset));
  server.disconnect();
  BOOST_TEST(expect(RDMA_CM_EVENT_DISCONNECTED).id == client.native_handle());
}

BOOST_AUTO_TEST_CASE(cannot_carry_more_private_data_than_fits) {
  protection_domain client_domain;
  completion_queue client_queue;
  const cm_id listener = listen();
  const cm_id client = resolved(listener.source_port());
  add_queue_pair(client, client_domain, client_queue);
  error_code ec;
  client.connect(parameters(numbered(57)), ec);
  BOOST_TEST((ec == boost::system::errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(are_rejected_with_private_data) {
  protection_domain client_domain;
  completion_queue client_queue;
  const cm_id listener = listen();
  const cm_id client = resolved(listener.source_port());
  add_queue_pair(client, client_domain, client_queue);
  client.connect(parameters({}));
  const cm_id server = cm_id::adopt(expect(RDMA_CM_EVENT_CONNECT_REQUEST).id, table);
  const bytes no = numbered(148);
  server.reject(no.data(), 148);
  const cm_event rejected = expect(RDMA_CM_EVENT_REJECTED);
  BOOST_TEST(rejected.status == 28);
  BOOST_TEST((private_data(rejected) == no));
  BOOST_TEST(rejected.error() == error_code(28, asio_rdma::cm_reject_category()));
  BOOST_TEST((rejected.error() == boost::system::errc::connection_refused));
}

BOOST_AUTO_TEST_CASE(to_a_port_where_nobody_listens_are_refused) {
  protection_domain client_domain;
  completion_queue client_queue;
  cm_id listener = listen();
  const std::uint16_t closed = listener.source_port();
  listener.reset();
  const cm_id client = resolved(closed);
  add_queue_pair(client, client_domain, client_queue);
  client.connect(parameters({}));
  const cm_event rejected = expect(RDMA_CM_EVENT_REJECTED);
  BOOST_TEST(rejected.status == 8);
  BOOST_TEST((rejected.error() == boost::system::errc::connection_refused));
}

BOOST_AUTO_TEST_CASE(without_a_route_fail_at_once) {
  const cm_id id(channel_of_events);
  sockaddr_in nowhere{};
  nowhere.sin_family = AF_INET;
  ::inet_pton(AF_INET, "192.0.2.1", &nowhere.sin_addr);
  error_code ec;
  id.resolve_address(nullptr, reinterpret_cast<const sockaddr*>(&nowhere), std::chrono::seconds(1), ec);
  if (!ec) ec = next_event().error();
  BOOST_TEST((ec == boost::system::errc::network_unreachable || ec == boost::system::errc::host_unreachable));
}

BOOST_AUTO_TEST_CASE(share_no_address_that_is_in_use) {
  const cm_id listener = listen();
  sockaddr_in same = address();
  same.sin_port = htons(listener.source_port());
  const cm_id other(channel_of_events);
  error_code ec;
  other.bind(reinterpret_cast<const sockaddr*>(&same), ec);
  BOOST_TEST((ec == boost::system::errc::address_in_use));
}

BOOST_AUTO_TEST_CASE(take_their_options) {
  const cm_id id(channel_of_events);
  id.reuse_address(true);
  id.v6_only(true);
  id.ack_timeout(14);
  id.type_of_service(0x20);
  error_code ec;
  id.set_option(RDMA_OPTION_ID, 999, 1, ec);
  BOOST_TEST(!!ec);
}

BOOST_AUTO_TEST_CASE(report_on_the_channel_that_they_were_moved_to) {
  const event_channel other(table);
  sockaddr_in destination = address();
  destination.sin_port = htons(1);
  const cm_id id(channel_of_events);
  id.migrate(other);
  id.resolve_address(nullptr, reinterpret_cast<const sockaddr*>(&destination), std::chrono::seconds(5));
  BOOST_TEST(other.get_event().type == RDMA_CM_EVENT_ADDR_RESOLVED);
  error_code ec;
  channel_of_events.get_event(ec);
  BOOST_TEST((ec == boost::system::errc::resource_unavailable_try_again));
}

BOOST_AUTO_TEST_CASE(join_and_leave_multicast_groups) {
  protection_domain own_domain;
  completion_queue own_queue;
  const cm_id id(channel_of_events, RDMA_PS_UDP);
  const sockaddr_in own = address();
  id.bind(reinterpret_cast<const sockaddr*>(&own));
  own_domain = protection_domain(id.context());
  own_queue = completion_queue(id.context(), 32);
  ibv_qp_init_attr attributes = queue_attributes(IBV_QPT_UD);
  attributes.send_cq = attributes.recv_cq = own_queue.native_handle();
  id.create_queue_pair(own_domain, attributes);
  sockaddr_in group{};
  group.sin_family = AF_INET;
  ::inet_pton(AF_INET, "239.1.2.3", &group.sin_addr);
  id.join_multicast(reinterpret_cast<const sockaddr*>(&group));
  const cm_event joined = expect(RDMA_CM_EVENT_MULTICAST_JOIN);
  BOOST_TEST(joined.datagram.qp_num == 0xffffffu);
  BOOST_TEST(joined.datagram.qkey == std::uint32_t{RDMA_UDP_QKEY});
  id.leave_multicast(reinterpret_cast<const sockaddr*>(&group));
}

BOOST_AUTO_TEST_SUITE_END()
