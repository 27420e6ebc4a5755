// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "device_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <cstring>

using namespace verbs_test;
using namespace asio_rdma::verbs;

namespace {

constexpr std::uint32_t key = 0x22222222;
constexpr std::size_t grh_size = sizeof(ibv_grh);

struct datagram_fixture : device_fixture {
  queue_pair make() const {
    ibv_qp_init_attr attributes = queue_attributes(IBV_QPT_UD);
    queue_pair pair(domain, attributes);
    init_attributes init;
    init.port = port;
    init.qkey = key;
    pair.to_init(init);
    pair.to_rtr();
    pair.to_rts();
    return pair;
  }

  /// Sends from one to the other and returns the completion of the receive.
  ibv_wc exchange(const queue_pair& from, buffer& out, const address_handle& where, const queue_pair& to, buffer& in) {
    auto into = in.whole(), outof = out.whole();
    auto receive = receive_request(1, into);
    auto send = send_request(2, IBV_WR_SEND, outof);
    send.wr.ud.ah = where.native_handle();
    send.wr.ud.remote_qpn = to.number();
    send.wr.ud.remote_qkey = key;
    to.post_receive(receive);
    from.post_send(send);
    BOOST_TEST(completion_of(2).status == IBV_WC_SUCCESS);
    return completion_of(1);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(datagrams, datagram_fixture, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(are_answered_by_what_came_with_them) {
  const queue_pair a = make(), b = make();
  const address_handle to_self(domain, path_to_self());
  buffer question(*this, 100), answer(*this, 50), at_a(*this, 200), at_b(*this, 200);
  question.write("question");
  answer.write("answer");

  const ibv_wc asked = exchange(a, question, to_self, b, at_b);
  BOOST_TEST(asked.byte_len == 100 + grh_size);
  BOOST_TEST((asked.wc_flags & IBV_WC_GRH) != 0u);
  BOOST_TEST(asked.src_qp == a.number());
  BOOST_TEST(std::string(at_b.bytes.data() + grh_size) == "question");

  ibv_grh grh{};
  std::memcpy(&grh, at_b.bytes.data(), sizeof grh);
  const address_handle back(domain, asked, &grh, port);
  const ibv_wc answered = exchange(b, answer, back, a, at_a);
  BOOST_TEST(answered.byte_len == 50 + grh_size);
  BOOST_TEST(answered.src_qp == b.number());
  BOOST_TEST(std::string(at_a.bytes.data() + grh_size) == "answer");

  const ibv_ah_attr attributes = address_handle::attributes(device, asked, &grh, port);
  BOOST_TEST(attributes.is_global == 1);
  BOOST_TEST(attributes.port_num == port);
  BOOST_TEST(std::memcmp(&attributes.grh.dgid, &gid.gid, sizeof gid.gid) == 0);
}

BOOST_AUTO_TEST_CASE(to_nowhere_get_no_address_handle) {
  ibv_ah_attr path = path_to_self();
  path.port_num = 99;
  error_code ec;
  BOOST_TEST(!address_handle::create(domain, path, ec));
  BOOST_TEST((ec == boost::system::errc::invalid_argument));
}

BOOST_AUTO_TEST_SUITE_END()
