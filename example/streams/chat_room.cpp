// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A chat room with coroutines: what one member says, all others hear. Each member has a coroutine that reads and one
// that writes; a timer that is never due tells the latter that there is something to write.
//
//   chat_room server ADDRESS PORT            until SIGINT or SIGTERM
//   chat_room client ADDRESS PORT NAME HEAR [TEXT...]      says its texts, and leaves when it has heard HEAR lines

#include <asio_rdma/rc.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <csignal>
#include <deque>
#include <exception>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace asio = boost::asio;
using asio::use_awaitable;
using asio_rdma::rc;
using boost::system::error_code;

namespace {

constexpr std::size_t longest_line = 4096;

class member;
using room = std::set<std::shared_ptr<member>>;

class member : public std::enable_shared_from_this<member> {
public:
  member(rc::socket socket, room& others)
      : socket_(std::move(socket)),
        news_(socket_.get_executor(), asio::steady_timer::time_point::max()),
        room_(others) {}

  void enter() {
    room_.insert(shared_from_this());
    const auto executor = socket_.get_executor();
    asio::co_spawn(executor, [self = shared_from_this()] { return self->read(); }, asio::detached);
    asio::co_spawn(executor, [self = shared_from_this()] { return self->write(); }, asio::detached);
  }

private:
  asio::awaitable<void> read() {
    try {
      std::string line;
      for (;;) {
        const std::size_t size =
            co_await asio::async_read_until(socket_, asio::dynamic_buffer(line, longest_line), '\n', use_awaitable);
        for (const auto& other : room_) {
          if (other.get() != this) other->hear(line.substr(0, size));
        }
        line.erase(0, size);
      }
    } catch (const boost::system::system_error&) {
      leave();  // the end of the connection, or a line that is too long
    }
  }

  asio::awaitable<void> write() {
    while (socket_.is_open()) {
      if (unheard_.empty()) {
        error_code cancelled;
        co_await news_.async_wait(asio::redirect_error(use_awaitable, cancelled));
        continue;
      }
      error_code ec;
      co_await asio::async_write(socket_, asio::buffer(unheard_.front()), asio::redirect_error(use_awaitable, ec));
      if (ec) co_return leave();
      unheard_.pop_front();
    }
  }

  void hear(std::string line) {
    unheard_.push_back(std::move(line));
    news_.cancel_one();
  }

  void leave() {
    room_.erase(shared_from_this());
    socket_.close();
    news_.cancel();
  }

  rc::socket socket_;
  asio::steady_timer news_;
  room& room_;
  std::deque<std::string> unheard_;
};

asio::awaitable<void> accept(rc::acceptor& acceptor, room& members) {
  for (;;) std::make_shared<member>(co_await acceptor.async_accept(use_awaitable), members)->enter();
}

asio::awaitable<void> talk(const rc::endpoint& server, const std::string& name, unsigned long lines,
                           std::string texts) {
  rc::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  std::cout << name << " is here" << std::endl;
  co_await asio::async_write(socket, asio::buffer(texts), use_awaitable);
  std::string heard;
  for (; lines > 0; --lines) {
    const std::size_t size =
        co_await asio::async_read_until(socket, asio::dynamic_buffer(heard, longest_line), '\n', use_awaitable);
    std::cout << heard.substr(0, size) << std::flush;
    heard.erase(0, size);
  }
}

void rethrow(std::exception_ptr failure) {
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 3 ? argv[1] : "";
  if (!(role == "server" && argc == 4) && !(role == "client" && argc > 5)) {
    std::cerr << "usage: chat_room server ADDRESS PORT\n       chat_room client ADDRESS PORT NAME HEAR [TEXT...]\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const rc::endpoint endpoint = *rc::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "server") {
      room members;
      rc::acceptor acceptor(context, endpoint);
      std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
      asio::signal_set signals(context, SIGINT, SIGTERM);
      signals.async_wait([&context](error_code, int) { context.stop(); });
      asio::co_spawn(context, accept(acceptor, members), rethrow);
      context.run();
    } else {
      std::string texts;
      for (int i = 6; i < argc; ++i) texts += std::string(argv[4]) + ": " + argv[i] + '\n';
      asio::co_spawn(context, talk(endpoint, argv[4], std::stoul(argv[5]), texts), rethrow);
      context.run();
    }
  } catch (const std::exception& e) {
    std::cerr << "chat_room: " << e.what() << '\n';
    return 1;
  }
}
