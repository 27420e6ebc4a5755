// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Metrics for Prometheus: a server whose clients come over RDMA and which answers "GET /metrics", over TCP, with what
// statistics.hpp knows of all connections of the process.
//
//   prometheus server ADDRESS PORT METRICS_PORT      until SIGINT or SIGTERM; clients may send what they like
//   prometheus client ADDRESS PORT METRICS_PORT      sends 100000 bytes, then reads the metrics and prints some

#include <asio_rdma/rc.hpp>
#include <asio_rdma/statistics.hpp>
#include <asio_rdma/statistics_text.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <csignal>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

namespace asio = boost::asio;
using asio::ip::tcp;
using asio_rdma::rc;
using boost::system::error_code;

namespace {

// Prometheus' text format, version 0.0.4.
std::string metrics() {
  const asio_rdma::process_snapshot now = asio_rdma::snapshot();
  std::ostringstream out;
  const auto metric = [&](const char* name, const char* type, const char* help, std::uint64_t value) {
    out << "# HELP asio_rdma_" << name << ' ' << help << "\n# TYPE asio_rdma_" << name << ' ' << type << "\nasio_rdma_"
        << name << ' ' << value << '\n';
  };
  const auto& t = now.totals;
  metric("connected_total", "counter", "Connections made by connect.", t.connected);
  metric("accepted_total", "counter", "Connections made by listeners.", t.accepted);
  metric("lost_total", "counter", "Established connections that ended with an error.", t.lost);
  metric("refused_total", "counter", "Requests that listeners refused.", t.refused);
  metric("registered_bytes", "gauge", "Memory that is pinned.", t.registered_memory);
  metric("sent_bytes_total", "counter", "Bytes handed to devices.", t.counters.bytes_sent);
  metric("received_bytes_total", "counter", "Bytes that arrived.", t.counters.bytes_received);
  metric("read_bytes_total", "counter", "Bytes that programs took.", t.counters.bytes_read);
  metric("credit_stalls_total", "counter", "Times that bytes waited for room at the peer.", t.counters.credit_stalls);

  out << "# HELP asio_rdma_unread_bytes Received, and not read yet.\n# TYPE asio_rdma_unread_bytes gauge\n";
  for (const auto& s : now.sockets) {
    if (s.state == asio_rdma::connection_state::listening) continue;
    out << "asio_rdma_unread_bytes{peer=\"" << s.remote << "\",device=\"" << s.device << "\",state=\""
        << to_string(s.state) << "\"} " << s.levels.receive_buffer_used << '\n';
  }
  return out.str();
}

// A client over RDMA, whose bytes are read and dropped.
class sink : public std::enable_shared_from_this<sink> {
public:
  explicit sink(rc::socket socket) : socket_(std::move(socket)) {}
  void begin() {
    socket_.async_read_some(asio::buffer(data_), [self = shared_from_this()](error_code ec, std::size_t) {
      if (!ec) self->begin();
    });
  }

private:
  rc::socket socket_;
  std::array<char, 16384> data_;
};

// A scrape: one request, one answer. A real server would use Beast (see http.cpp).
class scrape : public std::enable_shared_from_this<scrape> {
public:
  explicit scrape(tcp::socket socket) : socket_(std::move(socket)) {}
  void begin() {
    asio::async_read_until(socket_, asio::dynamic_buffer(text_, 8192), "\r\n\r\n",
                           [self = shared_from_this()](error_code ec, std::size_t) {
                             if (!ec) self->answer();
                           });
  }

private:
  void answer() {
    const bool is_known = text_.compare(0, 13, "GET /metrics ") == 0;
    const std::string body = is_known ? metrics() : "only /metrics is here\n";
    text_ = std::string("HTTP/1.1 ") + (is_known ? "200 OK" : "404 Not Found") +
            "\r\nContent-Type: text/plain; version=0.0.4\r\nConnection: close\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body;
    asio::async_write(socket_, asio::buffer(text_), [self = shared_from_this()](error_code, std::size_t) {});
  }

  tcp::socket socket_;
  std::string text_;
};

template <class Session, class Acceptor>
void accept(Acceptor& acceptor) {
  acceptor.async_accept([&acceptor](error_code ec, typename Acceptor::protocol_type::socket socket) {
    if (ec) throw boost::system::system_error(ec, "accept");
    std::make_shared<Session>(std::move(socket))->begin();
    accept<Session>(acceptor);
  });
}

void serve(asio::io_context& context, const tcp::endpoint& endpoint, const tcp::endpoint& for_metrics) {
  rc::acceptor clients(context, endpoint);
  tcp::acceptor scrapes(context, for_metrics);
  std::cout << "listening on " << clients.local_endpoint() << ", metrics on " << scrapes.local_endpoint() << std::endl;
  accept<sink>(clients);
  accept<scrape>(scrapes);
  asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&context](error_code, int) { context.stop(); });
  context.run();
}

void ask(asio::io_context& context, const tcp::endpoint& server, const tcp::endpoint& for_metrics) {
  rc::socket socket(context);
  socket.connect(server);
  asio::write(socket, asio::buffer(std::string(100000, 'x')));
  std::string text;
  do {  // until the server has read them all
    tcp::socket http(context);
    http.connect(for_metrics);
    asio::write(http, asio::buffer(std::string("GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n")));
    text.clear();
    error_code ec;
    asio::read(http, asio::dynamic_buffer(text), ec);
    if (ec != asio::error::eof) throw boost::system::system_error(ec, "metrics");
  } while (text.find("read_bytes_total 100000\n") == std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, 10, "asio_rdma_") == 0) std::cout << line << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc == 5 ? argv[1] : "";
  if (role != "server" && role != "client") {
    std::cerr << "usage: prometheus server|client ADDRESS PORT METRICS_PORT\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const tcp::endpoint endpoint = *tcp::resolver(context).resolve(argv[2], argv[3]).begin();
    const tcp::endpoint for_metrics = *tcp::resolver(context).resolve(argv[2], argv[4]).begin();
    if (role == "server") {
      serve(context, endpoint, for_metrics);
    } else {
      ask(context, endpoint, for_metrics);
    }
  } catch (const std::exception& e) {
    std::cerr << "prometheus: " << e.what() << '\n';
    return 1;
  }
}
