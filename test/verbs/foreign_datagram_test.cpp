// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What a datagram socket makes of packets that are not from one of its kind.

#include "device_fixture.hpp"

#include "transfer/datagram.hpp"

#include <asio_rdma/statistics.hpp>
#include <asio_rdma/ud.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stdexcept>
#include <thread>

using namespace verbs_test;
using asio_rdma::transfer::datagram_header;

namespace {

/// A queue pair of our own that knows where the socket's is.
struct stranger : device_fixture {
  stranger() : device_fixture() {
    ibv_qp_init_attr attributes = queue_attributes(IBV_QPT_UD);
    pair = verbs::queue_pair(domain, attributes);
    verbs::init_attributes init;
    init.port = port;
    init.qkey = RDMA_UDP_QKEY;
    pair.to_init(init);
    pair.to_rtr();
    pair.to_rts();
    where = verbs::address_handle(domain, path_to_self());
    const boost::asio::ip::address_v4 here(ntohl(address().sin_addr.s_addr));
    socket.open(asio_rdma::ud::v4());
    socket.bind({here, 0});
    target = asio_rdma::statistics(socket).queue_pair;
  }

  void send(const std::string& packet, std::uint32_t qkey = RDMA_UDP_QKEY) {
    buffer out(*this, std::max<std::size_t>(packet.size(), 1));
    out.write(packet);
    auto piece = out.piece(0, packet.size());
    auto request = send_request(1, IBV_WR_SEND, piece);
    request.num_sge = packet.empty() ? 0 : 1;
    request.wr.ud.ah = where.native_handle();
    request.wr.ud.remote_qpn = target;
    request.wr.ud.remote_qkey = qkey;
    pair.post_send(request);
    BOOST_TEST(completion_of(1).status == IBV_WC_SUCCESS);
  }
  /// As a socket would, from port 77.
  std::string packet(std::uint16_t to, const std::string& payload) const {
    datagram_header h;
    h.source_port = 77;
    h.destination_port = to;
    const auto text = encode_datagram_header(h);
    return std::string(text.begin(), text.end()) + payload;
  }
  std::uint64_t dropped() { return asio_rdma::statistics(socket).datagrams.dropped_foreign; }
  std::string receive() {
    socket.non_blocking(true);
    char data[100];
    for (int i = 0; i < 5000; ++i) {
      boost::system::error_code ec;
      const std::size_t n = socket.receive(boost::asio::buffer(data), 0, ec);
      if (!ec) return std::string(data, n);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    throw std::runtime_error("no datagram came");
  }

  verbs::queue_pair pair;
  verbs::address_handle where;
  boost::asio::io_context context;
  asio_rdma::ud::socket socket{context};
  std::uint32_t target = 0;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(foreign_datagrams, stranger, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(are_dropped_and_counted) {
  const std::uint16_t own = socket.local_endpoint().port();
  std::string other_version = packet(own, "payload");
  ++other_version[2];
  const std::string strange[] = {"",
                                 "x",
                                 packet(own, "").substr(0, datagram_header::size - 1),
                                 std::string(datagram_header::size, '\0'),
                                 std::string(std::size_t{128} << mtu, '\xff'),
                                 other_version,
                                 packet(static_cast<std::uint16_t>(own ^ 1), "payload")};
  std::uint64_t count = 0;
  for (int round = 0; round < 30; ++round) {  // more than the socket has receives for
    for (const std::string& s : strange) send(s);
    count += std::size(strange);
    send(packet(own, "good"));
    BOOST_TEST(receive() == "good");
  }
  BOOST_TEST(dropped() == count);
  const auto s = asio_rdma::statistics(socket);
  BOOST_TEST(s.counters.messages_received == count + 30);
  BOOST_TEST(s.counters.reads == 30u);
}

BOOST_AUTO_TEST_CASE(under_another_key_do_not_come_in) {
  const std::uint16_t own = socket.local_endpoint().port();
  send(packet(own, "no"), 0x11111);
  send(packet(own, "yes"));
  BOOST_TEST(receive() == "yes");
  BOOST_TEST(asio_rdma::statistics(socket).counters.messages_received == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
