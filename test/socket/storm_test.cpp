// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Eight threads, many connections in full duplex, and operations that are cancelled, and sockets that are shut down,
// closed and reset at any moment: what was written arrives, or a prefix of it where somebody left early.

#include "fixture.hpp"
#include "parameter.hpp"

#include "support/conversation.hpp"

#include <chrono>
#include <memory>

BOOST_AUTO_TEST_SUITE(storm)

using clock_type = std::chrono::steady_clock;
using test_support::check_direction;
using test_support::direction;
using test_support::manners;
using test_support::tally;
using end = test_support::talker<rc>;

/// One connection after another, until the deadline.
class lane : public std::enable_shared_from_this<lane> {
public:
  lane(asio::io_context& c, unsigned number, clock_type::time_point deadline, tally& t)
      : context_(c),
        strand_(asio::make_strand(c)),
        acceptor_(strand_),
        number_(number),
        deadline_(deadline),
        tally_(t) {
    acceptor_.open(any_port().protocol());
    make_small(acceptor_);
    acceptor_.bind(any_port());
    acceptor_.listen();
  }

  void start() {
    asio::post(strand_, [this, self = shared_from_this()] { connect(); });
  }

private:
  /// So that hundreds of connections fit into a few megabytes of locked memory.
  template <class Object>
  static void make_small(Object& o) {
    o.set_option(asio_rdma::receive_buffer_size(4096));
    o.set_option(asio_rdma::send_buffer_size(4096));
    o.set_option(asio_rdma::queue_depth(32));
  }

  auto connected() {
    return asio::bind_executor(strand_, [this, self = shared_from_this()](error_code ec) {
      if (ec) {
        tally_.failed("no connection: " + ec.message());
        acceptor_.close();
        near_->socket.close();
        return;
      }
      if (--running_ > 0) return;
      ++tally_.connections;
      running_ = 2;
      const auto done = [this, me = shared_from_this()] {
        asio::post(strand_, [this, me] {
          if (--running_ == 0) ended();
        });
      };
      manners m;
      m.deadline = deadline_;
      near_->start(m, near_stream(), far_stream(), there_, back_, done);
      far_->start(m, far_stream(), near_stream(), back_, there_, done);
    });
  }

  void connect() {
    ++turn_;
    there_.clear();
    back_.clear();
    near_ = std::make_shared<end>(context_, tally_);
    far_ = std::make_shared<end>(context_, tally_);
    near_->socket.open(any_port().protocol());
    make_small(near_->socket);
    running_ = 2;
    near_->socket.async_connect(acceptor_.local_endpoint(), connected());
    acceptor_.async_accept(far_->socket, connected());
  }

  void ended() {
    check_direction(there_, back_, false, false, tally_);
    check_direction(back_, there_, false, false, tally_);
    if (clock_type::now() < deadline_) return connect();
    near_.reset();
    far_.reset();
  }

  unsigned near_stream() const { return turn_ * 400 + number_ * 2; }
  unsigned far_stream() const { return near_stream() + 1; }

  asio::io_context& context_;
  asio::strand<asio::io_context::executor_type> strand_;
  rc::acceptor acceptor_;
  const unsigned number_;
  const clock_type::time_point deadline_;
  tally& tally_;
  std::shared_ptr<end> near_, far_;
  direction there_, back_;
  unsigned turn_ = 0;
  int running_ = 0;
};

BOOST_AUTO_TEST_CASE(every_byte_that_was_written_arrives_or_a_prefix_where_somebody_left) {
  const int seconds = parameter("ASIO_RDMA_TEST_STORM_SECONDS", 3, 5);
  const int connections = parameter("ASIO_RDMA_TEST_STORM_CONNECTIONS", 200, 50);
  tally t;
  asio::io_context context;
  const auto deadline = clock_type::now() + std::chrono::seconds(seconds);
  for (int i = 0; i < connections; ++i) {
    std::make_shared<lane>(context, static_cast<unsigned>(i), deadline, t)->start();
  }
  std::vector<std::unique_ptr<scoped_thread>> threads;
  for (int i = 0; i < 8; ++i) threads.push_back(std::make_unique<scoped_thread>([&] { context.run(); }));
  threads.clear();
  BOOST_TEST_MESSAGE(t);
  BOOST_TEST(t.failures == 0u, t.failures << " failures" << t.first_failures());
  BOOST_TEST(t.connections >= static_cast<unsigned>(connections));
  BOOST_TEST(t.bytes > 0u);
  BOOST_TEST(t.exact > 0u);
}

BOOST_AUTO_TEST_SUITE_END()
