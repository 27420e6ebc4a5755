// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <cstring>
#include <string>

namespace {

raw_options by_exchange() {
  raw_options o;
  o.setup = asio_rdma::raw_setup::exchange;
  return o;
}

raw_options datagrams(asio_rdma::raw_setup setup) {
  raw_options o;
  o.setup = setup;
  o.transport = asio_rdma::raw_transport::datagram;
  return o;
}

void send_a_message(connected_pair& p) {
  const local_buffer to = p.server_memory.slice(0, 64);
  p.server.post_receive(receive_request(to).with_id(7));
  std::strcpy(p.client_memory.as<char>(), "hello");
  const local_buffer from = p.client_memory.slice(0, 6);
  p.client.post_send(work_request::send(from).with_id(8).with_immediate(0x01020304));
  BOOST_TEST(next_good(p.client).id() == 8u);
  const work_completion received = next_good(p.server);
  BOOST_TEST(received.id() == 7u);
  BOOST_TEST(received.is_receive());
  BOOST_TEST(received.bytes() == 6u);
  BOOST_TEST(received.has_immediate());
  BOOST_TEST(received.immediate() == 0x01020304u);
  BOOST_TEST(p.server_memory.as<char>() == std::string("hello"));
}

void send_and_answer_a_datagram(connected_pair& p) {
  constexpr std::size_t header = work_completion::datagram_header;
  const local_buffer to = p.server_memory.slice(0, 64 + header);
  const local_buffer back = p.client_memory.slice(1000, 64 + header);
  p.server.post_receive(receive_request(to));
  p.client.post_receive(receive_request(back));
  std::strcpy(p.client_memory.as<char>(), "ping");
  std::strcpy(p.server_memory.as<char>(1000), "pong");
  const local_buffer ping = p.client_memory.slice(0, 5);
  const local_buffer pong = p.server_memory.slice(1000, 5);
  p.client.post_send(work_request::send(ping).to(p.client.peer()));
  BOOST_TEST(!next_good(p.client).is_receive());
  const work_completion received = next_good(p.server);
  BOOST_TEST(received.bytes() == 5u + header);
  BOOST_TEST(received.src_qp == p.client.queue_pair().number());
  BOOST_TEST(p.server_memory.as<char>(header) == std::string("ping"));
  p.server.post_send(work_request::send(pong).to(p.server.peer()));
  BOOST_TEST(next_good(p.client).is_receive());
  BOOST_TEST(p.client_memory.as<char>(1000 + header) == std::string("pong"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(data)

BOOST_AUTO_TEST_CASE(both_ends_know_what_the_other_offers) {
  connected_pair p;
  BOOST_TEST(p.client.peer_memory().address == p.server_memory.device_address());
  BOOST_TEST(p.client.peer_memory().length == p.server_memory.size());
  BOOST_TEST(p.client.peer_memory().key == p.server_memory.remote_key());
  BOOST_TEST(p.server.peer_memory().address == p.client_memory.device_address());
  BOOST_TEST(p.server.peer_memory().key == p.client_memory.remote_key());
}

BOOST_AUTO_TEST_CASE(a_message_arrives_with_its_immediate) {
  connected_pair p;
  send_a_message(p);
}

BOOST_AUTO_TEST_CASE(an_exchange_over_tcp_connects_as_well) {
  connected_pair p(by_exchange());
  BOOST_TEST(p.client.native_handle().id == nullptr);
  BOOST_TEST(p.client.limits().gid_index >= 0);
  BOOST_TEST(p.client.peer_memory().address == p.server_memory.device_address());
  send_a_message(p);
}

BOOST_AUTO_TEST_CASE(datagrams_find_the_way_by_the_connection_manager) {
  connected_pair p(datagrams(asio_rdma::raw_setup::connection_manager));
  send_and_answer_a_datagram(p);
}

BOOST_AUTO_TEST_CASE(datagrams_find_the_way_by_an_exchange) {
  connected_pair p(datagrams(asio_rdma::raw_setup::exchange));
  send_and_answer_a_datagram(p);
}

BOOST_AUTO_TEST_CASE(the_peers_memory_is_written_and_read) {
  connected_pair p;
  std::strcpy(p.client_memory.as<char>(), "written");
  const local_buffer from = p.client_memory.slice(0, 8);
  const local_buffer to = p.client_memory.slice(100, 8);
  work_request requests[] = {work_request::write(from, p.client.peer_memory().at(40)).signaled(false),
                             work_request::read(to, p.client.peer_memory().at(40)).with_id(2)};
  p.client.post_send(requests);
  BOOST_TEST(next_good(p.client).id() == 2u);
  BOOST_TEST(p.server_memory.as<char>(40) == std::string("written"));
  BOOST_TEST(p.client_memory.as<char>(100) == std::string("written"));
}

BOOST_AUTO_TEST_SUITE_END()
