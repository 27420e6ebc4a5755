// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "control.hpp"

#include <asio_rdma/asio_rdma.hpp>
#include <asio_rdma/rc.hpp>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <netinet/tcp.h>
#include <utility>

namespace perf {

namespace asio = boost::asio;
namespace json = boost::json;
using boost::system::error_code;

namespace {

constexpr std::size_t longest_line = 1 << 20;

const char gone[] = "the other side has closed the connection";

// A host that dies is noticed after half a minute.
void keep_alive(asio::ip::tcp::socket& socket) {
  socket.set_option(asio::socket_base::keep_alive(true));
  const auto set = [&socket](int name, int value) {
    ::setsockopt(socket.native_handle(), IPPROTO_TCP, name, &value, sizeof value);
  };
  set(TCP_KEEPIDLE, 10);
  set(TCP_KEEPINTVL, 5);
  set(TCP_KEEPCNT, 4);
}
void keep_alive(asio_rdma::rc::socket&) {}

template <class Protocol>
class control_over : public control {
public:
  explicit control_over(typename Protocol::socket socket) : socket_(std::move(socket)) {
    socket_.set_option(typename Protocol::no_delay(true));
    keep_alive(socket_);
  }

  asio::ip::address local_address() const override { return socket_.local_endpoint().address(); }
  asio::ip::address remote_address() const override { return socket_.remote_endpoint().address(); }

protected:
  void write(const std::string& text) override {
    socket_.non_blocking(false);
    asio::write(socket_, asio::buffer(text));
  }

  std::size_t read(char* data, std::size_t size, bool wait) override {
    socket_.non_blocking(!wait);
    error_code ec;
    const std::size_t result = socket_.read_some(asio::buffer(data, size), ec);
    if (ec == asio::error::would_block) return 0;
    if (ec == asio::error::eof || ec == asio::error::connection_reset) throw peer_error(gone);
    if (ec) throw boost::system::system_error(ec, "control connection");
    return result;
  }

private:
  typename Protocol::socket socket_;
};

template <class Protocol>
class acceptor_over : public control_acceptor {
public:
  acceptor_over(const std::string& address, std::uint16_t port) : acceptor_(io_) {
    typename Protocol::endpoint endpoint(asio::ip::address_v4(), port);
    if (!address.empty()) {
      typename Protocol::resolver resolver(io_);
      endpoint = resolver.resolve(address, std::to_string(port))->endpoint();
    }
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(asio::socket_base::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
  }

  std::unique_ptr<control> accept() override { return std::make_unique<control_over<Protocol>>(acceptor_.accept()); }

private:
  asio::io_context io_{1};
  typename Protocol::acceptor acceptor_;
};

// A socket must not outlive its context.
template <class Protocol>
struct own_context {
  asio::io_context io{1};
};
template <class Protocol>
class client_over : own_context<Protocol>, public control_over<Protocol> {
public:
  explicit client_over(const settings& s) : control_over<Protocol>(connect(this->io, s)) {}

private:
  static typename Protocol::socket connect(asio::io_context& io, const settings& s) {
    typename Protocol::resolver resolver(io);
    const auto found = resolver.resolve(s.server, std::to_string(s.port));
    typename Protocol::socket socket(io);
    asio::connect(socket, found);
    return socket;
  }
};

}  // namespace

void control::send(const json::object& message) {
  write(json::serialize(message) + '\n');
}

void control::send_error(const std::string& what) noexcept {
  try {
    send({{"error", what}});
  } catch (const std::exception&) {  // whoever reads this sees that we are gone
  }
}

bool control::take_line() {
  if (has_line_) return true;
  const std::size_t end = received_.find('\n');
  if (end == std::string::npos) {
    if (received_.size() > longest_line) throw peer_error("the other side is no performance program of this library");
    return false;
  }
  line_ = received_.substr(0, end);
  received_.erase(0, end + 1);
  return has_line_ = true;
}

bool control::has_message() {
  char part[4096];
  while (!take_line()) {
    const std::size_t size = read(part, sizeof part, false);
    if (size == 0) return false;
    received_.append(part, size);
  }
  return true;
}

json::object control::receive() {
  char part[4096];
  while (!take_line()) received_.append(part, read(part, sizeof part, true));
  has_line_ = false;
  return parse_line();
}

void control::look_for_error() {
  if (has_message()) parse_line();
}

json::object control::parse_line() const {
  error_code ec;
  json::value message = json::parse(line_, ec);
  if (ec || !message.is_object()) throw peer_error("the other side is no performance program of this library");
  const json::object& o = message.get_object();
  if (const json::value* what = o.if_contains("error"); what && what->is_string()) {
    throw peer_error("the other side: " + std::string(what->get_string()));
  }
  return o;
}

std::unique_ptr<control_acceptor> listen_for_control(const settings& s) {
  const auto port = static_cast<std::uint16_t>(s.port);
  if (s.control_over_rdma) return std::make_unique<acceptor_over<asio_rdma::rc>>(s.bind, port);
  return std::make_unique<acceptor_over<asio::ip::tcp>>(s.bind, port);
}

std::unique_ptr<control> connect_control(const settings& s) {
  if (s.control_over_rdma) return std::make_unique<client_over<asio_rdma::rc>>(s);
  return std::make_unique<client_over<asio::ip::tcp>>(s);
}

}  // namespace perf
