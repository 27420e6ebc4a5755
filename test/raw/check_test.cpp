// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Requests are checked here whatever the build. What it shares with the other files is compiled as there, so that it
// uses none of their functions that post or poll.
#define ASIO_RDMA_CHECKED

#include "fixture.hpp"

#include <string>
#include <vector>

namespace {

/// What a request is refused with.
std::string refusal(raw_connection& c, work_request r) {
  error_code ec;
  c.post_send(r, ec);
  BOOST_TEST((ec == errc::misuse), ec.message());
  BOOST_TEST((ec == boost::system::errc::invalid_argument));
  return ec ? ec.message() : std::string();
}

bool has(const std::string& text, const char* part) {
  if (text.find(part) != std::string::npos) return true;
  BOOST_TEST_MESSAGE(text);
  return false;
}

void take(raw_connection& c, std::size_t count) {
  std::vector<work_completion> found(count);
  for (std::size_t n = 0; n < count;) n += c.poll({found.data() + n, count - n});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(checks)

BOOST_AUTO_TEST_CASE(memory_that_is_not_there) {
  connected_pair p({}, 4096);
  local_buffer b = p.client_memory.slice(0, 100);
  b.addr += 4000;
  BOOST_TEST(has(refusal(p.client, work_request::send(b)), "is not within its memory, 4096 bytes"));
  const local_buffer good = p.client_memory.slice(0, 100);
  BOOST_TEST(has(refusal(p.client, work_request::write(good, p.client.peer_memory().at(4000))),
                 "not within the memory that it offers, 4096 bytes"));
}

BOOST_AUTO_TEST_CASE(a_key_of_another_protection_domain) {
  raw_options o;
  o.setup = asio_rdma::raw_setup::exchange;
  connected_pair other(o);
  connected_pair p;
  // Of two domains the same key may mean memory in both.
  std::vector<registered_memory> more;
  while (more.size() < 4) more.push_back(other.client.register_memory(8));
  const local_buffer foreign = more.back().slice(0, 8);
  BOOST_TEST(has(refusal(p.client, work_request::send(foreign)), "belongs to another device"));
}

BOOST_AUTO_TEST_CASE(a_full_queue) {
  raw_options o;
  o.send_depth = 4;
  connected_pair p(o);
  const unsigned depth = p.client.limits().send_depth;
  const local_buffer b = p.client_memory.slice(0, 8);
  std::vector<work_request> many(depth + 1, work_request::write(b, p.client.peer_memory()));
  error_code ec;
  BOOST_TEST(p.client.post_send(many, ec) == depth);  // the good ones are posted
  BOOST_TEST((ec == errc::misuse));
  BOOST_TEST(has(ec.message(), "send queue is full"));
  take(p.client, depth);
  many.resize(depth);
  p.client.post_send(many);
  take(p.client, depth);
  std::vector<receive_request> receives(p.client.limits().receive_depth + 1);
  BOOST_TEST(p.client.post_receive(receives, ec) == receives.size() - 1);
  BOOST_TEST(has(ec.message(), "receive queue is full"));
}

BOOST_AUTO_TEST_CASE(requests_that_make_no_sense) {
  connected_pair p;
  const local_buffer b = p.client_memory.slice(0, 16);
  const local_buffer eight = p.client_memory.slice(0, 8);
  const local_buffer all = p.client_memory.slice(0, p.client_memory.size());
  const remote_memory there = p.client.peer_memory();
  BOOST_TEST(has(refusal(p.client, work_request::fetch_and_add(b, there, 1)), "is 8 bytes"));
  BOOST_TEST(has(refusal(p.client, work_request::fetch_and_add(eight, there.at(4), 1)), "no multiple of 8"));
  BOOST_TEST(has(refusal(p.client, work_request::send(all).inline_data()), "too many to be inline"));
  BOOST_TEST(has(refusal(p.client, work_request::read(b, there).inline_data()), "cannot be inline"));
  const std::vector<local_buffer> buffers(p.client.limits().send_sge + 1, b);
  BOOST_TEST(has(refusal(p.client, work_request::send(buffers)), "raise raw_options::send_sge"));
}

BOOST_AUTO_TEST_CASE(datagrams_without_an_address) {
  raw_options o;
  o.transport = asio_rdma::raw_transport::datagram;
  connected_pair p(o);
  const local_buffer b = p.client_memory.slice(0, 16);
  const local_buffer large = p.client_memory.slice(0, 5000);
  BOOST_TEST(has(refusal(p.client, work_request::send(b)), "work_request::to()"));
  BOOST_TEST(has(refusal(p.client, work_request::send(large).to(p.client.peer())), "too many for a datagram"));
  BOOST_TEST(has(refusal(p.client, work_request::write(b, {})), "sends only"));
}

BOOST_AUTO_TEST_SUITE_END()
