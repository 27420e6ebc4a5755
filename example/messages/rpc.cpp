// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Remote procedure calls: each request and each answer is one message, which begins with the number of its call. The
// client has many calls under way at a time; the server answers those that take long later, out of order.
//
//   rpc server ADDRESS PORT          ends after one client
//   rpc client ADDRESS PORT

#include <asio_rdma/rc_seq_packet.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace asio = boost::asio;
using asio_rdma::rc_seq_packet;
using boost::system::error_code;

namespace {

enum class procedure : std::uint32_t { add, slow_add };

// On the wire, as it lies in memory: both ends are of the same kind of machine.
struct request {
  std::uint32_t call;
  procedure what;
  std::int64_t a, b;
};
struct answer {
  std::uint32_t call;
  std::uint32_t is_error;  // not 0: there is no such procedure
  std::int64_t value;
};

// Receives messages of one type until the peer ends; then calls ended.
template <class Message>
class receiver {
public:
  receiver(rc_seq_packet::socket& socket, std::function<void(const Message&)> got, std::function<void()> ended)
      : socket_(socket), got_(std::move(got)), ended_(std::move(ended)) {}
  void receive() {
    // Smaller than receive_buffer_size: it arrives as a whole.
    socket_.async_receive(asio::buffer(&message_, sizeof message_), flags_, [this](error_code ec, std::size_t size) {
      if (ec == asio::error::eof) return ended_();
      if (ec) throw boost::system::system_error(ec, "receive");
      if (size != sizeof message_ || !(flags_ & asio::socket_base::message_end_of_record)) {
        throw std::runtime_error("a message of the wrong size");
      }
      got_(message_);
      flags_ = 0;
      receive();
    });
  }

private:
  rc_seq_packet::socket& socket_;
  std::function<void(const Message&)> got_;
  std::function<void()> ended_;
  Message message_{};
  asio::socket_base::message_flags flags_ = 0;
};

template <class Message>
void send(rc_seq_packet::socket& socket, const Message& message) {
  const auto kept = std::make_shared<Message>(message);
  socket.async_send(asio::buffer(kept.get(), sizeof *kept), 0, [kept](error_code ec, std::size_t) {
    if (ec) throw boost::system::system_error(ec, "send");
  });
}

void serve(asio::io_context& context, const rc_seq_packet::endpoint& endpoint) {
  rc_seq_packet::acceptor acceptor(context, endpoint);
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  rc_seq_packet::socket socket = acceptor.accept();
  unsigned calls = 0;
  const auto handle = [&](const request& r) {
    ++calls;
    if (r.what == procedure::add) {
      send(socket, answer{r.call, 0, r.a + r.b});
    } else if (r.what == procedure::slow_add) {
      const auto timer = std::make_shared<asio::steady_timer>(context, std::chrono::milliseconds(200));
      timer->async_wait([&socket, timer, r](error_code) { send(socket, answer{r.call, 0, r.a + r.b}); });
    } else {
      send(socket, answer{r.call, 1, 0});
    }
  };
  receiver<request> requests(socket, handle, [] {});
  requests.receive();
  context.run();
  std::cout << calls << " calls" << std::endl;
}

class client {
public:
  using handler = std::function<void(const answer&)>;

  client(asio::io_context& context, const rc_seq_packet::endpoint& server) : socket_(context) {
    socket_.connect(server);
    answers_.receive();
  }
  // Several may be under way; the handler is called with the answer.
  void call(procedure what, std::int64_t a, std::int64_t b, handler done) {
    send(socket_, request{next_, what, a, b});
    waiting_.emplace(next_++, std::move(done));
  }

private:
  void got(const answer& a) {
    const auto found = waiting_.find(a.call);
    if (found == waiting_.end()) throw std::runtime_error("an answer to no call");
    const handler done = std::move(found->second);
    waiting_.erase(found);
    done(a);
    if (waiting_.empty()) socket_.shutdown(rc_seq_packet::socket::shutdown_send);
  }

  rc_seq_packet::socket socket_;
  std::map<std::uint32_t, handler> waiting_;
  std::uint32_t next_ = 1;
  receiver<answer> answers_{socket_, [this](const answer& a) { got(a); }, [] {}};
};

void ask(asio::io_context& context, const rc_seq_packet::endpoint& server) {
  client c(context, server);
  c.call(procedure::slow_add, 40, 2, [](const answer& a) { std::cout << "slow: 40 + 2 = " << a.value << '\n'; });
  std::int64_t sum = 0;
  unsigned left = 100;
  for (int i = 1; i <= 100; ++i) {
    c.call(procedure::add, i, i, [&](const answer& a) {
      sum += a.value;
      if (--left == 0) std::cout << "100 quick calls: " << sum << '\n';
    });
  }
  c.call(static_cast<procedure>(99), 0, 0, [](const answer& a) {
    std::cout << (a.is_error ? "no such procedure" : "an answer from nowhere") << '\n';
  });
  context.run();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc == 4 ? argv[1] : "";
  if (role != "server" && role != "client") {
    std::cerr << "usage: rpc server|client ADDRESS PORT\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const rc_seq_packet::endpoint endpoint = *rc_seq_packet::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "server") {
      serve(context, endpoint);
    } else {
      ask(context, endpoint);
    }
  } catch (const std::exception& e) {
    std::cerr << "rpc: " << e.what() << '\n';
    return 1;
  }
}
