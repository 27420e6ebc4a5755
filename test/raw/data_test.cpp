// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <cstring>
#include <string>

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
