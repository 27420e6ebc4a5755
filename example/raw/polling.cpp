// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Polling in place of sleeping: a polling_service looks after the connection's completion queue and runs the handlers
// of the io_context in the same loop, for programs that give a core for the shortest latency. The two ends send a
// message to and fro; the client prints how long a round trip takes.
//
//   polling server ADDRESS PORT              ends after one client
//   polling client ADDRESS PORT ROUNDS

#include <asio_rdma/polling_service.hpp>
#include <asio_rdma/raw_acceptor.hpp>
#include <asio_rdma/raw_connection.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <string>

namespace asio = boost::asio;
using asio_rdma::raw_connection;
using asio_rdma::work_completion;
using boost::system::error_code;

namespace {

constexpr std::size_t message_size = 64;

// One end of the ping-pong: whatever comes is sent back, until enough have come or the peer ends.
class end {
public:
  end(asio::io_context& context, raw_connection& connection)
      : service_(context), connection_(connection), memory_(connection.register_memory(2 * message_size)),
        in_(memory_.slice(0, message_size)), out_(memory_.slice(message_size, message_size)) {}

  // Before the connection stands, so that no message comes too early.
  void receive() {
    connection_.async_receive(in_, [this](error_code ec, const work_completion&) {
      if (ec) return service_.stop();  // the peer has left
      ++received_;
      if (received_ == wanted_) return service_.stop();
      receive();
      send();
    });
  }
  void send() {
    connection_.async_send(out_, [](error_code ec, const work_completion&) {
      if (ec) throw boost::system::system_error(ec, "send");
    });
  }
  void run(unsigned long wanted) {
    wanted_ = wanted;
    service_.add(connection_);
    // On a machine with a core to spare: service_.pin(2), and back_off::none(), which never yields it.
    service_.set_back_off({100, 10000, std::chrono::microseconds(50)});
    service_.run();
  }
  unsigned long received() const { return received_; }

private:
  asio_rdma::polling_service service_;
  raw_connection& connection_;
  asio_rdma::registered_memory memory_;
  asio_rdma::local_buffer in_, out_;
  unsigned long received_ = 0;
  unsigned long wanted_ = 0;
};

void serve(asio::io_context& context, const asio::ip::tcp::endpoint& endpoint) {
  asio_rdma::raw_acceptor acceptor(context, endpoint);
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  raw_connection connection(context);
  acceptor.accept_request(connection);
  end e(context, connection);
  e.receive();
  connection.establish();
  e.run(static_cast<unsigned long>(-1));
  std::cout << e.received() << " messages were sent back" << std::endl;
}

void ask(asio::io_context& context, const asio::ip::tcp::endpoint& server, unsigned long rounds) {
  raw_connection connection(context);
  connection.open(server);
  end e(context, connection);
  e.receive();
  connection.establish();
  const auto begin = std::chrono::steady_clock::now();
  e.send();
  e.run(rounds);
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  std::cout << rounds << " round trips, " << time.count() / static_cast<double>(rounds) << " us each\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 3 ? argv[1] : "";
  if (!(role == "server" && argc == 4) && !(role == "client" && argc == 5)) {
    std::cerr << "usage: polling server ADDRESS PORT\n       polling client ADDRESS PORT ROUNDS\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const asio::ip::tcp::endpoint endpoint = *asio::ip::tcp::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "server") {
      serve(context, endpoint);
    } else {
      ask(context, endpoint, std::stoul(argv[4]));
    }
  } catch (const std::exception& e) {
    std::cerr << "polling: " << e.what() << '\n';
    return 1;
  }
}
