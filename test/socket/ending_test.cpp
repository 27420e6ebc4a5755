// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Execution contexts that are destroyed while everything is going on.

#include "fixture.hpp"
#include "parameter.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <random>

BOOST_AUTO_TEST_SUITE(ending)

/// The other side, on a context of its own: sends as fast as it can and swallows what comes, until the end.
class partner : public std::enable_shared_from_this<partner> {
public:
  explicit partner(rc::socket s) : s_(std::move(s)), out_(pattern(20000)), in_(5000) {}
  void start() {
    read();
    write();
  }
  void watch() { read(); }

private:
  void read() {
    s_.async_read_some(asio::buffer(in_), [self = shared_from_this()](error_code ec, std::size_t) {
      if (!ec) return self->read();
      self->s_.close(ec);
    });
  }
  void write() {
    s_.async_write_some(asio::buffer(out_), [self = shared_from_this()](error_code ec, std::size_t) {
      if (!ec) self->write();
    });
  }

  rc::socket s_;
  std::vector<unsigned char> out_, in_;
};

/// A socket with buffers, which the handlers of its operations own.
struct session {
  session(asio::io_context& c, std::atomic<int>& n) : s(c), timer(c), resolver(c), alive(n) { ++alive; }
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session() { --alive; }

  rc::socket s;
  asio::steady_timer timer;
  rc::resolver resolver;
  std::vector<unsigned char> out = pattern(1 << 20), in = std::vector<unsigned char>(1 << 20);
  std::vector<unsigned char> rest = std::vector<unsigned char>(1000);
  std::atomic<int>& alive;
};

/// Reads and writes go on for ever, several of each at once.
void keep_busy(const std::shared_ptr<session>& t) {
  asio::async_read(t->s, asio::buffer(t->in), [t](error_code ec, std::size_t) {
    if (!ec) keep_busy(t);
  });
  t->s.async_read_some(asio::buffer(t->rest), [t](error_code, std::size_t) {});
  asio::async_write(t->s, asio::buffer(t->out), [t](error_code, std::size_t) {});
  t->s.async_wait(rc::socket::wait_read, [t](error_code) {});
  t->s.async_wait(rc::socket::wait_write, [t](error_code) {});
  t->s.async_wait(rc::socket::wait_error, [t](error_code) {});
}

void end_a_context(unsigned round) {
  std::minstd_rand random(round + 1);
  const auto short_time = [&] { return std::chrono::microseconds(random() % 3000); };
  std::atomic<int> alive{0};
  asio::io_context partners;
  rc::acceptor listening(partners, any_port());
  asio::cancellation_signal signal;
  auto context = std::make_unique<asio::io_context>();

  // A busy connection, one whose writes wait for acknowledgements, one that is quiet, and one that is being made.
  std::vector<std::shared_ptr<session>> sessions;
  for (int i = 0; i < 3; ++i) {
    sessions.push_back(std::make_shared<session>(*context, alive));
    sessions.back()->s.connect(listening.local_endpoint());
    const auto other = std::make_shared<partner>(listening.accept());
    if (i < 2)
      other->start();
    else
      other->watch();
  }
  rc::socket late(partners);
  scoped_thread partners_run([&] { partners.run(); });  // joined before what its handlers use is destroyed
  sessions[1]->s.set_option(asio_rdma::acknowledged_writes(true));
  keep_busy(sessions[0]);
  keep_busy(sessions[1]);
  sessions[2]->s.async_read_some(
      asio::buffer(sessions[2]->in),
      asio::bind_cancellation_slot(signal.slot(), [t = sessions[2]](error_code, std::size_t) {}));
  sessions[2]->timer.expires_after(std::chrono::hours(1));
  sessions[2]->timer.async_wait([t = sessions[2]](error_code) {});
  sessions[2]->resolver.async_resolve("127.0.0.1", "80", [t = sessions[2]](error_code, rc::resolver::results_type) {});
  auto connecting = std::make_shared<session>(*context, alive);
  connecting->s.async_connect(listening.local_endpoint(), [connecting](error_code) {});
  connecting.reset();
  auto acceptor = std::make_shared<rc::acceptor>(*context, any_port());
  auto accepted = std::make_shared<session>(*context, alive);
  acceptor->async_accept(accepted->s, [acceptor, accepted](error_code) {});
  acceptor->async_accept([acceptor](error_code, rc::socket) {});
  acceptor->async_wait(rc::acceptor::wait_read, [acceptor](error_code) {});
  accepted.reset();
  sessions.clear();
  late.async_connect(acceptor->local_endpoint(), [](error_code) {});
  acceptor.reset();

  switch (round % 3) {
    case 0:  // nobody has run it
      std::this_thread::sleep_for(short_time());
      break;
    case 1:
      context->run_for(short_time());
      break;
    default: {
      scoped_thread a([&] { context->run(); }), b([&] { context->run(); });
      std::this_thread::sleep_for(short_time());
      context->stop();
    }
  }
  context.reset();
  LOCKED_TEST(alive == 0);
  signal.emit(asio::cancellation_type::all);
  // Their partners see the end, all by themselves; so does what connected to the acceptor, if it did.
  asio::post(partners, [&] {
    late.close();
    listening.close();
  });
}

BOOST_AUTO_TEST_CASE(context_dies_with_every_kind_of_operation_pending_amid_traffic) {
  const int rounds = parameter("ASIO_RDMA_TEST_ENDINGS", 100, 20);
  for (int i = 0; i < rounds; ++i) end_a_context(static_cast<unsigned>(i));
  BOOST_TEST_MESSAGE(rounds << " contexts destroyed");
}

BOOST_AUTO_TEST_SUITE_END()
