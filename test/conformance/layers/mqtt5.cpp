// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Boost.MQTT5's client over RDMA: it publishes one message to a broker that knows just enough of the protocol.

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/mqtt5/mqtt_client.hpp>
#include <boost/mqtt5/types.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

namespace asio = boost::asio;
namespace mqtt5 = boost::mqtt5;
using asio_rdma::rc;

struct packet {
  unsigned char header = 0;
  std::string body;
};

packet read_packet(rc::socket& s) {
  packet p;
  asio::read(s, asio::buffer(&p.header, 1));
  std::size_t size = 0;
  for (unsigned shift = 0;; shift += 7) {
    unsigned char digit = 0;
    asio::read(s, asio::buffer(&digit, 1));
    size |= std::size_t(digit & 0x7f) << shift;
    if (digit < 0x80) break;
  }
  p.body.resize(size);
  asio::read(s, asio::buffer(p.body));
  return p;
}

// Returns the payload of the one message that is published, with acknowledgement.
std::string serve(rc::acceptor& acceptor) {
  rc::socket s = acceptor.accept();
  if (read_packet(s).header != 0x10) throw std::runtime_error("no CONNECT");
  asio::write(s, asio::buffer("\x20\x03\x00\x00\x00", 5));  // CONNACK: success
  const packet published = read_packet(s);
  if (published.header >> 4 != 3) throw std::runtime_error("no PUBLISH");
  const std::size_t topic = std::size_t(published.body.at(0)) << 8 | std::size_t(published.body.at(1));
  std::string answer("\x40\x02", 2);  // PUBACK, with the packet's number
  answer += published.body.substr(2 + topic, 2);
  asio::write(s, asio::buffer(answer));
  if (read_packet(s).header != 0xe0) throw std::runtime_error("no DISCONNECT");
  return published.body.substr(2 + topic + 3);  // after the number and no properties
}

int main() try {
  asio::io_context context;
  rc::acceptor acceptor(context, rc::endpoint(asio::ip::make_address("127.0.0.1"), 0));
  std::string payload;
  std::thread broker([&] {
    try {
      payload = serve(acceptor);
    } catch (const std::exception& e) {
      std::printf("broker: %s\n", e.what());
    }
  });

  mqtt5::mqtt_client<rc::socket> client(context);
  client.brokers("127.0.0.1", acceptor.local_endpoint().port()).async_run(asio::detached);
  bool acknowledged = false;
  client.async_publish<mqtt5::qos_e::at_least_once>(
      "topic", "over RDMA", mqtt5::retain_e::no, mqtt5::publish_props{},
      [&](mqtt5::error_code e, mqtt5::reason_code reason, const mqtt5::puback_props&) {
        acknowledged = !e && !reason;
        client.async_disconnect(asio::detached);
      });
  context.run();
  broker.join();
  std::printf("published: '%s', acknowledged: %d\n", payload.c_str(), acknowledged);
  return payload == "over RDMA" && acknowledged ? 0 : 1;
} catch (const std::exception& e) {
  std::printf("%s\n", e.what());
  std::_Exit(1);  // the broker may still be waiting
}
