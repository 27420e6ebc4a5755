// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// HTTP by Boost.Beast over RDMA: beast::basic_stream<rc> stands where beast::tcp_stream would.
//
//   http server ADDRESS PORT             until SIGINT or SIGTERM
//   http client ADDRESS PORT TARGET

#include <asio_rdma/rc.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio_rdma::rc;
using boost::system::error_code;

namespace {

using stream = beast::basic_stream<rc>;
using request = http::request<http::string_body>;
using response = http::response<http::string_body>;

response answer(const request& r) {
  response a(http::status::ok, r.version());
  a.set(http::field::content_type, "text/plain");
  a.keep_alive(r.keep_alive());
  if (r.method() != http::verb::get) {
    a.result(http::status::method_not_allowed);
  } else if (r.target() == "/") {
    a.body() = "over RDMA\n";
  } else if (r.target() == "/large") {
    a.body().assign(1000000, 'x');
  } else {
    a.result(http::status::not_found);
    a.body() = "there is no " + std::string(r.target()) + '\n';
  }
  a.prepare_payload();
  return a;
}

class session : public std::enable_shared_from_this<session> {
public:
  explicit session(rc::socket socket) : stream_(std::move(socket)) {}
  void read() {
    request_ = {};
    stream_.expires_after(std::chrono::seconds(30));  // also of RDMA connections
    http::async_read(stream_, buffer_, request_, [self = shared_from_this()](error_code ec, std::size_t) {
      if (!ec) self->write();
    });
  }

private:
  void write() {
    response_ = answer(request_);
    http::async_write(stream_, response_, [self = shared_from_this()](error_code ec, std::size_t) {
      if (!ec && self->response_.keep_alive()) self->read();
    });
  }

  stream stream_;
  beast::flat_buffer buffer_;
  request request_;
  response response_;
};

void accept(rc::acceptor& acceptor) {
  acceptor.async_accept([&acceptor](error_code ec, rc::socket socket) {
    if (ec) throw boost::system::system_error(ec, "accept");
    std::make_shared<session>(std::move(socket))->read();
    accept(acceptor);
  });
}

void serve(asio::io_context& context, const rc::endpoint& endpoint) {
  rc::acceptor acceptor(context, endpoint);
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  accept(acceptor);
  asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&context](error_code, int) { context.stop(); });
  context.run();
}

void ask(asio::io_context& context, const rc::endpoint& server, const std::string& target) {
  stream s(context);
  s.connect(server);
  request r(http::verb::get, target, 11);
  r.set(http::field::host, "here");
  r.keep_alive(false);
  http::write(s, r);
  beast::flat_buffer buffer;
  response a;
  http::read(s, buffer, a);
  std::cout << a.result_int() << ' ' << a.reason() << ", " << a.body().size() << " bytes\n";
  if (a.body().size() < 100) std::cout << a.body();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 3 ? argv[1] : "";
  if (!(role == "server" && argc == 4) && !(role == "client" && argc == 5)) {
    std::cerr << "usage: http server ADDRESS PORT\n       http client ADDRESS PORT TARGET\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const rc::endpoint endpoint = *rc::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "server") {
      serve(context, endpoint);
    } else {
      ask(context, endpoint, argv[4]);
    }
  } catch (const std::exception& e) {
    std::cerr << "http: " << e.what() << '\n';
    return 1;
  }
}
